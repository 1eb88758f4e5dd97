import Foundation
import TestThreads
import Testing

/// What people say of pictures decides what goes out: at once where a run goes on, else with the next.
@Suite(.ownThreads) struct MarkTests {
    private func pipeline(
        _ table: Table, _ name: String = "picks.yaml", rule: String = "{ picks: only }", source: String = "",
        stage: String = ""
    ) throws -> String {
        try table.write(
            name,
            """
            version: 1
            \(source)
            stages:
              - exif: {}
            \(stage)
              - dedupe: {}
              - upload: { to: [archive, picks], deliver: { picks: \(rule) } }
            targets:
              archive: { folder: { path: "\(table.archive)", verify: size } }
              picks: { folder: { path: "\(table.path("picks"))", verify: size } }
            """)
    }

    private func take(_ table: Table, _ pipeline: String, _ verb: String = "import") throws -> Program.Outcome {
        try table.run([verb, table.card, "--pipeline", pipeline])
    }

    private func mark(_ table: Table, _ words: [String]) throws -> Program.Outcome {
        let outcome = try table.run(["mark"] + words)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome
    }

    private func token(_ outcome: Program.Outcome) throws -> String {
        try #require(outcome.items("marked").first?["undo"] as? String)
    }

    private func names(_ table: Table) -> Set<String> {
        Set(
            table.files(table.path("picks")).keys.filter { !$0.contains(".filmgate") }.map {
                ($0 as NSString).lastPathComponent
            })
    }

    private func picture(_ table: Table, _ number: Int, in folder: String = "CARD") -> String {
        table.path("\(folder)/DCIM/100TEST/IMG_000\(number).JPG")
    }

    /// State and reason at the target that waits, by path.
    private func waiting(_ outcome: Program.Outcome, _ type: String = "item") -> [String: String] {
        outcome.items(type).reduce(into: [:]) { found, item in
            let receipt = (item["receipts"] as? [String: [String: Any]])?["picks"] ?? [:]
            found[("\(item["path"] ?? "")" as NSString).lastPathComponent] =
                [receipt["state"], receipt["reason"]].compactMap { $0 as? String }.joined(separator: ": ")
        }
    }

    private func proof(_ table: Table, _ more: [String] = []) throws -> Program.Outcome {
        try Program.run(["safe-to-format", table.card, "--allow", "same-device", "--state", table.state] + more)
    }

    /// Nothing before a run has made its ledger.
    private func status(_ table: Table) throws -> [String: Any] {
        let status = try table.run(["status"]).items("status").first ?? [:]
        return (status["targets"] as? [[String: Any]] ?? []).first { $0["name"] as? String == "picks" } ?? [:]
    }

    // MARK: Waiting

    @Test func aFrameWaitsUntilItIsPicked() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        let file = try pipeline(table)
        let words = try Program.run(["plan", table.card, "--pipeline", file, "--state", table.path("other")]).output
        let plan = try take(table, file, "plan"), run = try take(table, file)
        #expect(run.status == 8 && run.count("pending") == 3, "\(run.output)\(run.errors)")
        let expected = (1...3).reduce(into: [:]) { $0["IMG_000\($1).JPG"] = "pending: not picked" }
        #expect(waiting(run) == expected && waiting(plan, "plan") == expected, "plan equals run")
        #expect(run.items().allSatisfy { $0["reason"] as? String == "picks: not picked" })
        #expect(words.contains("0 to deliver, 3 pending (all of them to deliver to other targets)"), "\(words)")
        #expect(words.contains("would deliver: DCIM/100TEST/IMG_0001.JPG → archive "), "\(words)")
        #expect(try status(table)["reason"] as? String == "not picked")
        let no = try proof(table)
        #expect(
            no.status == 8 && no.output.contains("not picked") && no.output.contains("filmgate mark --pick"),
            "\(no.output)")
        #expect(try proof(table, ["--pipeline", file]).status == 8)
        // By its file, by a copy of it, and by its SHA-256.
        let sha256 = try #require(
            run.items().first { "\($0["path"] ?? "")".hasSuffix("IMG_0003.JPG") }?["sha256"] as? String)
        _ = try mark(table, ["--pick", picture(table, 1), table.archive + "/IMG_0002.JPG"])
        #expect(names(table) == [])
        #expect(try status(table)["pending"] as? Int == 3)
        let retry = try table.run(["retry"])
        #expect(retry.status == 8 && names(table) == ["IMG_0001.JPG", "IMG_0002.JPG"], "\(retry.output)")
        _ = try mark(table, ["--pick", String(sha256.prefix(12))])
        let last = try take(table, file)
        #expect(last.status == 0 && names(table).count == 3, "\(last.output)")
        #expect(try proof(table).status == 0 && proof(table, ["--pipeline", file]).status == 0)
        // What was sent stays sent.
        _ = try mark(table, ["--reject", picture(table, 1)])
        let again = try take(table, file)
        #expect(again.count("alreadySeen") == 3 && names(table).count == 3, "\(again.output)")
        #expect(try proof(table).status == 0)
    }

    /// What did nothing is no part of the history, whoever asks for it, and how often.
    @Test func aRetryThatCanSendNothingIsNoRun() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        let file = try pipeline(table)
        #expect(try take(table, file).status == 8)
        func verbs() throws -> [String] {
            try table.run(["history"]).items("run").compactMap { $0["verb"] as? String }
        }
        for _ in 0..<2 {
            let retry = try table.run(["retry"])
            #expect(retry.status == 8 && retry.count("pending") == 2, "\(retry.output)")
            #expect(waiting(retry)["IMG_0001.JPG"] == "pending: not picked", "\(retry.output)")
        }
        #expect(try verbs() == ["import"])
        _ = try mark(table, ["--pick", picture(table, 1)])
        #expect(try table.run(["retry"]).count("delivered") == 1 && verbs() == ["retry", "import"])
        _ = try mark(table, ["--reject", picture(table, 2)])
        let nothing = try table.run(["retry"])
        #expect(nothing.status == 0 && nothing.count("seen") == 0, "\(nothing.output)")
        #expect(try verbs() == ["retry", "import"])
    }

    @Test func aRejectedFrameIsFilteredThereAndNoReasonAgainstFormatting() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        let file = try pipeline(table)
        #expect(try take(table, file).status == 8)
        let rejected = try mark(table, ["--reject", picture(table, 1), picture(table, 2)])
        #expect(try status(table)["pending"] as? Int == 0)
        #expect(try proof(table).status == 0 && proof(table, ["--pipeline", file]).status == 0)
        let again = try take(table, file), plan = try take(table, file, "plan")
        #expect(again.status == 0 && plan.status == 0 && again.count("pending") == 0, "\(again.output)")
        // A key that was hit by mistake.
        _ = try mark(table, ["--undo", try token(rejected)])
        let no = try proof(table)
        #expect(no.status == 8 && no.output.contains("not picked"), "\(no.output)")
        #expect(try status(table)["pending"] as? Int == 2)
        _ = try mark(table, ["--pick", picture(table, 2)])
        _ = try table.run(["retry"])
        #expect(names(table) == ["IMG_0002.JPG"])
    }

    @Test func aPickSaysWhereTheDeliveryWasTakenBack() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        let file = try pipeline(table)
        #expect(try take(table, file).status == 8)
        #expect(try table.run(["cancel", "--target", "picks", "--yes", picture(table, 1)]).status == 0)
        let words = ["mark", "--pick", picture(table, 1), picture(table, 2), "--state", table.state]
        let picked = try Program.run(words)
        #expect(picked.status == 0, "\(picked.errors)")
        #expect(picked.output.contains("note: 1 picture of these was taken back for picks"), "\(picked.output)")
        #expect(picked.output.contains("`filmgate import --again`"), "\(picked.output)")
        _ = try table.run(["retry"])
        #expect(names(table) == ["IMG_0002.JPG"])
        _ = try table.run(["import", table.card, "--pipeline", file, "--again"])
        #expect(names(table) == ["IMG_0001.JPG", "IMG_0002.JPG"])
    }

    @Test func aPickThatIsTakenBackBeforeTheSendHoldsItAgain() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        let file = try pipeline(table)
        #expect(try take(table, file).status == 8)
        let picked = try mark(table, ["--pick", picture(table, 1)])
        _ = try mark(table, ["--undo", try token(picked)])
        #expect(try table.run(["retry"]).status == 8)
        #expect(try take(table, file).status == 8)
        #expect(names(table) == [])
        // A pipeline that waits no more lets it go.
        #expect(try take(table, try pipeline(table, rule: "{ picks: any }")).status == 0)
        #expect(names(table) == ["IMG_0001.JPG"])
    }

    @Test func ratingsCountBeforeTheCameras() throws {
        let table = try Table()
        try table.sampleCard()
        // The sample has one shot of four stars, and one of two.
        let file = try pipeline(table, rule: "{ kinds: [jpeg], min_rating: 3, unrated: wait }")
        let run = try take(table, file)
        #expect(names(table) == ["IMG_0002.JPG"], "\(run.output)")
        #expect(waiting(run)["IMG_0001.JPG"] == "pending: not rated")
        let card = table.card + "/DCIM/100CANON/"
        _ = try mark(table, ["--rating", "5", card + "IMG_0001.JPG"])
        _ = try table.run(["retry"])
        #expect(names(table) == ["IMG_0001.JPG", "IMG_0002.JPG"])
        let select = try pipeline(
            table, "select.yaml", rule: "{}", stage: "  - select: { min_rating: 3, unrated: drop }")
        _ = try mark(table, ["--rating", "1", card + "IMG_0002.JPG"])
        let chosen = try take(table, select, "plan")
        let left = chosen.items("plan").filter { "\($0["path"] ?? "")".hasSuffix("IMG_0002.JPG") }
        #expect(left.allSatisfy { $0["would"] as? String != "delivered" }, "\(left)")
    }

    @Test func selectLetsFramesWaitEverywhere() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        let file = try pipeline(table, rule: "{}", stage: "  - select: { picks: only }"), run = try take(table, file)
        #expect(
            run.status == 8 && run.count("pending") == 2
                && table.files(table.archive).keys.allSatisfy { $0.contains(".filmgate") })
        _ = try mark(table, ["--pick", picture(table, 2)])
        #expect(try take(table, file).count("delivered") == 1)
        #expect(names(table) == ["IMG_0002.JPG"])
    }

    /// A frame has one event at all of its targets, also where it was rejected when it got it.
    @Test(arguments: [["mark", "--pick"], ["undo"]]) func whatWasRejectedKeepsTheEventThatItsFrameWasGiven(
        _ words: [String]
    ) throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        let file = try table.write(
            "hold.yaml",
            """
            version: 1
            event: { hold: true }
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive, picks], deliver: { picks: { picks: only } } } } ]
            targets:
              archive: { folder: { path: "\(table.archive)/{event}", verify: size } }
              picks: { folder: { path: "\(table.path("picks"))/{event}", verify: size } }
            """)
        #expect(try table.run(["import", table.card, "--pipeline", file]).status == 8)
        let rejected = try mark(table, ["--reject", picture(table, 1)])
        #expect(try table.run(["assign", "smith", "--pipeline", file]).status == 0)
        if words == ["undo"] { _ = try mark(table, ["--undo", try token(rejected)]) }
        _ = try mark(table, ["--pick", picture(table, 1)])
        _ = try table.run(["assign", "jones", "--pipeline", file])
        _ = try table.run(["retry", "--pipeline", file])
        #expect(table.files(table.path("picks")).keys.filter { !$0.contains(".filmgate") } == ["smith/IMG_0001.JPG"])
        #expect(try status(table)["pending"] as? Int == 0)
    }

    // MARK: While a run goes on

    @Test func aRunThatGoesOnSendsItAtOnce() throws {
        let table = try Table()
        try table.frames("hot", count: 3, from: 1)
        let source = "sources: [ { folder: { path: \"\(table.path("hot"))\", settle: 50ms, companions: 50ms } } ]"
        let file = try pipeline(table, source: source)
        let run = try Background(["run", file, "--state", table.state, "--json"])
        #expect(try Background.within(seconds: 30) { try status(table)["pending"] as? Int == 3 })
        _ = try mark(table, ["--pick", picture(table, 1, in: "hot")])
        #expect(Background.within(seconds: 60) { names(table) == ["IMG_0001.JPG"] })
        // Rejected by mistake, taken back, and picked.
        let rejected = try mark(table, ["--reject", picture(table, 2, in: "hot")])
        #expect(try Background.within(seconds: 60) { try status(table)["pending"] as? Int == 1 })
        _ = try mark(table, ["--undo", try token(rejected)])
        #expect(try Background.within(seconds: 60) { try status(table)["pending"] as? Int == 2 })
        _ = try mark(table, ["--pick", picture(table, 2, in: "hot")])
        #expect(Background.within(seconds: 60) { names(table) == ["IMG_0001.JPG", "IMG_0002.JPG"] })
        // Another job does not wait for what waits for a person.
        let retry = try table.run(["retry", "--wait", "20s"])
        #expect(retry.status == 8 && retry.output.contains("not picked"), "\(retry.output)")
        let ended = run.kill(SIGTERM)
        #expect(ended.status == 143 && waiting(ended)["IMG_0003.JPG"] == "pending: not picked", "\(ended.output)")
        #expect(try status(table)["pending"] as? Int == 1)
        // The next run finds it picked.
        _ = try mark(table, ["--pick", picture(table, 3, in: "hot")])
        let next = try Background(["run", file, "--state", table.state, "--json"])
        #expect(Background.within(seconds: 30) { names(table).count == 3 })
        next.kill(SIGTERM)
        #expect(names(table).count == 3)
    }

    // MARK: The command

    @Test func everyFileOfAShotIsMarkedAndTold() throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.importing().status == 0)
        let told = try mark(
            table, ["--rating", "4", "--colour", "2", "--pick", table.card + "/DCIM/100CANON/IMG_0002.CR2"])
        let marks = told.items("mark")
        #expect(
            marks.count == 2
                && marks.allSatisfy {
                    $0["rating"] as? Int == 4 && $0["colour"] as? Int == 2 && $0["pick"] as? String == "picked"
                })
        #expect(
            told.items("marked").first?["pictures"] as? Int == 2 && told.items("summary").count == 1, "\(told.output)")
        let undone = try mark(table, ["--undo", try token(told)])
        #expect(undone.items("mark").allSatisfy { $0["rating"] is NSNull && $0["pick"] is NSNull })
    }

    @Test(arguments: [
        ["--rating", "6", "abcdef"], ["--colour", "9", "abcdef"], ["abcdef"], ["--pick"],
        ["--pick", "--reject", "abcdef"], ["--undo"], ["--undo", "--pick", "x"], ["--undo", "abcdef"],
        ["--undo", "abc"],
        ["--pick", "abcde"],
        ["--pick", "abcdef"], ["--pick", "/nowhere/IMG_1.JPG"],
    ]) func mistakesAreTold(_ words: [String]) throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        #expect(try table.importing().status == 0)
        let outcome = try table.run(["mark"] + words)
        #expect(outcome.status == 2 && !(outcome.errors + outcome.output).isEmpty, "\(outcome)")
    }

    /// The manual and the help print its first digits.
    @Test func anOrderIsTakenBackByItsFirstDigits() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        #expect(try table.importing().status == 0)
        let first = try token(mark(table, ["--pick", picture(table, 1)]))
        let undone = try mark(table, ["--undo", first.prefix(6) + "…"])
        #expect(undone.items("mark").map { $0["pick"] is NSNull } == [true], "\(undone.output)")
        _ = try mark(table, ["--reject", picture(table, 2)])
        try table.change(ledger: "UPDATE mark_order SET token = 'abcd' || substr(token, 5)")
        let several = try table.run(["mark", "--undo", "abcd"])
        let message = several.items("error").first?["message"] as? String ?? ""
        #expect(several.status == 2 && message.hasPrefix("Several orders begin with abcd: abcd"), "\(message)")
        #expect(message.components(separatedBy: "1 picture, by ").count == 4, "\(message)")
    }

    @Test func whatNoImportHasMetIsNamedAsSuch() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        #expect(try table.importing().status == 0)
        let new = try table.write("NEW.JPG", "other bytes"), unknown = try table.run(["mark", "--pick", new])
        #expect(unknown.status == 2 && unknown.output.contains("no import has met these bytes"), "\(unknown.output)")
        let folder = try table.run(["mark", "--pick", table.card])
        #expect(folder.status == 2 && folder.output.contains("is a folder"), "\(folder.output)")
        let undo = try table.run(["mark", "--undo", "nothing"])
        #expect(undo.status == 2 && undo.output.contains("nothing to take back"), "\(undo.output)")
        // A file that is gone from its card is still known by where it was.
        try FileManager.default.removeItem(atPath: picture(table, 1))
        _ = try mark(table, ["--pick", picture(table, 1)])
    }
}
