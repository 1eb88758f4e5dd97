import Foundation
import TestThreads
import Testing

/// What becomes of frames when the gallery misbehaves: the right disposition, nothing lost, no second asset.
@Suite(.ownThreads, .serialized) struct GalleryFaultTests {
    /// Faults that pass: every file arrives once in the end.
    @Test(arguments: [
        "", "busy:3", "busy-date:2", "error:3", "reset-before:2", "reset-middle:2", "reset-after:3", "cut:2", "stall:1",
    ])
    func aPassingFaultDelaysAndNothingMore(_ fault: String) throws {
        let table = try Table()
        try table.sampleCard()
        let gallery = try Gallery(table, fault: fault.isEmpty ? nil : fault)
        let run = try table.deliver(try table.pipeline(gallery))
        #expect(run.status == 0, "\(run.errors)")
        try expectEachOnce(table, gallery)
        #expect(run.count("pending") == 0)
    }

    /// It takes all bytes of each file and then fails: bytes that move in vain are no progress.
    @Test(arguments: ["error:100000", "busy:100000", "reset-middle:100000"]) func aFaultThatDoesNotPassEndsTheWait(
        _ fault: String
    ) throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        let gallery = try Gallery(table, fault: fault)
        let text = try String(contentsOfFile: try table.pipeline(gallery), encoding: .utf8)
        let pipeline = try table.write("quick.yaml", text + "\nretry: { first: 50ms, most: 200ms }\n")
        let began = ContinuousClock.now
        let run = try table.deliver(pipeline, wait: "2s")
        #expect(run.status == 8 && run.count("pending") == 3, "\(run.errors)")
        #expect(ContinuousClock.now - began < .seconds(60))
    }

    @Test func aRefusedTokenHoldsTheGalleryAndTheArchiveGoesOn() throws {
        let table = try Table()
        try table.sampleCard()
        let gallery = try Gallery(table), pipeline = try table.pipeline(gallery)
        let refused = try table.deliver(pipeline, token: "wrong")
        #expect(refused.status == 4)
        #expect(refused.count("pending") > 0)
        #expect(refused.count("delivered") == 0)
        #expect(table.files(table.archive).count == 16)
        #expect(try gallery.assets().isEmpty)
        #expect(try table.run(["safe-to-format", table.card, "--allow", "same-device"]).status == 8)
        let retried = try table.run(["retry"], environment: ["FILMGATE_GALLERY_TOKEN": Gallery.token])
        #expect(retried.status == 0, "\(retried.errors)")
        try expectEachOnce(table, gallery)
        #expect(try table.run(["safe-to-format", table.card, "--allow", "same-device"]).status == 0)
    }

    @Test(arguments: [("forbidden", 4), ("too-large", 3)]) func aRefusalIsTold(_ fault: String, _ status: Int32) throws
    {
        let table = try Table()
        try table.sampleCard()
        let gallery = try Gallery(table, fault: fault)
        let run = try table.deliver(try table.pipeline(gallery))
        #expect(run.status == status)
        #expect(run.count(status == 3 ? "setAside" : "pending") > 0)
        #expect(table.files(table.archive).count == 16)
        gallery.stop()
        let healthy = try Gallery(table)
        let again = try table.deliver(try table.pipeline(healthy))
        #expect(again.status == 0, "\(again.errors)")
        try expectEachOnce(table, healthy)
    }

    @Test func aServerThatCannotProveItselfGetsNothing() throws {
        let table = try Table()
        try table.sampleCard()
        let gallery = try Gallery(table), server = try UntrustedServer(table)
        // A certificate that nobody signed, and a server that does not speak TLS at all.
        for address in [
            "https://127.0.0.1:\(server.port)", gallery.address.replacingOccurrences(of: "http:", with: "https:"),
        ] {
            let run = try table.deliver(try table.pipeline(gallery, address: address), wait: "2s")
            #expect([4, 8].contains(run.status), "\(run.errors)")
            #expect(run.count("pending") == 17 && run.count("setAside") == 0)
            let said = run.output + run.errors
            #expect(said.contains("TLS") || said.contains("certificate"), "\(said)")
        }
        #expect(table.files(table.archive).count == 16)
        #expect(try gallery.assets().isEmpty)
        let second = try table.deliver(try table.pipeline(gallery))
        #expect(second.status == 0)
        try expectEachOnce(table, gallery)
    }

    @Test func aGalleryThatIsDownLeavesPendingFramesForAPlainSecondRun() throws {
        let table = try Table()
        try table.sampleCard()
        let gallery = try Gallery(table), pipeline = try table.pipeline(gallery)
        gallery.stop()
        let down = try table.deliver(pipeline, wait: "1s")
        #expect(down.status == 8)
        #expect(down.count("pending") > 0)
        #expect(down.items().last?["ending"] as? String == "pending")
        #expect(table.files(table.archive).count == 16)
        let up = try Gallery(table)
        let second = try table.deliver(try table.pipeline(up))
        #expect(second.status == 0, "\(second.errors)")
        try expectEachOnce(table, up)
    }

    @Test func withoutAFolderThePendingBytesWaitInTheSpool() throws {
        let table = try Table()
        try table.sampleCard()
        let gallery = try Gallery(table)
        let pipeline = try table.pipeline(gallery)
        let text = try String(contentsOfFile: pipeline, encoding: .utf8)
            .replacingOccurrences(of: "to: [archive, gallery]", with: "to: [gallery]")
            .split(separator: "\n").filter { !$0.contains("archive:") }.joined(separator: "\n")
        try table.write("p.yaml", text)
        gallery.stop()
        #expect(try table.deliver(pipeline, wait: "1s").status == 8)
        try FileManager.default.removeItem(atPath: table.card)
        let up = try Gallery(table)
        let healed = text.replacingOccurrences(of: gallery.address, with: up.address)
        let retried = try table.run(
            ["retry", "--pipeline", try table.write("q.yaml", healed)],
            environment: ["FILMGATE_GALLERY_TOKEN": Gallery.token])
        // Another port is another gallery: what waited for the first still waits.
        #expect(retried.status == 8)
        #expect(retried.count("seen") == retried.count("pending"))
        #expect(table.files(table.state + "/staging").filter { !$0.key.hasSuffix(".lock") }.count == 16)
    }

    @Test func noSecretIsEverWritten() throws {
        let table = try Table()
        try table.sampleCard()
        let gallery = try Gallery(table, fault: "error:2, unauthorized/9"), pipeline = try table.pipeline(gallery)
        var said = ""
        for arguments in [
            ["import", table.card, "--pipeline", pipeline, "--wait", "2s", "-vv"], ["status"], ["history"],
            ["check", pipeline], ["plan", table.card, "--pipeline", pipeline],
        ] {
            let run = try table.run(arguments, environment: ["FILMGATE_GALLERY_TOKEN": Gallery.token])
            said += run.output + run.errors
        }
        #expect(!said.contains(Gallery.token))
        for (name, data) in table.files(table.state) {
            #expect(data.range(of: Data(Gallery.token.utf8)) == nil, "\(name)")
        }
    }

    /// One asset per different content, with the card's own bytes.
    private func expectEachOnce(_ table: Table, _ gallery: Gallery) throws {
        let digests = try gallery.assets().compactMap { $0["sha256"] as? String }
        #expect(digests.count == 16)
        #expect(Set(digests).count == digests.count)
        #expect(table.files(table.archive).count == 16)
    }
}
