import FilmgateTesting
import Foundation
import Synchronization
import TestThreads
import Testing

/// One entry, and first Ann and then Bo at the desk: what was delivered for Ann is not there for Bo.
@Suite(.ownThreads, .serialized) struct AnotherAccountTests {
    private final class Uploads: Sendable {
        let counts = Mutex<[String: Int]>([:])
        subscript(_ account: String) -> Int { counts.withLock { $0[account] ?? 0 } }
    }
    private let table: Table, uploads = Uploads(), server: FaultServer

    init() throws {
        table = try Table()
        let uploads = uploads
        server = try FaultServer { seen, _ in
            let account = seen[header: "Authorization"]?.split(separator: "-").dropFirst().first.map(String.init)
            guard seen.method == "POST", let account else { return .answer(401) }
            uploads.counts.withLock { $0[account, default: 0] += 1 }
            return .answer(201)
        }
    }

    private func pipeline(_ account: String, in name: String = "p.yaml") throws -> String {
        try table.write(
            name,
            """
            version: 1
            stages: [exif: {}, dedupe: {}, upload: { to: [gallery] }]
            targets: { gallery: { http: { url: "\(server.url)/upload", auth: studio } } }
            auth: { studio: { mock: { account: \(account) } } }
            """)
    }

    private func login(_ file: String, _ more: String...) throws -> Program.Outcome {
        try table.run(["login", "studio", "--pipeline", file] + more)
    }

    private func take(_ file: String) throws -> Program.Outcome {
        try table.run(["import", table.card, "--pipeline", file, "--wait", "5s"])
    }

    @Test func whatWasDeliveredForOneDoesNotCountForTheNext() throws {
        try table.frames("CARD", count: 2, from: 1)
        let file = try pipeline("ann")
        #expect(try login(file).status == 0)
        #expect(try take(file).count("delivered") == 2)
        #expect(uploads["ann"] == 2)
        #expect(try table.run(["logout", "studio"]).status == 0)
        _ = try pipeline("bo")
        let refused = try login(file)
        #expect(refused.status == 2 && refused.output.contains("another account's"), "\(refused.output)")
        #expect(refused.output.contains("filmgate login studio --another-account"))
        #expect(try table.run(["whoami", "studio"]).status == 4)
        // On purpose, but what there is would count for Bo.
        let counted = try login(file, "--another-account")
        #expect(counted.status == 2 && counted.output.contains("2 deliveries"), "\(counted.output)")
        let place = "\(server.url)/upload:studio"
        #expect(counted.output.contains("cancel --target '") && counted.output.contains("upload:studio' --gone"))
        #expect(uploads["bo"] == 0)
        #expect(try table.run(["cancel", "--target", place, "--gone", "--yes"]).status == 0)
        #expect(try login(file, "--another-account").status == 0)
        #expect(try take(file).count("delivered") == 2)
        #expect(uploads["ann"] == 2 && uploads["bo"] == 2)
        server.stop()
    }

    @Test func aRunGoesOnForWhoeverItBeganWith() throws {
        let ann = try pipeline("ann"), bo = try pipeline("bo", in: "bo.yaml"), hot = table.path("hot")
        #expect(try login(ann).status == 0)
        try table.frames("frames", count: 2, from: 0)
        let frames = table.files(table.path("frames")).sorted { $0.key < $1.key }.map(\.value)
        try table.write("hot/1.jpg", frames[0])
        let watch = try Background([
            "watch", hot, "--pipeline", ann, "--settle", "50ms", "--state", table.state, "--json",
        ])
        #expect(Background.within(seconds: 30) { uploads["ann"] == 1 }, "\(watch.said)")
        #expect(try login(bo).status == 2)
        #expect(try login(bo, "--another-account").status == 10)
        try table.write("hot/2.jpg", frames[1])
        #expect(Background.within(seconds: 30) { uploads["ann"] == 2 }, "\(watch.said)")
        #expect(uploads["bo"] == 0)
        watch.kill(SIGINT)
        server.stop()
    }

    @Test func itIsSaidForOneSignInAlone() throws {
        let file = try pipeline("ann")
        #expect(try login(file, "--another-account").status == 0)
        #expect(try login(file, "--another-account", "--check").status == 2)
    }
}
