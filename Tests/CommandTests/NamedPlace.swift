import FilmgateTesting
import Foundation
import Synchronization

/// A server that keeps files under names, never two under one; sometimes it answers 500 to everything.
final class NamedPlace: Sendable {
    struct State {
        var isDown = false, files: [String: String] = [:]
    }
    let state = Mutex(State())

    /// What lies there, by name: the text that the file was made of.
    var names: [String: String] { state.withLock(\.files) }

    func answer(_ seen: FaultServer.Seen) -> FaultAct {
        if state.withLock(\.isDown) { return .answer(500) }
        guard seen.method == "PUT" else {
            return state.withLock { $0.files[seen.target] }.map { .answer(200, headers: [("X-SHA256", $0)]) }
                ?? .answer(404)
        }
        return .compute { seen in
            self.state.withLock { state in
                guard state.files[seen.target] == nil else { return .answer(412) }
                state.files[seen.target] = seen.fileDigest
                return .answer(201, headers: [("X-SHA256", seen.fileDigest)])
            }
        }
    }
}

/// Cards of a few frames, a folder, and a place with names.
struct NameTable {
    let table: Table, place = NamedPlace(), server: FaultServer

    init() throws {
        table = try Table()
        let place = place
        server = try FaultServer { seen, _ in place.answer(seen) }
    }

    func down(_ isDown: Bool) { place.state.withLock { $0.isDown = isDown } }

    /// A frame that says nothing of itself; its bytes are another's only where `text` is.
    @discardableResult func put(_ path: String, _ text: String) throws -> String {
        let words = Array(String(repeating: text + " ", count: 40).utf8)
        let head: [UInt8] = [0xFF, 0xD8, 0xFF, 0xFE, UInt8((words.count + 2) >> 8), UInt8((words.count + 2) & 0xFF)]
        return try table.write(
            path,
            path.hasSuffix(".XMP") ? Data("<x:xmpmeta>\(text)</x:xmpmeta>".utf8) : Data(head + words + [0xFF, 0xD9]))
    }

    func pipeline(_ more: String = "", stages: String = "") throws -> String {
        try table.write(
            "names.yaml",
            """
            version: 1
            stages: [exif: {}, dedupe: {}, \(stages)upload: { to: [archive, gallery] }]
            retry: { first: 10ms, most: 100ms }
            \(more)
            targets:
              archive: { folder: { path: "\(table.archive)/{event}", verify: size } }
              gallery: { http: { url: "\(server.url)/{event}/{name}", digest: { header: X-SHA256 } } }
            """)
    }

    func take(_ card: String, _ pipeline: String, _ more: [String] = []) throws -> Program.Outcome {
        try table.run(["import", table.path(card), "--pipeline", pipeline, "--wait", "1s"] + more)
    }

    /// `safe-to-format`, copies beside the card allowed.
    ///
    /// `file`: the pipeline whose targets are asked.
    func proof(_ card: String, asking file: String? = nil) throws -> Program.Outcome {
        let asked = file.map { ["--pipeline", $0] } ?? []
        return try table.run(["safe-to-format", table.path(card), "--allow", "same-device"] + asked)
    }

    /// What a folder holds, without Filmgate's own.
    func names(_ folder: String) -> [String] {
        table.files(table.path(folder)).keys.filter { !$0.contains(".filmgate/") }.sorted()
    }
    var gallery: [String] { place.names.keys.sorted() }
}
