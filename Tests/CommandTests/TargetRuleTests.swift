import Foundation
import TestThreads
import Testing

/// Rules per target: each gets its own, in one pipeline.
@Suite(.ownThreads) struct TargetRuleTests {
    private static let picks = "{ min_rating: 3, unrated: drop }"

    private func pipeline(
        _ table: Table, _ name: String = "both.yaml", to: String = "archive, picks", rule: String? = Self.picks,
        profile: String = "", stage: String = ""
    ) throws -> String {
        try table.write(
            name,
            """
            version: 1
            profiles: [ { match: {} \(profile) } ]
            stages:
              - exif: {}
            \(stage)
              - dedupe: {}
              - upload: { to: [\(to)]\(rule.map { ", deliver: { picks: \($0) }" } ?? "") }
            targets:
              archive: { folder: { path: "\(table.archive)/{captured:yyyy-MM-dd}", verify: size } }
              picks: { folder: { path: "\(table.path("picks"))", verify: size } }
            """)
    }

    private func take(_ table: Table, _ pipeline: String, _ verb: String = "import") throws -> Program.Outcome {
        try table.run([verb, table.card, "--pipeline", pipeline])
    }

    private func names(_ table: Table, _ folder: String) -> Set<String> {
        Set(table.files(folder).keys.filter { !$0.contains(".filmgate") }.map { ($0 as NSString).lastPathComponent })
    }

    private func isSafe(_ table: Table, _ more: [String] = []) throws -> Bool {
        let answer = try table.run(["safe-to-format", table.card, "--allow", "same-device"] + more)
        if answer.status != 0 { print(answer.items().filter { $0["proof"] as? String == "not_proven" }) }
        return answer.status == 0
    }

    /// Where each file goes, or why not, and how it ends.
    private func rows(_ outcome: Program.Outcome, _ type: String, _ key: String) -> [String: [String]] {
        var rows: [String: [String]] = [:]
        for item in outcome.items(type) {
            let receipts = (item["receipts"] as? [String: [String: Any]] ?? [:]).sorted { $0.key < $1.key }.map {
                name, receipt in
                "\(name) \(receipt["state"] ?? "") \(receipt["state"] as? String == "excluded" ? receipt["reason"] ?? "" : "")"
            }
            rows["\(item["path"] ?? "")"] = ["\(item[key] ?? "")"] + receipts
        }
        return rows
    }

    private func expectPlanIsRun(_ table: Table, _ pipeline: String) throws -> Program.Outcome {
        let plan = try take(table, pipeline, "plan"), run = try take(table, pipeline)
        #expect(run.status == 0, "\(run.errors)")
        let planned = rows(plan, "plan", "would"), done = rows(run, "item", "ending")
        for (path, row) in done { #expect(planned[path] == row, "\(path)") }
        #expect(planned.count == done.count)
        return run
    }

    @Test func threeStarsToTheGalleryAndEverythingToTheArchive() throws {
        let table = try Table()
        try table.sampleCard()
        let file = try pipeline(table), run = try expectPlanIsRun(table, file)
        let chosen = names(table, table.path("picks"))
        // One frame of the sample is rated 4, with its RAW and its sidecar.
        #expect(chosen == ["IMG_0002.CR2", "IMG_0002.JPG", "IMG_0002.XMP"], "\(chosen)")
        #expect(names(table, table.archive).count == run.count("delivered"))
        let left = run.items().compactMap { ($0["receipts"] as? [String: [String: Any]])?["picks"] }.filter {
            $0["state"] as? String == "excluded"
        }
        let reasons = Set(left.compactMap { $0["reason"] as? String })
        #expect(reasons == ["not rated, and `unrated: drop`", "rating 2, below `min_rating: 3`"], "\(reasons)")
        // What the rule leaves out is no reason to read the card again, and no reason against formatting it.
        let again = try expectPlanIsRun(table, file)
        #expect(again.count("delivered") == 0 && again.count("bytes_read") == 0, "\(again.summary)")
        #expect(again.count("alreadySeen") == run.count("delivered") + run.count("duplicate"))
        #expect(try isSafe(table) && isSafe(table, ["--pipeline", file]))
    }

    /// That a rule of before left a file out is no answer to what the pipeline wants today.
    @Test func whatWasLeftOutIsWantedByTheRulesOfToday() throws {
        let table = try Table()
        try table.sampleCard()
        let jpegs = try pipeline(table, to: "picks", rule: "[jpeg, sidecar]")
        #expect(try take(table, jpegs).status == 0)
        #expect(try isSafe(table, ["--pipeline", jpegs, "--allow", "filtered"]))
        let all = try pipeline(table, to: "picks", rule: nil)
        let no = try table.run([
            "safe-to-format", table.card, "--allow", "same-device", "--allow", "filtered", "--pipeline", all,
        ])
        #expect(no.status == 8 && no.output.contains("picks: never delivered there"), "\(no.output)")
        #expect(try take(table, all).status == 0)
        #expect(try isSafe(table, ["--pipeline", all]))
    }

    /// A sidecar goes by the file that its name says, in the proof as in the run.
    @Test func aSidecarThatIsLeftOutWithItsFileIsNotWanted() throws {
        let table = try Table()
        try table.sampleCard()
        let folder = table.card + "/DCIM/100CANON"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let raw = try #require(names.filter { $0.hasSuffix(".CR2") }.sorted().last)
        try table.write("CARD/DCIM/100CANON/\(raw).xmp", "<x:xmpmeta xmlns:x='adobe:ns:meta/'/>")
        let jpegs = try pipeline(table, rule: nil, stage: "  - select: { accept: [jpeg] }")
        #expect(try take(table, jpegs).status == 0)
        #expect(try isSafe(table, ["--pipeline", jpegs, "--allow", "filtered"]))
    }

    /// Sounds without a picture, too, have to be wherever the pipeline wants them today.
    @Test func whatFollowsNoPictureIsProvenWhereItIsWanted() throws {
        let table = try Table()
        try table.write("CARD/DCIM/100ZOOM/ZOOM0001.WAV", Data("RIFF____WAVEfmt one".utf8))
        let archive = try pipeline(table, "archive.yaml", to: "archive", rule: nil)
        let both = try pipeline(table, rule: nil)
        #expect(try take(table, archive).status == 0)
        #expect(try isSafe(table, ["--pipeline", archive]))
        let no = try table.run(["safe-to-format", table.card, "--allow", "same-device", "--pipeline", both])
        #expect(no.status == 8 && no.output.contains("picks: never delivered there"), "\(no.output)")
        #expect(try take(table, both).status == 0)
        #expect(try isSafe(table, ["--pipeline", both]))
    }

    /// The same as two pipelines, by a rule or by `select`, in either order.
    @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
    func whatOnePipelineProvedStaysProven(archiveFirst: Bool, bySelect: Bool) throws {
        let table = try Table()
        try table.sampleCard()
        let all = try pipeline(table, "all.yaml", to: "archive", rule: nil)
        let select = "  - select: { min_rating: 3, unrated: drop }"
        let some =
            bySelect
            ? try pipeline(table, "some.yaml", to: "picks", rule: nil, stage: select)
            : try pipeline(table, "some.yaml", to: "picks")
        let order = archiveFirst ? [all, some] : [some, all]
        for file in order { _ = try expectPlanIsRun(table, file) }
        #expect(names(table, table.path("picks")).count == 3)
        #expect(try isSafe(table))
        #expect(try isSafe(table, ["--pipeline", some]) && isSafe(table, ["--pipeline", all]))
        for file in order.reversed() + order { _ = try expectPlanIsRun(table, file) }
        #expect(try isSafe(table))
        // What is gone from the archive is proven by nothing, whoever filtered it since.
        let lost = try #require(table.files(table.archive).keys.first { $0.hasSuffix("IMG_0001.JPG") })
        try FileManager.default.removeItem(atPath: table.archive + "/" + lost)
        #expect(try !isSafe(table))
    }

    /// Another card's import had the same bytes delivered; this card's own last one left them out.
    @Test func bytesThatAnotherCardBroughtAreProvenThoughTheyWereLeftOut() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        let other = table.path("OTHER")
        try FileManager.default.createDirectory(atPath: other + "/DCIM/100TEST", withIntermediateDirectories: true)
        let name = try #require(table.files(table.card).keys.sorted().first)
        try FileManager.default.copyItem(atPath: table.card + "/" + name, toPath: other + "/DCIM/100TEST/DSC_0777.JPG")
        let all = try pipeline(table, "all.yaml", to: "archive", rule: nil)
        let some = try pipeline(
            table, "some.yaml", to: "picks", rule: nil, stage: "  - select: { min_rating: 5, unrated: drop }")
        for card in [table.card, other] { _ = try table.run(["import", card, "--pipeline", some]) }
        for card in [table.card, other] { #expect(try table.run(["import", card, "--pipeline", all]).status == 0) }
        let answer = try table.run(["safe-to-format", other, "--allow", "same-device"])
        #expect(answer.status == 0, "\(answer.output)")
    }

    @Test func aFilteredCardAloneIsNotProven() throws {
        let table = try Table()
        try table.sampleCard()
        _ = try take(table, try pipeline(table, to: "picks"))
        let answer = try table.run(["safe-to-format", table.card, "--allow", "same-device"])
        #expect(answer.status == 8)
        #expect(
            answer.items().contains { "\($0["reason"] ?? "")" == "filtered: picks: not rated, and `unrated: drop`" },
            "\(answer.output)")
    }

    @Test func aProfileReplacesTheRuleForItsTarget() throws {
        let table = try Table()
        try table.sampleCard()
        let file = try pipeline(
            table, profile: ", deliver: { archive: {}, picks: { kinds: [jpeg], name: \"IMG_0001*\" } }")
        _ = try expectPlanIsRun(table, file)
        #expect(names(table, table.path("picks")) == ["IMG_0001.JPG"], "\(names(table, table.path("picks")))")
        let kept = try pipeline(table, "kept.yaml", profile: ", deliver: { archive: [jpeg] }")
        let share = try take(table, kept, "plan")
        let frame = try #require(share.items("plan").first { "\($0["path"] ?? "")".hasSuffix("IMG_0002.CR2") })
        let receipts = frame["receipts"] as? [String: [String: Any]]
        #expect("\(receipts?["archive"]?["reason"] ?? "")" == "the profile delivers only jpeg to archive")
        #expect(
            receipts?["picks"]?["state"] as? String == "done",
            "the pipeline's rule holds for what the profile does not name")
    }

    /// A rating that comes later brings a frame that is known already to the target that waits for it; one that goes
    /// takes nothing back.
    @Test func aLateRatingOrdersAKnownFrame() throws {
        let table = try Table()
        try table.sampleCard()
        let file = try pipeline(table)
        _ = try take(table, file)
        let sidecar = try String(contentsOfFile: table.card + "/DCIM/100CANON/IMG_0002.XMP", encoding: .utf8)
        try table.write("CARD/DCIM/100CANON/IMG_0001.XMP", sidecar)
        let run = try expectPlanIsRun(table, file)
        #expect(names(table, table.path("picks")).isSuperset(of: ["IMG_0001.JPG", "IMG_0001.XMP"]), "\(run.output)")
        let cleared = sidecar.replacingOccurrences(of: "xmp:Rating=\"4\"", with: "xmp:Rating=\"0\"")
        #expect(cleared != sidecar)
        try table.write("CARD/DCIM/100CANON/IMG_0001.XMP", cleared)
        _ = try expectPlanIsRun(table, file)
        #expect(names(table, table.path("picks")).contains("IMG_0001.JPG"))
    }

    /// FAT's read-only mark is what the lock button sets; it may be pressed after the first import.
    @Test func protectedFramesGoWhereOnlyTheyGo() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        let file = try pipeline(table, rule: "{ protected: only }"), folder = table.card + "/DCIM/100TEST"
        #expect(chmod(folder + "/IMG_0001.JPG", 0o444) == 0)
        _ = try expectPlanIsRun(table, file)
        #expect(names(table, table.path("picks")) == ["IMG_0001.JPG"])
        #expect(chmod(folder + "/IMG_0002.JPG", 0o444) == 0)
        _ = try expectPlanIsRun(table, file)
        #expect(names(table, table.path("picks")) == ["IMG_0001.JPG", "IMG_0002.JPG"])
    }

    @Test(arguments: [
        ("{ gallery: [jpeg] }", "6:39: error: `gallery` is not in `to`"),
        ("{ picks: { min_rating: nine } }", "6:60: error: Expected a whole number"),
        ("{ picks: { kind: [jpeg] } }", "6:48: error: Unknown key `kind`"),
    ]) func mistakesAreShownWhereTheyStand(rule: String, words: String) throws {
        let table = try Table()
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            stages:
              - exif: {}
              - dedupe: {}
              # The rule:
              - upload: { to: [picks], deliver: \(rule) }
            targets: { picks: { folder: { path: "\(table.path("picks"))" } } }
            """)
        let check = try Program.run(["check", file])
        #expect(
            check.status == 78 && check.errors.contains("p.yaml:\(words)") || check.output.contains("p.yaml:\(words)"),
            "\(check)")
    }

    @Test func aRuleThatAsksWhatNobodyReadsIsAnError() throws {
        let table = try Table()
        let file = try table.write(
            "p.yaml",
            "version: 1\nstages: [ { upload: { to: [a], deliver: { a: { min_rating: 3 } } } } ]\ntargets: { a: { folder: { path: \"\(table.archive)\" } } }\n"
        )
        let check = try Program.run(["check", file])
        #expect(check.status == 78 && (check.errors + check.output).contains("Put `- exif: {}` first"), "\(check)")
    }

    /// Selecting by time goes by the corrected clock, forwards and backwards, for movies in the profile's zone, too.
    @Test(arguments: [
        "clock_offset: \"+30:00:00\"", "clock_offset: \"-30:00:00\"", "zone: \"+13:00\"", "zone: \"-11:00\"",
    ])
    func selectGoesByTheCorrectedTime(_ clock: String) throws {
        let table = try Table()
        try table.sampleCard()
        let all = try take(
            table, try pipeline(table, "all.yaml", to: "archive", rule: nil, profile: ", \(clock)"), "plan")
        let frames = all.items("plan").filter {
            ["jpeg", "raw", "heif", "video"].contains("\($0["kind"] ?? "")") && !($0["captured"] is NSNull)
        }
        let days = Set(frames.compactMap { ($0["captured"] as? String)?.prefix(10) }).sorted()
        let bound = try #require(days.last)
        let stage = "  - select: { since: \(bound) }"
        let selected = try take(
            table, try pipeline(table, "some.yaml", to: "archive", rule: nil, profile: ", \(clock)", stage: stage),
            "plan")
        let endings = selected.items("plan").reduce(into: [String: String]()) {
            $0["\($1["path"] ?? "")"] = "\($1["would"] ?? "")"
        }
        for frame in frames where frame["would"] as? String != "setAside" {
            let path = "\(frame["path"] ?? "")", isLate = "\(frame["captured"] ?? "")".prefix(10) >= bound
            #expect((endings[path] != "filtered") == isLate, "\(path) \(frame["captured"] ?? "")")
        }
        let ruled = try take(
            table, try pipeline(table, "ruled.yaml", rule: "{ after: \(bound) }", profile: ", \(clock)"), "plan")
        for item in ruled.items("plan") {
            guard let frame = frames.first(where: { $0["path"] as? String == item["path"] as? String }) else {
                continue
            }
            let state = (item["receipts"] as? [String: [String: Any]])?["picks"]?["state"] as? String
            #expect(
                (state != "excluded") == ("\(frame["captured"] ?? "")".prefix(10) >= bound), "\(item["path"] ?? "")")
        }
    }
}
