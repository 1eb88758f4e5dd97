import Foundation
import TestThreads
import Testing

/// What a target takes is asked of each file's own kind, whatever it belongs to.
@Suite(.ownThreads) struct AcceptTests {
    @Test func sidecarsAndMemosAreNoPicturesForATargetThatTakesOnlyThese() throws {
        let table = try Table()
        try table.sampleCard()
        let gallery = try Gallery(table)
        let file = try table.pipeline(gallery, more: "accept: [jpeg, raw, heif, image, video]")
        let plan = try table.run(["plan", table.card, "--pipeline", file], environment: Gallery.environment)
        let run = try table.deliver(file)
        #expect(run.status == 0, "\(run.errors)")
        let followers = run.items().filter { ["sidecar", "audio"].contains($0["kind"] as? String) }
        #expect(followers.count >= 2)
        for item in followers {
            let receipts = item["receipts"] as? [String: [String: Any]] ?? [:]
            #expect(receipts["archive"]?["state"] as? String == "done")
            #expect(receipts["gallery"]?["state"] as? String == "excluded")
            let kind = item["kind"] as? String ?? ""
            #expect(receipts["gallery"]?["reason"] as? String == "gallery does not take \(kind) files")
        }
        let pictures = run.count("delivered") - followers.count
        #expect(try gallery.assets().count == pictures)
        #expect(states(plan.items("plan")) == states(run.items()))
        // What was left out is no reason to read the card again.
        #expect(try table.deliver(file).count("alreadySeen") == run.count("delivered") + run.count("duplicate"))
    }

    /// Which target gets which file, by the card's paths; a plan's deliveries are yet to be done.
    private func states(_ items: [[String: Any]]) -> [String: [String: Bool]] {
        var all: [String: [String: Bool]] = [:]
        for item in items {
            let receipts = item["receipts"] as? [String: [String: Any]] ?? [:]
            all[item["path"] as? String ?? ""] = receipts.mapValues { $0["state"] as? String == "excluded" }
        }
        return all
    }
}
