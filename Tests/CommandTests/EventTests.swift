import Foundation
import TestThreads
import Testing

/// `event:` of the pipeline: required, chosen beforehand, or held until somebody says which.
@Suite(.ownThreads) struct EventTests {
    private func pipeline(_ table: Table, _ rule: String) throws -> String {
        try table.write(
            "pipeline.yaml",
            """
            version: 1
            event: \(rule)
            stages:
              - exif: {}
              - dedupe: {}
              - upload: { to: [archive] }
            targets:
              archive: { folder: { path: "\(table.archive)/{event}/{name}", verify: size } }
            """)
    }

    @Test func withoutItsEventAPipelineThatNeedsOneEndsWithTwo() throws {
        let table = try Table()
        try table.sampleCard()
        let file = try pipeline(table, "{ required: true }")
        let refused = try table.run(["import", table.card, "--pipeline", file])
        #expect(refused.status == 2)
        #expect(refused.errors.contains("filmgate events use"))
        #expect(try table.run(["events", "use", "smith"]).status == 0)
        #expect(try table.run(["import", table.card, "--pipeline", file]).status == 0)
        #expect(table.files(table.archive).keys.allSatisfy { $0.hasPrefix("smith/") })
        #expect(try table.run(["events", "use", "--none"]).status == 0)
        #expect(try table.run(["import", table.card, "--pipeline", file]).status == 2)
    }

    /// As a paste brings them; and the list of runs says whose each one was.
    @Test func spacesAroundAnEventAreNoPartOfIt() throws {
        let table = try Table()
        try table.sampleCard()
        let file = try pipeline(table, "{ required: true }")
        let importing = ["import", table.card, "--pipeline", file, "--event"]
        #expect(try table.run(importing + [" smith\u{A0}"]).status == 0)
        #expect(table.files(table.archive).keys.allSatisfy { $0.hasPrefix("smith/") })
        #expect(try table.run(importing + ["smith"]).count("delivered") == 0)
        #expect(try table.run(importing + ["  "]).status == 2)
        let told = try Program.run(["history", "--state", table.state]).output
        #expect(told.components(separatedBy: " import for smith: ").count == 3, "\(told)")
    }

    @Test func heldFilesWaitForTheirEventAndThenGoThereOnce() throws {
        let table = try Table()
        try table.sampleCard()
        let file = try pipeline(table, "{ required: true, hold: true }")
        let plan = try table.run(["plan", table.card, "--pipeline", file])
        let held = try table.run(["import", table.card, "--pipeline", file])
        #expect(held.status == 8 && plan.status == 8)
        func rows(_ items: [[String: Any]]) -> [String] {
            items.map { item in
                let receipt = (item["receipts"] as? [String: [String: Any]])?["archive"]
                let state = "\(receipt?["state"] ?? "") \(receipt?["path"] ?? "")"
                return "\(item["path"] ?? "") \(item["would"] ?? item["ending"] ?? "") \(item["reason"] ?? "") \(state)"
            }.sorted()
        }
        #expect(rows(plan.items("plan")) == rows(held.items()))
        #expect(held.count("delivered") == 0)
        #expect(held.count("pending") > 0)
        #expect(table.files(table.archive).keys.allSatisfy { $0.hasPrefix(".filmgate/") })
        // Neither a retry nor a second look at the card sends them anywhere.
        #expect(try table.run(["retry"]).count("delivered") == 0)
        #expect(try table.run(["import", table.card, "--pipeline", file]).count("delivered") == 0)
        let given = try table.run(["assign", "smith & jones"])
        #expect(given.status == 0)
        #expect(given.count("delivered") > 0)
        let archive = table.files(table.archive)
        #expect(archive.keys.allSatisfy { $0.hasPrefix("smith & jones/") })
        #expect(archive.count == given.count("delivered"))
        #expect(Set(archive.values).count == archive.count)
        let again = try table.run(["import", table.card, "--pipeline", file, "--event", "smith & jones"])
        #expect(again.status == 0)
        #expect(again.count("delivered") == 0)
    }

    @Test func anImportThatNamesTheEventTakesWhatWasHeld() throws {
        let table = try Table()
        try table.sampleCard()
        let file = try pipeline(table, "{ hold: true }")
        let held = try table.run(["import", table.card, "--pipeline", file])
        let named = try table.run(["import", table.card, "--pipeline", file, "--event", "smith"])
        #expect(named.status == 0)
        #expect(named.count("delivered") == held.count("pending") - named.count("duplicate"))
        #expect(table.files(table.archive).keys.allSatisfy { $0.hasPrefix("smith/") })
        #expect(try table.run(["assign", "other"]).count("delivered") == 0)
    }

    @Test func aCardFiledUnderTheWrongEventIsImportedAgainWithTheRightOne() throws {
        let table = try Table()
        try table.sampleCard()
        let file = try pipeline(table, "{ required: true }")
        let words = ["import", table.card, "--pipeline", file, "--event"]
        let wrong = try table.run(words + ["smiht"]), right = try table.run(words + ["smith"])
        #expect(wrong.count("delivered") > 0 && right.count("delivered") == wrong.count("delivered"))
        let events = Dictionary(grouping: table.files(table.archive).keys) {
            $0.split(separator: "/").first.map(String.init) ?? ""
        }
        #expect(events.mapValues(\.count) == ["smiht": wrong.count("delivered"), "smith": right.count("delivered")])
        #expect(try ["smiht", "smith"].map { try table.run(words + [$0]).count("delivered") } == [0, 0])
    }

    /// Without `{event}` it is one folder for all events.
    @Test func aFolderThatDoesNotNameTheEventGetsNothingTwice() throws {
        let table = try Table()
        try table.sampleCard()
        let words = ["import", table.card, "--to", table.archive, "--event"]
        #expect(try table.run(words + ["smith"]).count("delivered") > 0)
        #expect(try table.run(words + ["jones"]).count("delivered") == 0)
    }

    /// A card that was not formatted comes back with new frames on it, and nobody has said their event yet.
    @Test func whatWentToItsEventIsNotHeldAgain() throws {
        let table = try Table()
        try table.sampleCard()
        let gallery = try Gallery(table), token = ["FILMGATE_GALLERY_TOKEN": Gallery.token]
        let text = try String(contentsOfFile: try table.pipeline(gallery), encoding: .utf8)
        let file = try table.write("held.yaml", text + "\nevent: { hold: true }\n")
        let words = ["import", table.card, "--pipeline", file]
        #expect(try table.run(words, environment: token).status == 8)
        let given = try table.run(["assign", "smith", "--pipeline", file], environment: token)
        #expect(given.status == 0 && given.count("delivered") > 0)
        try table.write("CARD/DCIM/100CANON/IMG_0900.JPG", Data([0xFF, 0xD8, 9, 0xFF, 0xD9]))
        let again = try table.run(words, environment: token)
        #expect(again.status == 8 && again.count("pending") == 1, "\(again.summary)")
        #expect(try gallery.assets().count == given.count("delivered"))
    }

    @Test func aRetrySendsToTheEventThatTheFilesWereTakenFor() throws {
        let table = try Table()
        try table.sampleCard()
        let gallery = try Gallery(table)
        let pipeline = try table.pipeline(gallery)
        let refused = try table.deliver(pipeline, wait: "1s", token: "wrong", ["--event", "smith"])
        #expect(refused.status == 4)
        let retried = try table.run(["retry"], environment: ["FILMGATE_GALLERY_TOKEN": Gallery.token])
        #expect(retried.status == 0)
        #expect(retried.count("delivered") > 0)
        #expect(try gallery.assets().count == retried.count("delivered"))
        #expect(try table.deliver(pipeline, ["--event", "smith"]).count("delivered") == 0)
    }

    /// The first word on whose frames these are is the last, also where the gallery does not answer when it is said.
    @Test func whatWasAssignedWhileTheGalleryWasDownGoesToNoOtherEvent() throws {
        let table = try Table()
        try table.sampleCard()
        let gallery = try Gallery(table), address = gallery.address, token = ["FILMGATE_GALLERY_TOKEN": Gallery.token]
        let text = try String(contentsOfFile: try table.pipeline(gallery), encoding: .utf8)
        let file = try table.write("held.yaml", text + "\nevent: { hold: true }\n")
        gallery.stop()
        let card = ["import", table.card, "--pipeline", file, "--wait", "1s"]
        #expect(try table.run(card, environment: token).status == 8)
        let first = try table.run(["assign", "anna", "--pipeline", file, "--wait", "1s"], environment: token)
        #expect(first.status == 8)
        // Neither a second word nor a second look at the card makes them another event's.
        #expect(try table.run(card, environment: token).status == 8)
        let second = try table.run(["assign", "bella", "--pipeline", file, "--wait", "1s"], environment: token)
        #expect(second.status == 0 && second.items().isEmpty, "\(second.output)")
        #expect(try !table.run(["status"]).output.contains("no event"))
        let back = try Gallery(table, at: address)
        let sent = try table.run(["retry"], environment: token)
        #expect(sent.status == 0, "\(sent.output)")
        #expect(try back.assets().count == sent.count("delivered"))
        // The folder lies beside the card here: that is all that is missing.
        let said = try table.run(["safe-to-format", table.card, "--pipeline", file], environment: token)
        let doubts = said.items().filter { $0["proof"] as? String == "not_proven" }.compactMap {
            $0["reason"] as? String
        }
        #expect(!doubts.isEmpty && doubts.allSatisfy { $0.contains("is on the card's own device") }, "\(doubts)")
    }
}
