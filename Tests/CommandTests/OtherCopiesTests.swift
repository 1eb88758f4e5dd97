import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// What safe-to-format says of copies, events and folders that the last import knew nothing of.
@Suite(.ownThreads) struct OtherCopiesTests {
    private func prove(_ table: Table, _ card: String? = nil, _ more: [String] = []) throws -> Program.Outcome {
        try table.run(["safe-to-format", card ?? table.card, "--allow", "same-device"] + more)
    }

    private func pipeline(_ table: Table, _ more: String = "") throws -> String {
        try table.write(
            "p.yaml",
            """
            version: 1
            sources: [{ folder: { path: "\(table.path("HOT"))", settle: 100ms, poll: 100ms, companions: 100ms } }]
            \(more)
            stages: [exif: {}, upload: { to: [archive] }]
            targets: { archive: { folder: { path: "\(table.archive)/{event}" } } }
            """)
    }

    /// One of two folders is gone as a whole: the other's copy is good, and nobody is told to remove it.
    @Test func aFolderThatIsGoneIsRetiredByWhatTheMessageSays() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        let other = table.path("OTHER")
        #expect(try table.importing(["--to", other]).status == 0)
        try FileManager.default.removeItem(atPath: other)
        #expect(try prove(table).status == 8)
        let refused = try table.run(["cancel", "--gone", table.card, "--yes"])
        let advice = try #require(refused.items("error").first?["advice"] as? String)
        #expect(
            refused.status == 2 && advice.contains("`filmgate cancel --target '\(other)' --gone`"), "\(refused.output)")
        #expect(!advice.contains("Remove"))
        #expect(try table.run(["cancel", "--target", other, "--gone", "--yes"]).status == 0)
        let yes = try prove(table)
        #expect(yes.status == 0, "\(yes.output)")
    }

    /// The last import named no event: what the pipeline delivered for one counts.
    @Test func aLaterImportWithoutAnEventTakesNothingBack() throws {
        let table = try Table(), pipeline = try pipeline(table)
        try table.frames("CARD", count: 1, from: 1)
        #expect(try table.run(["import", table.card, "--pipeline", pipeline, "--event", "smith"]).status == 0)
        #expect(try table.importing(to: table.path("backup")).status == 0)
        let yes = try prove(table, nil, ["--pipeline", pipeline])
        #expect(yes.status == 0, "\(yes.output)")
        // Its copy is one that counts.
        try FileManager.default.removeItem(atPath: table.archive + "/smith")
        #expect(try prove(table, nil, ["--pipeline", pipeline]).status == 8)
    }

    @Test func aCopyThatWasChangedIsNamedBesideTheYes() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        #expect(try table.importing().status == 0)
        #expect(try table.importing(to: table.path("backup")).status == 0)
        #expect(try prove(table).count("lost") == 0)
        let copy = table.archive + "/" + (try #require(table.files(table.archive).keys.sorted().first))
        var bytes = try #require(FileManager.default.contents(atPath: copy))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(fileURLWithPath: copy))
        let yes = try prove(table)
        #expect(yes.status == 0 && yes.count("lost") == 1, "\(yes.output)")
    }

    @Test func aPartOfADumpIsCalledOne() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        #expect(try table.importing().status == 0)
        let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: table.card + "/DCIM").first)
        let part = table.card + "/DCIM/" + folder
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: part).first)
        for named in [table.card + "/DCIM", part, part + "/" + file] {
            #expect(try prove(table, named).summary["part_of"] as? String == table.card)
        }
        #expect(try prove(table).summary["part_of"] as? String == nil)
    }

    /// The pipeline that the card was imported with wants two: so does the question without it, until it wants one.
    @Test func theCopiesThatAPipelineWantsAreNotForgotten() throws {
        let table = try Table(), pipeline = try pipeline(table, "copies: 2")
        try table.frames("CARD", count: 1, from: 1)
        #expect(try table.run(["import", table.card, "--pipeline", pipeline]).status == 0)
        let no = try Program.run(["safe-to-format", table.card, "--allow", "same-device", "--state", table.state])
        #expect(no.status == 8 && no.output.contains("2 copies are asked for"), "\(no.output)")
        #expect(no.output.contains("`--copies 1`"))
        #expect(try prove(table, nil, ["--copies", "1"]).status == 0)
        // Another pipeline with the same targets says nothing of this card.
        let text = try String(contentsOfFile: pipeline, encoding: .utf8)
        let other = try table.write("q.yaml", text.replacingOccurrences(of: "copies: 2", with: ""))
        #expect(try table.run(["import", table.card, "--pipeline", other]).status == 0)
        #expect(try prove(table).status == 8)
        // The same one wants fewer now.
        let relaxed = try self.pipeline(table)
        #expect(try table.run(["import", table.card, "--pipeline", relaxed]).status == 0)
        #expect(try prove(table).status == 0)
    }

    /// What waits for its event was not broken off.
    @Test func whatWaitsForItsEventSaysSo() throws {
        let table = try Table(), pipeline = try pipeline(table, "event: { hold: true }")
        try table.frames("HOT", count: 1, from: 1)
        #expect(try table.run(["run", pipeline, "--once"]).status == 8)
        let no = try prove(table, table.path("HOT"))
        #expect(
            no.status == 8 && no.output.contains("filmgate assign") && !no.output.contains("broke off"), "\(no.output)")
    }

    /// A frame of no bytes is a lost picture, whatever the proof says of it.
    @Test func anEmptyPictureIsNamedBesideTheYes() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        try table.write("CARD/DCIM/100TEST/IMG_9999.JPG", Data())
        _ = try table.importing()
        let yes = try prove(table)
        #expect(yes.count("damaged") == 1 && yes.count("exempt") == 1, "\(yes.output)")
    }
}
