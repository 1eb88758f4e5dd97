import FilmgateTesting
import Foundation
import Synchronization
import TestThreads
import Testing

/// A service that is paid by credits: what is left is told, what was put off goes on, and nothing is tried while it is
/// not well.
@Suite(.ownThreads) struct PaidServiceTests {
    let table: Table, gallery: PaidGallery, server: FaultServer, file: String
    let secret = ["FILMGATE_GALLERY_TOKEN": Gallery.token]

    init() throws {
        table = try Table()
        (gallery, server) = try PaidGallery.start()
        try table.frames("CARD", count: 3, from: 1)
        file = try table.write(
            "p.yaml",
            """
            version: 1
            retry: { first: 10ms, most: 100ms }
            stages: [ dedupe: {}, upload: { to: [wall] } ]
            targets:
              wall: { framefast: { url: "\(server.url)", event: "e", auth: studio, poll: 20ms, workers: 1 } }
            auth:
              studio: { bearer: { token: "${env:FILMGATE_GALLERY_TOKEN}" } }
            """)
    }

    func deliver(_ wait: String = "20s") throws -> Program.Outcome {
        try table.run(["import", table.card, "--pipeline", file, "--wait", wait], environment: secret)
    }

    func sent() -> Int { gallery.asked.count { $0.hasPrefix("PUT ") } }

    @Test func whatIsLeftIsTold() throws {
        defer { server.stop() }
        gallery.set { $0.credits = 60 }
        #expect(try deliver().count("delivered") == 3)
        // The run asked a last time: `status` asks nobody.
        let asked = gallery.asked.count
        let status = try #require(try table.run(["status"]).items("status").first?["credits"] as? [[String: Any]])
        #expect(
            status.count == 1 && status.first?["balance"] as? Int == 57 && status.first?["name"] as? String == "wall")
        #expect(status.first?["sign_ins"] as? [String] == ["studio"])
        #expect(
            try Program.run(["status", "--state", table.state]).output.contains("wall: 57 credits left, heard at "))
        #expect(gallery.asked.count == asked)
        gallery.set { $0.credits = 1 }
        let line = try table.run(["whoami", file], environment: secret)
        #expect((line.items("account").first?["credits"] as? [String: Any])?["balance"] as? Int == 1)
        let text = try Program.run(["whoami", file, "--state", table.state], environment: secret)
        #expect(text.status == 0 && text.output.contains(", 1 credit left"))
        // Nobody answers: what was heard last, and when.
        server.stop()
        let away = try Program.run(["whoami", file, "--state", table.state], environment: secret)
        #expect(away.status == 0 && away.output.contains("1 credit left (heard at "), "\(away.output)")
        #expect(try table.run(["logout", file]).status == 0)
        #expect((try table.run(["status"]).items("status").first?["credits"] as? [Any])?.isEmpty == true)
    }

    @Test func aServiceThatIsNotWellHoldsTheQueue() throws {
        defer { server.stop() }
        gallery.set { $0.isWell = false }
        let ill = try deliver("1s")
        #expect(ill.status == 8 && ill.count("pending") == 3, "\(ill.output)")
        #expect(
            ill.items().contains { ($0["reason"] as? String)?.contains("not well") == true }
                || ill.output.contains("not well"))
        // Not one was tried.
        #expect(!gallery.asked.contains { $0.contains("/uploads/") } && gallery.asked.contains("GET /health"))
        gallery.set { $0.isWell = true }
        let run = try table.run(["retry", "--wait", "20s"], environment: secret)
        #expect(run.status == 0 && run.count("delivered") == 3, "\(run.output)")
        #expect(sent() == 3)
    }

    /// The service has the bytes: once there are credits it goes on with them, and nothing is sent again.
    @Test(arguments: [true, false]) func whatWasPutOffGoesOn(_ failed: Bool) throws {
        defer { server.stop() }
        gallery.set { ($0.credits, $0.processesFrom) = (1, 3) }
        let broke = try deliver()
        #expect(broke.status != 0 && broke.count("delivered") == 1 && sent() == 3, "\(broke.output)")
        gallery.set { $0.credits = 10 }
        let run = try table.run(["retry", "--wait", "20s"] + (failed ? ["--failed"] : []), environment: secret)
        #expect(run.status == 0 && run.count("delivered") == 2, "\(run.output)")
        #expect(gallery.asked.contains { $0.hasSuffix("/retry-all") } == failed)
        #expect(sent() == 3)
        #expect(gallery.state.withLock { $0.states.values.allSatisfy { $0 == "completed" } && $0.states.count == 3 })
    }

    /// The service has the bytes of a picture that was taken back: nothing that we ask for publishes it.
    @Test func whatWasTakenBackStaysPutOff() throws {
        defer { server.stop() }
        gallery.set { ($0.credits, $0.processesFrom) = (1, 3) }
        let broke = try deliver()
        let left = try #require(broke.items().first { $0["ending"] as? String == "pending" })
        let path = try #require(left["path"] as? String)
        let taken = try table.run(["cancel", "\(table.card)/\(path)", "--yes"])
        #expect(taken.status == 0, "\(taken.output)\(taken.errors)")
        gallery.set { $0.credits = 10 }
        let run = try table.run(["retry", "--wait", "20s", "--failed"], environment: secret)
        #expect(run.status == 0 && run.count("delivered") == 1, "\(run.output)")
        #expect(!gallery.asked.contains { $0.hasSuffix("/retry-all") })
        #expect(gallery.state.withLock { $0.states.values.count { $0 == "completed" } } == 2)
    }
}
