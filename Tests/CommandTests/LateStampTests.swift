import Foundation
import TestThreads
import Testing

/// Frames that come to a watched folder after the rest of their shot, where sidecars are made.
@Suite(.ownThreads) struct LateStampTests {
    private func pipeline(_ table: Table, keyword: String = "wedding") throws -> String {
        try table.write(
            "late.yaml",
            """
            version: 1
            sources:
              - folder: { path: "\(table.path("hot"))", settle: 50ms, companions: 50ms }
            stages:
              - exif: {}
              - dedupe: {}
              - stamp: { creator: Ann, caption: "{name}", keywords: [\(keyword)], sidecars: [archive] }
              - upload: { to: [archive, plain] }
            targets:
              archive: { folder: { path: "\(table.archive)" } }
              plain: { folder: { path: "\(table.path("plain"))" } }
            """)
    }

    private func copy(_ table: Table, _ name: String, as other: String) throws {
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: "\(table.card)/DCIM/100CANON/\(name)", toPath: "\(table.path("hot"))/\(other)")
    }

    private func names(_ table: Table, _ folder: String) -> [String] {
        table.files(table.path(folder)).keys.filter { !$0.contains(".filmgate") }.sorted()
    }

    private func started(_ table: Table) throws -> Background {
        let run = try Background(["run", try pipeline(table), "--state", table.state, "--json"])
        #expect(run.line(#"{"type":"status""#) != nil)
        return run
    }

    private func has(_ table: Table, _ archive: [String], _ plain: [String]) -> Bool {
        let came = Background.within(seconds: 30) {
            names(table, "plain") == plain && names(table, "archive").count >= archive.count
        }
        return came && names(table, "archive") == archive
    }

    @Test(arguments: [["JPG", "CR2"], ["CR2", "JPG"]]) func aLateFrameJoinsItsShot(_ order: [String]) throws {
        let table = try Table()
        try table.sampleCard()
        try copy(table, "IMG_0001.\(order[0])", as: "LATE.\(order[0])")
        let run = try started(table)
        #expect(has(table, ["LATE.\(order[0])", "LATE.xmp"], ["LATE.\(order[0])"]), "\(names(table, "archive"))")
        // What somebody says of the picture in the meantime is theirs.
        try "rated".write(toFile: "\(table.archive)/LATE.xmp", atomically: true, encoding: .utf8)
        try copy(table, "IMG_0001.\(order[1])", as: "LATE.\(order[1])")
        #expect(
            has(table, ["LATE.CR2", "LATE.JPG", "LATE.xmp"], ["LATE.CR2", "LATE.JPG"]), "\(names(table, "archive"))")
        let outcome = run.kill(SIGINT)
        #expect(outcome.count("delivered") == 2 && outcome.items("made").count == 1, "\(outcome.output)")
        #expect(table.files(table.archive)["LATE.xmp"] == Data("rated".utf8))
        #expect(table.files(table.state + "/staging").keys.filter { !$0.hasSuffix(".lock") } == [])
    }

    @Test(arguments: ["wedding", "other"]) func alsoInALaterRun(_ keyword: String) throws {
        let table = try Table()
        try table.sampleCard()
        try copy(table, "IMG_0001.JPG", as: "LATE.JPG")
        #expect(try table.run(["run", "--once", try pipeline(table)]).count("delivered") == 1)
        let sidecar = table.files(table.archive)["LATE.xmp"]
        try copy(table, "IMG_0001.CR2", as: "LATE.CR2")
        let outcome = try table.run(["run", "--once", try pipeline(table, keyword: keyword)])
        #expect(outcome.count("delivered") == 1 && outcome.items("made").isEmpty, "\(outcome.output)")
        #expect(names(table, "archive") == ["LATE.CR2", "LATE.JPG", "LATE.xmp"])
        #expect(table.files(table.archive)["LATE.xmp"] == sidecar)
        #expect(try table.run(["verify"]).status == 0)
    }

    /// The counter began anew: same name, another moment.
    @Test func anotherShotOfTheNameHasItsOwn() throws {
        let table = try Table()
        try table.sampleCard()
        try copy(table, "IMG_0003.JPG", as: "LATE.JPG")
        #expect(try table.run(["run", "--once", try pipeline(table)]).count("delivered") == 1)
        try copy(table, "IMG_0001.CR2", as: "LATE.CR2")
        let outcome = try table.run(["run", "--once", try pipeline(table)])
        #expect(outcome.count("delivered") == 1 && outcome.items("made").count == 1, "\(outcome.output)")
        #expect(names(table, "archive") == ["LATE-2.CR2", "LATE-2.xmp", "LATE.JPG", "LATE.xmp"])
    }
}
