import Foundation
import TestThreads
import Testing

/// Staged files: those that no delivery waits for, and those that only their own state may remove.
@Suite(.ownThreads, .serialized) struct StagedOrphansTests {
    private let table: Table
    init() throws {
        table = try Table()
        try table.frames("CARD", count: 2, from: 1)
    }

    private func findings(_ run: Program.Outcome) -> [[String: Any]] {
        run.items("finding").filter { $0["subject"] as? String == "staging" }
    }

    @Test func theyAreNamedWithTheirSizeAndGoOnlyWhereAFolderHasThem() throws {
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [card: { paths: ["\(table.card)"] }]
            stages: [dedupe: {}, upload: { to: [near] }]
            targets: { near: { folder: { path: "\(table.path("NEAR"))" } } }
            """)
        #expect(try table.run(["import", table.card, "--pipeline", pipeline]).status == 0)
        #expect(findings(try table.run(["doctor", "--pipeline", pipeline])).isEmpty)
        let lost = Data([0xFF, 0xD8] + [UInt8](repeating: 3, count: 3000) + [0xFF, 0xD9])
        let first = try table.write("NEAR/.filmgate/staging/0123456789abcdef-1", lost)
        let delivered = try #require(table.files(table.card).values.first)
        try table.write("state/staging/0123456789abcdef-2", delivered)
        try table.write("state/staging/0123456789abcdef-3.part", delivered)
        let doctor = try table.run(["doctor", "--pipeline", pipeline]), found = findings(doctor)
        #expect(found.count == 2 && found.map { $0["good"] as? Bool } == [true, false], "\(doctor.output)")
        let text = found.last?["message"] as? String ?? ""
        #expect(text.contains("0123456789abcdef-1 (3.0 kB)") && text.contains("NEAR/.filmgate/staging"), "\(text)")
        let again = try table.run(["import", table.card, "--pipeline", pipeline])
        #expect(again.status == 0 && again.errors.contains("1 whole file (3.0 kB) in "), "\(again.errors)")
        #expect(FileManager.default.contents(atPath: first) == lost)
        #expect(again.errors.contains("folders have all of that: removed"), "\(again.errors)")
        #expect(table.staged == [])
        // Nobody takes frames with that, and the message would be the last word of each such job.
        #expect(try !table.run(["retry"]).errors.contains("nothing that waits"))
    }

    /// What else waits for the same bytes says nothing of whether a folder has them.
    @Test func aFrameThatAFolderHasIsNotCalledUndelivered() throws {
        let pipeline = try table.picksPipeline()
        try table.takeForPicks(pipeline, "smith")
        try table.write("state/staging/0123456789abcdef-2", try #require(table.files(table.card).values.first))
        let found = findings(try table.run(["doctor", "--pipeline", pipeline]))
        #expect(found.count == 1 && found.first?["good"] as? Bool == true, "\(found)")
        let message = found.first?["message"] as? String
        #expect(message?.contains("folders have all of that") == true, "\(found)")
        try table.takeForPicks(pipeline, "jones")
        #expect(table.staged == [])
    }

    /// What waits for its target is somebody's, whatever folder it lies in.
    @Test func whatWaitsIsNoStray() throws {
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [card: { paths: ["\(table.card)"] }]
            stages: [dedupe: {}, upload: { to: [far] }]
            retry: { first: 10ms, most: 50ms }
            targets: { far: { http: { url: "http://127.0.0.1:1/in" } } }
            """)
        #expect(try table.run(["import", table.card, "--pipeline", pipeline, "--wait", "1s"]).status == 8)
        #expect(!table.files(table.state + "/staging").isEmpty)
        let doctor = try table.run(["doctor", "--pipeline", pipeline])
        #expect(findings(doctor).isEmpty, "\(findings(doctor))")
    }

    /// A run that holds its frames is killed and its folder tidied up: only the staged files are left.
    private func killedWhileHolding(_ shared: String) throws -> String {
        let hot = table.path("hot")
        try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: hot, withIntermediateDirectories: true)
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            event: { hold: true }
            sources: [folder: { path: "\(hot)", settle: 50ms, companions: 50ms }]
            stages: [dedupe: {}, upload: { to: [near] }]
            retry: { first: 10ms, most: 50ms }
            targets: { near: { folder: { path: "\(shared)/{event}" } } }
            """)
        let killed = try Background(["run", pipeline, "--state", table.state, "--json"])
        #expect(killed.line(#"{"type":"status""#) != nil)
        try table.frames("hot", count: 2, from: 10)
        let isHeld = try Background.within(seconds: 30) {
            let status = try table.run(["status"]).items("status").first
            return (status?["targets"] as? [[String: Any]])?.first?["held"] as? Int == 2
        }
        #expect(isHeld)
        killed.kill(SIGKILL)
        try FileManager.default.removeItem(atPath: hot)
        return pipeline
    }

    private func inMemory() -> String { "/dev/shm/filmgate-\(UUID().uuidString)" }

    /// What a killed run had staged for its state is nobody else's to remove: neither a run's of another state that
    /// delivers to the same folder, nor that of the target itself.
    @Test(arguments: ["state", "other-state"]) func whatAStateWaitsForStaysWhoeverComesNext(_ next: String) throws {
        let shared = inMemory(), pipeline = try killedWhileHolding(shared), state = table.path(next)
        defer { try? FileManager.default.removeItem(atPath: shared) }
        let words = ["import", table.card, "--pipeline", pipeline, "--event", "other", "--state", state, "--json"]
        let other = try Program.run(words)
        #expect(other.status == 0, "\(other.output)\(other.errors)")
        let doctor = try Program.run(["doctor", "--pipeline", pipeline, "--state", state, "--json"])
        let isTold = doctor.output.contains("2 files (") && doctor.output.contains("another state directory's")
        #expect(isTold == (next != "state"), "\(doctor.output)")
        let assigned = try table.run(["assign", "e"])
        #expect(assigned.status == 0, "\(assigned.output)\(assigned.errors)")
        #expect(table.files(shared + "/e").count == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: shared).sorted() == ["e", "other"])
    }

    /// A run that is killed as it ends has given its files their whole names already, and told the ledger of none.
    @Test func whatGotItsWholeNameUnseenIsFound() throws {
        let shared = inMemory(), pipeline = try killedWhileHolding(shared), staging = shared + "/.filmgate/staging"
        defer { try? FileManager.default.removeItem(atPath: shared) }
        for name in try FileManager.default.contentsOfDirectory(atPath: staging) where name.hasSuffix(".part") {
            let path = staging + "/" + name
            try FileManager.default.moveItem(atPath: path, toPath: String(path.dropLast(5)))
        }
        #expect(findings(try table.run(["doctor", "--pipeline", pipeline])).isEmpty)
        #expect(try table.run(["assign", "e"]).status == 0)
        #expect(table.files(shared + "/e").count == 2)
    }

    /// What stands in the way at the target is told, not a disk that is gone.
    @Test func whatFailsAtTheTargetIsNoLostDisk() throws {
        let shared = inMemory(), _ = try killedWhileHolding(shared)
        defer { try? FileManager.default.removeItem(atPath: shared) }
        try Data("in the way".utf8).write(to: URL(fileURLWithPath: shared + "/e"))
        let assigned = try table.run(["assign", "e", "--wait", "1s"])
        #expect(assigned.status != 0)
        #expect(!assigned.output.contains("the disk that it is on"), "\(assigned.output)")
        #expect(assigned.output.contains(shared + "/e"), "\(assigned.output)")
    }

    /// A card whose gallery was away: both frames wait in the state directory.
    private func importedWhileAway() throws -> (gallery: String, pipeline: String, words: [String]) {
        let gallery = try Gallery(table)
        let pipeline = try table.hotFolderPipeline(to: gallery.address, most: "100ms")
        gallery.stop()
        let words = ["import", table.card, "--pipeline", pipeline, "--wait", "500ms"]
        #expect(try table.run(words, environment: Gallery.environment).status == 8)
        return (gallery.address, pipeline, words)
    }

    /// While the card may still have them: when the target is back it is too late.
    @Test func bytesThatAreGoneAreNamedBeforeTheTargetIsBack() throws {
        let (_, pipeline, words) = try importedWhileAway()
        #expect(findings(try table.run(["doctor", "--pipeline", pipeline])).isEmpty)
        let staging = table.state + "/staging", one = try #require(table.files(staging).keys.min())
        try FileManager.default.removeItem(atPath: staging + "/" + one)
        let found = findings(try table.run(["doctor", "--pipeline", pipeline]))
        let text = found.first?["message"] as? String ?? ""
        #expect(found.count == 1 && found.first?["good"] as? Bool == false, "\(found)")
        #expect(text.contains("1 file that waits for gallery cannot be found"), "\(text)")
        #expect(text.contains("IMG_000"), "\(text)")
        // Importing brings them back.
        #expect(try table.run(words, environment: Gallery.environment).status == 8)
        #expect(findings(try table.run(["doctor", "--pipeline", pipeline])).isEmpty)
    }

    /// A state directory that was moved takes along what waits in it.
    @Test func aStateThatWasMovedFindsWhatWaitsInIt() throws {
        let (gallery, _, _) = try importedWhileAway()
        try FileManager.default.removeItem(atPath: table.card)
        let moved = table.path("moved")
        try FileManager.default.moveItem(atPath: table.state, toPath: moved)
        let next = try Gallery(table, at: gallery)
        let retry = try Program.run(["retry", "--state", moved, "--json"], environment: Gallery.environment)
        #expect(retry.status == 0, "\(retry.output)\(retry.errors)")
        #expect(try next.assets().count == 2)
    }
}
