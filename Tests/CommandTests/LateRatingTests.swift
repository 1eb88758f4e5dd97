import Foundation
import TestThreads
import Testing

/// Ratings that come in a sidecar after the picture that they are about.
@Suite(.ownThreads) struct LateRatingTests {
    private func pipeline(_ table: Table, take: String = "copy") throws -> String {
        try table.write(
            "rated.yaml",
            """
            version: 1
            sources:
              - folder: { path: "\(table.path("hot"))", settle: 50ms, companions: 50ms, take: \(take) }
            stages:
              - exif: {}
              - select: { min_rating: 3, unrated: drop }
              - dedupe: {}
              - upload: { to: [archive] }
            targets:
              archive: { folder: { path: "\(table.archive)", verify: reread } }
            """)
    }

    private func picture(_ table: Table, _ name: String = "U.JPG") throws {
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: table.card + "/DCIM/100CANON/IMG_0001.JPG", toPath: "\(table.path("hot"))/\(name)")
    }

    private func rate(_ table: Table, _ rating: Int) throws {
        let text = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="\(rating)"/></rdf:RDF></x:xmpmeta>
            """
        try table.write("hot/U.xmp", text)
    }

    private func names(_ table: Table) -> [String] {
        table.files(table.archive).keys.filter { !$0.contains(".filmgate") }.sorted()
    }

    private func endings(_ text: String, of name: String) -> [String] {
        text.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        .filter { $0["type"] as? String == "item" && $0["path"] as? String == name }.compactMap {
            $0["ending"] as? String
        }
    }

    @Test(arguments: ["run", "import"]) func aKnownSidecarCountsInALaterRun(_ verb: String) throws {
        let table = try Table()
        try table.sampleCard()
        let pipeline = try pipeline(table)
        // The sidecar was delivered alone, before its picture was there.
        try rate(table, 4)
        #expect(try table.run(["run", "--once", pipeline]).count("delivered") == 1)
        try picture(table)
        let call = verb == "run" ? ["run", "--once", pipeline] : ["import", table.path("hot"), "--pipeline", pipeline]
        let outcome = try table.run(call)
        #expect(outcome.count("delivered") == 1 && outcome.count("filtered") == 0, "\(outcome.output)")
        #expect(names(table) == ["U.JPG", "U.xmp"])
        #expect(try table.run(call).count("alreadySeen") == 2)
    }

    @Test func aKnownLowRatingCountsToo() throws {
        let table = try Table()
        try table.sampleCard()
        let loose = try pipeline(table)
        let text = try String(contentsOfFile: loose, encoding: .utf8)
        try picture(table)
        try rate(table, 4)
        #expect(try table.run(["run", "--once", loose]).count("delivered") == 2)
        let strict = try table.write(
            "strict.yaml", text.replacingOccurrences(of: "min_rating: 3, unrated: drop", with: "min_rating: 5"))
        try table.write("hot/U.DNG", Data([0x49, 0x49, 0x2A, 0, 8] + [UInt8](repeating: 0, count: 500)))
        let outcome = try table.run(["run", "--once", strict])
        #expect(outcome.count("filtered") == 1 && outcome.count("delivered") == 0, "\(outcome.output)")
    }

    @Test(arguments: ["copy", "move"]) func aLateSidecarBringsItsPicture(_ take: String) throws {
        let table = try Table()
        try table.sampleCard()
        try picture(table)
        let run = try Background(["run", try pipeline(table, take: take), "--state", table.state, "--json"])
        #expect(Background.within(seconds: 30) { endings(run.said, of: "U.JPG") == ["filtered"] })
        try rate(table, 1)
        #expect(Background.within(seconds: 30) { endings(run.said, of: "U.JPG") == ["filtered", "filtered"] })
        try rate(table, 5)
        #expect(
            Background.within(seconds: 30) { endings(run.said, of: "U.JPG") == ["filtered", "filtered", "delivered"] })
        try rate(table, 4)
        #expect(Background.within(seconds: 30) { endings(run.said, of: "U.xmp").count == 3 })
        Thread.sleep(forTimeInterval: 0.5)
        let outcome = run.kill(SIGINT)
        #expect(endings(outcome.output, of: "U.JPG") == ["filtered", "filtered", "delivered"], "\(outcome.output)")
        #expect(endings(outcome.output, of: "U.xmp") == ["filtered", "delivered", "delivered"])
        #expect(names(table) == ["U-2.xmp", "U.JPG", "U.xmp"])
        if take == "move" { #expect(!FileManager.default.fileExists(atPath: table.path("hot/U.JPG"))) }
    }

    /// The same for a target's own rule: the archive had the frame at once, the gallery gets it with its rating.
    @Test func aLateSidecarBringsItsPictureToTheTargetThatWaits() throws {
        let table = try Table()
        try table.sampleCard()
        let text = try String(contentsOfFile: try pipeline(table), encoding: .utf8)
            .replacingOccurrences(of: "  - select: { min_rating: 3, unrated: drop }\n", with: "")
            .replacingOccurrences(
                of: "to: [archive]", with: "to: [archive, picks], deliver: { picks: { min_rating: 3, unrated: drop } }")
        let both = try table.write(
            "both.yaml", text + "\n  picks: { folder: { path: \"\(table.path("picks"))\", verify: reread } }\n")
        try picture(table)
        let run = try Background(["run", both, "--state", table.state, "--json"])
        #expect(Background.within(seconds: 30) { endings(run.said, of: "U.JPG") == ["delivered"] })
        #expect(names(table) == ["U.JPG"] && table.files(table.path("picks")).isEmpty)
        try rate(table, 5)
        #expect(Background.within(seconds: 30) { table.files(table.path("picks")).keys.contains("U.JPG") })
        _ = run.kill(SIGINT)
        #expect(names(table) == ["U.JPG", "U.xmp"])
    }
}
