import Foundation
import TestThreads
import Testing

/// Metadata stamping, from the card to what other programs read in the delivered files.
@Suite(.ownThreads) struct StampTests {
    private static let hasExiftool = FileManager.default.isExecutableFile(atPath: "/usr/bin/exiftool")

    /// `more` are options of `stamp`.
    private func pipeline(_ table: Table, _ more: String = "", to: String = "archive, gallery") throws -> String {
        try table.write(
            "stamp.yaml",
            """
            version: 1
            event: { required: true }
            profiles:
              - match: { make: "*" }
                photographer: Ann Øster
                clock_offset: "+01:00:00"
              - match: { make: "NIKON*" }
                stamp: { copyright: "© Ben" }
            stages:
              - exif: {}
              - dedupe: {}
              - stamp:
                  creator: "{photographer}"
                  copyright: "© {captured:yyyy} {photographer}"
                  event: "{event}"
                  caption: "{event}: {name}"
                  keywords: [wedding, "{make}", "{event}"]
                  sidecars: [archive]
                  embed: [gallery]
                  \(more)
              - upload: { to: [\(to)] }
            targets:
              archive: { folder: { path: "\(table.archive)/{event}" } }
              gallery: { folder: { path: "\(table.path("gallery"))/{event}" } }
            """)
    }

    private func importing(_ table: Table, _ pipeline: String, _ more: [String] = [], event: String = "Smith & Co")
        throws
        -> Program.Outcome
    {
        try table.run(["import", table.card, "--pipeline", pipeline, "--event", event] + more)
    }

    private func facts(_ path: String) throws -> [String: Any] {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/exiftool")
        process.arguments = ["-j", "-G0", "-XMP:all", "-IPTC:all", path]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try #require((JSONSerialization.jsonObject(with: data) as? [[String: Any]])?.first)
    }

    @Test(.enabled(if: hasExiftool)) func sidecarsAndCopiesSayIt() throws {
        let table = try Table()
        try table.sampleCard()
        let before = table.files(table.card)
        let outcome = try importing(table, try pipeline(table))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(table.files(table.card) == before)
        #expect(outcome.count("seen") == outcome.items().count)
        let made = outcome.items("made")
        #expect(!made.isEmpty && made.allSatisfy { $0["ending"] as? String == "delivered" })
        let sidecar = try facts("\(table.archive)/Smith & Co/IMG_0001.xmp")
        #expect(
            sidecar["XMP:Creator"] as? String == "Ann Øster" && sidecar["XMP:Event"] as? String == "Smith & Co",
            "\(sidecar)")
        for item in outcome.items() where item["kind"] as? String == "jpeg" {
            let receipts = try #require(item["receipts"] as? [String: [String: Any]])
            let archive = try #require(receipts["archive"]), gallery = try #require(receipts["gallery"])
            #expect(archive["sha256"] as? String == item["sha256"] as? String)
            guard item["flags"] as? [String] == [] else { continue }
            #expect(gallery["original_sha256"] as? String == item["sha256"] as? String)
            #expect(gallery["sha256"] as? String != item["sha256"] as? String)
            let stamped = try facts(try #require(gallery["path"] as? String))
            #expect(
                stamped["IPTC:By-line"] as? String == "Ann Øster" && stamped["XMP:Creator"] as? String == "Ann Øster")
            let make = item["make"] as? String ?? ""
            if make.hasPrefix("NIKON") { #expect(stamped["XMP:Rights"] as? String == "© Ben") }
            #expect((stamped["IPTC:Keywords"] as? [String])?.contains("wedding") == true)
        }
    }

    @Test(.enabled(if: hasExiftool)) func aCardsOwnSidecarIsMerged() throws {
        let table = try Table()
        try table.sampleCard()
        let outcome = try importing(table, try pipeline(table))
        let item = try #require(outcome.items().first { ($0["path"] as? String)?.hasSuffix("IMG_0002.XMP") == true })
        let receipts = try #require(item["receipts"] as? [String: [String: Any]])
        let merged = try facts(try #require(receipts["archive"]?["path"] as? String))
        #expect(merged["XMP:Rating"] as? Int == 4 && merged["XMP:Creator"] as? String == "Ann Øster", "\(merged)")
        #expect(receipts["archive"]?["original_sha256"] as? String == item["sha256"] as? String)
        let plain = try #require(receipts["gallery"]?["path"] as? String)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: plain))
                == Data(contentsOf: URL(fileURLWithPath: table.card + "/DCIM/100CANON/IMG_0002.XMP")))
    }

    @Test func everythingElseGoesOnWorking() throws {
        let table = try Table()
        try table.sampleCard()
        let pipeline = try pipeline(table), planned = try importing(table, pipeline, ["--dry-run"])
        #expect(planned.status == 0 && !FileManager.default.fileExists(atPath: table.archive))
        let first = try importing(table, pipeline)
        #expect(first.items("made").count == planned.items("made").count)
        #expect(try table.run(["verify"]).status == 0)
        let answer = try table.run(["safe-to-format", table.card, "--allow", "same-device", "--pipeline", pipeline])
        #expect(answer.status == 0, "\(answer.output)")
        let copies = table.files(table.archive).merging(table.files(table.path("gallery"))) { first, _ in first }
        let again = try importing(table, pipeline)
        #expect(again.count("alreadySeen") > 0 && again.count("delivered") == 0 && again.items("made").isEmpty)
        let restored = try importing(table, pipeline, ["--again"])
        #expect(restored.count("delivered") == 0 && restored.items("made").isEmpty, "\(restored.output)")
        // Nothing is remembered: the same bytes at the same names are known again.
        let forgotten = try Program.run(
            [
                "import", table.card, "--pipeline", pipeline, "--event", "Smith & Co", "--json", "--state",
                table.path("other"),
            ])
        #expect(forgotten.count("delivered") == 0, "\(forgotten.output)")
        #expect(
            table.files(table.archive).merging(table.files(table.path("gallery"))) { first, _ in first }.keys
                == copies.keys)
        #expect(table.files(table.state + "/staging").keys.filter { !$0.hasSuffix(".lock") } == [])
        #expect(table.files(table.archive).keys.filter { $0.contains(".filmgate") } == [])
    }

    @Test func stampedCopiesAloneAreNoProof() throws {
        let table = try Table()
        try table.sampleCard()
        let pipeline = try pipeline(table, to: "gallery")
        let text = try String(contentsOfFile: pipeline, encoding: .utf8)
        try text.replacingOccurrences(of: "sidecars: [archive]", with: "sidecars: []").write(
            toFile: pipeline, atomically: true, encoding: .utf8)
        #expect(try importing(table, pipeline).status == 0)
        #expect(try table.run(["verify"]).status == 0)
        let answer = try table.run(["safe-to-format", table.card, "--allow", "same-device"])
        #expect(answer.status == 8)
        #expect(answer.items().contains { ($0["reason"] as? String ?? "").contains("only stamped copies") })
    }

    @Test func aWrongTargetIsFoundByCheck() throws {
        let table = try Table(), pipeline = try pipeline(table)
        let text = try String(contentsOfFile: pipeline, encoding: .utf8)
        try text.replacingOccurrences(of: "embed: [gallery]", with: "embed: [galery]").write(
            toFile: pipeline, atomically: true, encoding: .utf8)
        let checked = try table.run(["check", pipeline])
        #expect(checked.status == 78)
        #expect(checked.output.contains("unknown-target") && checked.output.contains("Did you mean `gallery`?"))
    }

    /// What people say is in what is delivered after that, and in nothing that was delivered before.
    @Test(.enabled(if: hasExiftool)) func marksAreInWhatIsDeliveredLater() throws {
        let table = try Table()
        try table.sampleCard()
        let file = try pipeline(table), text = try String(contentsOfFile: file, encoding: .utf8)
        let waiting = try table.write(
            "wait.yaml",
            text.replacing(
                "to: [archive, gallery]", with: "to: [archive, gallery], deliver: { gallery: { picks: only } }"))
        #expect(try importing(table, waiting).status == 8)
        let before = table.files(table.archive).filter { $0.key.hasSuffix("mp") || $0.key.hasSuffix("MP") }
        let picture = table.card + "/DCIM/100CANON/IMG_0001.JPG"
        #expect(try table.run(["mark", "--pick", "--rating", "4", "--colour", "2", picture]).status == 0)
        #expect(try table.run(["retry", "--pipeline", waiting]).status == 8)
        let sent = try facts("\(table.path("gallery"))/Smith & Co/IMG_0001.JPG")
        #expect(sent["XMP:Rating"] as? Int == 4 && sent["XMP:Label"] as? String == "Red", "\(sent)")
        #expect("\(sent["XMP:Tagged"] ?? "")" == "Yes" && "\(sent["XMP:ColorClass"] ?? "")".hasPrefix("2"), "\(sent)")
        #expect(
            "\(sent["XMP:PickLabel"] ?? "")".contains("Accepted") || "\(sent["XMP:PickLabel"] ?? "")" == "3", "\(sent)")
        #expect(sent["XMP:Creator"] as? String == "Ann Øster", "the stamp stays")
        #expect(table.files(table.archive).filter { before[$0.key] != nil } == before)
        #expect(try table.run(["verify"]).status == 0)
    }
}
