import FilmgateCore
public import PTPKit
import VirtualCamera

/// One thing that every camera module must do.
public struct CameraCheck<M: CameraModule>: Sendable, CustomStringConvertible {
    public let description: String
    let body: @Sendable (CameraBench<M>, CameraBench<M>.Way) async throws -> Void

    public func run(_ bench: CameraBench<M>, _ way: CameraBench<M>.Way) async throws { try await body(bench, way) }
}

/// The checks that a camera module passes before it counts as one, each over both transports.
public enum CameraConformance<M: CameraModule> {
    public typealias Bench = CameraBench<M>

    public static var all: [CameraCheck<M>] { listing + gaps + transfer + news + manners }

    static func check(
        _ name: String, _ body: @escaping @Sendable (Bench, Bench.Way) async throws -> Void
    ) -> CameraCheck<M> {
        CameraCheck(description: name, body: body)
    }

    static var listing: [CameraCheck<M>] {
        [
            check("lists every file once, with its size and path") { bench, way in
                try await bench.run(way) { scene in
                    let entries = try await scene.session.entries()
                    let found = entries.map { "\($0.origin.name) \($0.origin.size)" }.sorted()
                    let wanted = CardFiles.few.map { "\($0.file.name) \($0.file.content.size)" }.sorted()
                    try expect(found == wanted, "found \(found)")
                    try expect(entries.allSatisfy { $0.fate == .take }, "not everything is taken")
                    try expect(Set(entries.map(\.origin.id)).count == entries.count, "ids clash")
                }
            },
            check("lists the same again, with the same identities") { bench, way in
                try await bench.run(way) { scene in
                    let first = try await scene.session.entries().map(\.origin.id)
                    let second = try await scene.session.entries().map(\.origin.id)
                    try expect(first == second, "the second listing differs")
                }
            },
            check("puts RAW and JPEG into one shot, the RAW first") { bench, way in
                try await bench.run(way) { scene in
                    let shot = try await scene.session.entries().filter { $0.origin.name.hasPrefix("IMG_0001") }
                    try expect(Set(shot.map(\.shot.key)).count == 1, "two shots")
                    try expect(shot.first?.kind == .raw, "the RAW is not the first")
                }
            },
            check("an empty card is an empty listing") { bench, way in
                try await bench.run(way, files: []) { scene in
                    let entries = try await scene.session.entries()
                    try expect(entries.isEmpty, "\(entries.count) entries")
                }
            },
            check("a card that is pulled is an empty listing or an error, never a hang") { bench, way in
                try await bench.run(way) { scene in
                    _ = try await scene.session.entries()
                    scene.camera.pullCards()
                    if let entries = try? await scene.session.entries() {
                        try expect(entries.isEmpty, "\(entries.count) ghosts")
                    }
                }
            },
        ]
    }

    static var transfer: [CameraCheck<M>] {
        [
            check("fetches every file byte for byte") { bench, way in
                try await bench.run(way) { scene in
                    for entry in try await scene.session.entries() {
                        let bytes = try await scene.bytes(of: entry)
                        let wanted = scene.content(entry.origin.name)
                        try expect(
                            bytes == wanted?.slice(at: 0, count: Int(entry.origin.size)), "\(entry.origin.name) differs"
                        )
                    }
                }
            },
            check("goes on from any offset") { bench, way in
                try await bench.run(way) { scene in
                    guard let entry = try await scene.session.entries().first(where: { $0.kind == .video }) else {
                        throw Failed("no clip")
                    }
                    let offsets: [UInt64] = [1, 1 << 20, (1 << 20) + 7, entry.origin.size - 1, entry.origin.size]
                    for offset in offsets {
                        let bytes = try await scene.bytes(of: entry, from: offset)
                        let wanted = scene.content(entry.origin.name)?.slice(
                            at: offset, count: Int(entry.origin.size - offset))
                        try expect(bytes == wanted, "differs from \(offset) on")
                    }
                }
            },
            check("a connection that breaks in the middle is taken up again, and the file is whole") { bench, way in
                guard way == .network else { return }
                try await bench.run(way) { scene in
                    guard let entry = try await scene.session.entries().first(where: { $0.kind == .video }) else {
                        throw Failed("no clip")
                    }
                    scene.camera.add(Fault(.drop(after: 100_000)))
                    let bytes = try await scene.bytes(of: entry)
                    try expect(
                        bytes == scene.content(entry.origin.name)?.slice(at: 0, count: bytes.count), "the file differs")
                    try expect(UInt64(bytes.count) == entry.origin.size, "not whole")
                }
            },
            check("a busy camera is waited for") { bench, way in
                try await bench.run(way) { scene in
                    guard let entry = try await scene.session.entries().first else { throw Failed("no files") }
                    scene.camera.add(Fault(.refuse(.deviceBusy), times: 3))
                    let bytes = try await scene.bytes(of: entry)
                    try expect(UInt64(bytes.count) == entry.origin.size, "not whole")
                }
            },
            check("a file that vanished is an error, and the next one is fetched") { bench, way in
                try await bench.run(way) { scene in
                    let entries = try await scene.session.entries()
                    scene.camera.withBody { body in
                        if let handle = body.cards[0].files.first(where: { $0.info.name == entries[0].origin.name })?
                            .handle
                        {
                            body.cards[0].remove(handle)
                        }
                    }
                    let gone = try? await scene.bytes(of: entries[0])
                    try expect(gone == nil, "a ghost was fetched")
                    try expect(
                        try await scene.bytes(of: entries[1]).count == Int(entries[1].origin.size),
                        "the next one is not whole")
                }
            },
        ]
    }
}
