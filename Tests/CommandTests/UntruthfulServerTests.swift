import FilmgateTesting
import Foundation
import Synchronization
import TestThreads
import Testing

/// Servers that answer, but not what they are asked.
@Suite(.ownThreads, .serialized) struct UntruthfulServerTests {
    private let table: Table

    init() throws {
        table = try Table()
        try table.frames("CARD", count: 3, from: 1)
    }

    private func pipeline(_ target: String) throws -> String {
        try table.write(
            "untrue.yaml",
            """
            version: 1
            sources: [card: { paths: ["\(table.card)"] }]
            stages: [exif: {}, dedupe: {}, upload: { to: [near, far] }]
            retry: { first: 10ms, most: 100ms }
            targets:
              near: { folder: { path: "\(table.path("NEAR"))" } }
              far: { http: { \(target) } }
            """)
    }

    @Test func aSignInPageIsNoGalleryThatHasEverything() throws {
        let server = try FaultServer { seen, _ in
            seen.target == "/login" ? .answer(200) : .answer(302, headers: [("Location", "/login")])
        }
        defer { server.stop() }
        let file = try pipeline("url: \"\(server.url)/assets\", find: { url: \"\(server.url)/by-digest/{sha256}\" }")
        let run = try table.run(["import", table.card, "--pipeline", file])
        #expect(run.status == 8 && run.count("pending") == 3, "\(run.output)")
        #expect(try table.run(["safe-to-format", table.card, "--pipeline", file]).status == 8)
    }

    /// The venue's network, or a deploy with a page for every address, comes in between after the first file was found
    /// at the honest gallery.
    @Test func aSignInPageThatComesLaterHasNothingEither() throws {
        let turn = Mutex<(first: String?, isReplaced: Bool)>((nil, false))
        let server = try FaultServer { seen, _ in
            turn.withLock { turn in
                if turn.isReplaced { return .answer(200, headers: [("Content-Type", "text/html")], body: "<html>") }
                turn.first = turn.first ?? seen.target
                if turn.first == seen.target { return .answer(200) }
                // It was asked for bytes that nobody has, and said no: that was its last honest word.
                turn.isReplaced = true
                return .answer(404)
            }
        }
        defer { server.stop() }
        let file = try pipeline(
            "url: \"\(server.url)/assets\", workers: 1, find: { url: \"\(server.url)/by-digest/{sha256}\" }")
        let run = try table.run(["import", table.card, "--pipeline", file])
        #expect(run.status == 8 && run.count("pending") == 2 && run.count("delivered") == 1, "\(run.output)")
        #expect(!server.seen.contains { $0.method == "POST" })
        #expect(try table.run(["safe-to-format", table.card, "--pipeline", file]).status == 8)
    }

    @Test func aServerWhoseEveryNameIsTakenKeepsNothingFromTheFolders() throws {
        let server = try FaultServer { _, _ in
            .answer(200, headers: [("X-Sha256", String(repeating: "1", count: 64))])
        }
        defer { server.stop() }
        let file = try pipeline("url: \"\(server.url)/x/{name}\", digest: { header: X-Sha256 }")
        let run = try table.run(["import", table.card, "--pipeline", file])
        #expect(run.status == 8 && run.count("pending") == 3, "\(run.output)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: table.path("NEAR")).filter { $0.hasSuffix(".JPG") }
                .count == 3)
        #expect(server.seen.count < 100)
    }
}
