import FilmgateCore
import Foundation
import TestThreads
import Testing

/// A run that is given another event while it goes on.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct EventSwitchTests {
    private func start(
        _ table: Table, _ stages: String = "{ exif: {} }, { dedupe: {} }", event: String = "smith"
    ) throws -> Background {
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources:
              - folder: { path: "\(table.path("hot"))", settle: 50ms, companions: 50ms }
            stages: [ \(stages), { upload: { to: [archive] } } ]
            targets:
              archive: { folder: { path: "\(table.archive)/{event}/{name}", verify: size } }
            """)
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        let run = try Background(["run", pipeline, "--event", event, "--state", table.state, "--json"])
        #expect(run.line(#"{"type":"status""#) != nil)
        return run
    }

    private func count(_ table: Table, _ event: String) -> Int { table.files(table.archive + "/" + event).count }

    /// What was taken before stays with the event that it was taken for, although it still lies in the folder.
    @Test func whatWasTakenBeforeIsNotDeliveredAgain() throws {
        let table = try Table(), run = try start(table)
        let watch = try #require(ControlWatchTests.Connection(table.state, ControlWatchTests.watch))
        try table.frames("hot", count: 3, from: 0)
        #expect(Background.within(seconds: 30) { count(table, "smith") == 3 })
        let use = try table.run(["events", "use", "--now", "jones"])
        #expect(use.status == 0, "\(use.errors)\(use.output)")
        try table.frames("hot", count: 2, from: 10)
        #expect(Background.within(seconds: 30) { count(table, "jones") == 2 })
        while let line = watch.next("change") {
            guard line["key"]?.string == "run" else { continue }
            #expect(line.at("change.event")?.string == "jones")
            break
        }
        #expect(try table.run(["events", "show"]).items("event").first?["name"] as? String == "jones")
        let end = run.kill(SIGTERM)
        #expect(end.status == 143 && end.count("delivered") == 5, "\(end.output)")
        #expect(count(table, "smith") == 3 && count(table, "jones") == 2)
        #expect(
            try table.run(["history"]).items("run").compactMap { $0["event"] as? String }.sorted() == [
                "jones", "smith",
            ])
    }

    /// The run that comes after it is no order for the other client either.
    @Test(arguments: [SIGKILL, SIGTERM]) func theNextRunGivesNothingToTheOtherEvent(_ signal: Int32) throws {
        let table = try Table(), run = try start(table)
        try table.frames("hot", count: 3, from: 0)
        #expect(Background.within(seconds: 30) { count(table, "smith") == 3 })
        #expect(try table.run(["events", "use", "--now", "jones"]).status == 0)
        try table.frames("hot", count: 2, from: 10)
        #expect(Background.within(seconds: 30) { count(table, "jones") == 2 })
        run.kill(signal)
        let next = try Background(["run", table.path("p.yaml"), "--state", table.state, "--json"])
        #expect(next.line(#"{"type":"status""#) != nil)
        try table.frames("hot", count: 1, from: 20)
        #expect(Background.within(seconds: 30) { count(table, "jones") == 3 })
        let told = next.kill(SIGTERM).items("status").first { $0["of_other_events"] != nil }
        #expect(told?["of_other_events"] as? Int == 3 && told?["leaving"] as? Int == 0, "\(told ?? [:])")
        #expect(count(table, "smith") == 3 && count(table, "jones") == 3)
        // An import says whose they are.
        let order = ["import", table.path("hot"), "--pipeline", table.path("p.yaml"), "--event", "miller"]
        #expect(try table.run(order).status == 0)
        #expect(count(table, "miller") == 6)
    }

    /// Whoever has no file recognised has no client's frames sent to another one either.
    @Test(arguments: ["{ dedupe: { origin: false } }", "{ exif: {} }"])
    func theNextRunGivesNothingToTheOtherEventWithoutDedupe(_ stages: String) throws {
        let table = try Table(), run = try start(table, stages)
        try table.frames("hot", count: 3, from: 0)
        #expect(Background.within(seconds: 30) { count(table, "smith") == 3 })
        run.kill(SIGKILL)
        let next = try start(table, stages, event: "jones")
        try table.frames("hot", count: 1, from: 20)
        #expect(Background.within(seconds: 30) { count(table, "jones") == 1 })
        #expect(next.kill(SIGTERM).status == 143)
        #expect(count(table, "smith") == 3 && count(table, "jones") == 1)
    }

    /// The same bytes are the same frame, whatever their file is called by then and whenever it was touched.
    ///
    /// Without an event they wait for theirs, or were taken for none.
    @Test(arguments: [("smith", true), (nil, true), (nil, false)])
    func bytesStayWithTheirEventWhereverTheyAre(_ event: String?, isHeld: Bool) throws {
        let table = try Table(), held = "event: { hold: \(isHeld) }\nstages:", isWaiting = event == nil && isHeld
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources:
              - folder: { path: "\(table.path("hot"))", settle: 50ms, companions: 50ms }
            \(held) [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets:
              archive: { folder: { path: "\(table.archive)/{event}", verify: size } }
            """)
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        let words = ["run", pipeline, "--state", table.state, "--json"]
        let first = try Background(words + (event.map { ["--event", $0] } ?? []))
        #expect(first.line(#"{"type":"status""#) != nil)
        try table.frames("hot", count: 3, from: 0)
        let isTaken = try Background.within(seconds: 30) {
            let status = try table.run(["status"]).items("status").first
            let target = (status?["targets"] as? [[String: Any]])?.first
            return target?[isWaiting ? "held" : "done"] as? Int == 3
        }
        #expect(isTaken)
        first.kill(SIGTERM)
        let hot = URL(fileURLWithPath: table.path("hot/DCIM/100TEST")),
            now = [FileAttributeKey.modificationDate: Date()]
        try FileManager.default.setAttributes(now, ofItemAtPath: hot.path + "/IMG_0000.JPG")
        try FileManager.default.moveItem(atPath: hot.path + "/IMG_0001.JPG", toPath: table.path("hot/moved.jpg"))
        try FileManager.default.copyItem(atPath: hot.path + "/IMG_0002.JPG", toPath: table.path("hot/copy.jpg"))
        let next = try Background(words + ["--event", "jones"])
        for _ in 0..<3 { #expect(next.line(#"{"type":"item""#)?.contains(#""ending":"alreadySeen""#) == true) }
        #expect(next.kill(SIGTERM).status == 143)
        #expect(table.files(table.archive + "/jones").isEmpty)
        if isWaiting { #expect(try table.run(["assign", "smith"]).status == 0) }
        #expect(table.files(event == nil && !isHeld ? table.archive : table.archive + "/smith").count == 3)
    }

    /// What a rule left out is nobody's: the same event gets it once the rule is another one.
    @Test func whatWasLeftOutIsTriedAgainForItsEvent() throws {
        let table = try Table()
        let run = try start(table, "{ exif: {} }, { dedupe: {} }, { select: { min_rating: 1, unrated: drop } }")
        try table.frames("hot", count: 2, from: 0)
        for _ in 0..<2 { #expect(run.line(#"{"type":"item""#)?.contains(#""ending":"filtered""#) == true) }
        run.kill(SIGKILL)
        let next = try start(table)
        #expect(Background.within(seconds: 30) { count(table, "smith") == 2 })
        let told = next.kill(SIGTERM).items("status").first { $0["of_other_events"] != nil }
        #expect(told?["of_other_events"] as? Int == 0, "\(told ?? [:])")
    }

    /// A run for smith, once it watches the folder `hot`.
    private func watching(_ table: Table, _ pipeline: String) throws -> Background {
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        let words = ["run", pipeline, "--event", "smith", "--state", table.state, "--json"]
        let run = try Background(words, environment: Gallery.environment)
        #expect(run.line(#"{"type":"status""#) != nil)
        return run
    }

    /// A gallery that refused the earlier event's frames gets them when it takes some again.
    @Test func whatIsHeldForTheEarlierEventIsSent() throws {
        let table = try Table(), first = try Gallery(table, fault: "unauthorized")
        let pipeline = try table.hotFolderPipeline(to: first.address, query: "?event={event}", most: "300ms")
        let run = try watching(table, pipeline)
        func waiting(_ state: String) throws -> Int {
            let status = try #require(try table.run(["status"]).items("status").first)
            return (status["targets"] as? [[String: Any]] ?? []).compactMap { $0[state] as? Int }.reduce(0, +)
        }
        try table.frames("hot", count: 2, from: 0)
        #expect(try Background.within(seconds: 30) { try waiting("held") == 2 })
        #expect(try table.run(["events", "use", "--now", "jones"]).status == 0)
        first.stop()
        let gallery = try Gallery(table, at: first.address)
        #expect(try Background.within(seconds: 60) { try waiting("done") == 2 })
        #expect(run.kill(SIGTERM).status == 143)
        #expect(try gallery.assets().count == 2)
    }

    /// A gallery that is away when the event changes gets the frames of both.
    @Test func whatWaitsForTheEarlierEventIsSent() throws {
        let table = try Table(), first = try Gallery(table)
        let pipeline = try table.hotFolderPipeline(to: first.address, query: "?event={event}", most: "300ms")
        first.stop()
        let run = try watching(table, pipeline)
        func pending(_ count: Int) throws -> Bool {
            let status = try #require(try table.run(["status"]).items("status").first)
            return (status["targets"] as? [[String: Any]] ?? []).compactMap { $0["pending"] as? Int }.reduce(0, +)
                == count
        }
        try table.frames("hot", count: 2, from: 0)
        #expect(try Background.within(seconds: 30) { try pending(2) })
        #expect(try table.run(["events", "use", "--now", "jones"]).status == 0)
        try table.frames("hot", count: 1, from: 10)
        #expect(try Background.within(seconds: 30) { try pending(3) })
        let gallery = try Gallery(table, at: first.address)
        #expect(try Background.within(seconds: 60) { try pending(0) })
        #expect(run.kill(SIGTERM).status == 143)
        #expect(try gallery.assets().count == 3)
    }

    /// What a job could not send for another event is sent by the run, which had nothing to look after until then.
    @Test func whatAJobLeavesForAnotherEventIsSent() throws {
        let table = try Table(), first = try Gallery(table)
        let pipeline = try table.hotFolderPipeline(to: first.address, query: "?event={event}", most: "300ms")
        first.stop()
        let run = try watching(table, pipeline)
        // It looks after two seconds.
        Thread.sleep(forTimeInterval: 4)
        try table.frames("CARD", count: 2, from: 0)
        let job = try table.run(
            ["import", table.card, "--pipeline", pipeline, "--event", "jones", "--wait", "1s"],
            environment: Gallery.environment)
        #expect(job.status == 8 && job.count("pending") == 2, "\(job.output)\(job.errors)")
        let gallery = try Gallery(table, at: first.address)
        #expect(Background.within(seconds: 60) { (try? gallery.assets().count) == 2 })
        #expect(run.kill(SIGTERM).status == 143)
    }

    /// A frame of the earlier event that was rejected and is picked now is sent, though nothing waited until then.
    @Test func whatIsPickedOfTheEarlierEventIsSent() throws {
        let table = try Table(), gallery = try Gallery(table)
        let file = try table.hotFolderPipeline(to: gallery.address, query: "?event={event}", most: "300ms")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        // The copy in the archive is what is sent later.
        let picks = text.replacing(
            "to: [gallery]", with: "to: [archive, gallery], deliver: { gallery: { picks: only } }")
        let pipeline = try table.write(
            "picks.yaml",
            picks.replacing("targets:", with: "targets:\n  archive: { folder: { path: \"\(table.archive)\" } }"))
        let run = try watching(table, pipeline)
        try table.frames("hot", count: 1, from: 0)
        let frame = try #require(FileManager.default.subpaths(atPath: table.path("hot"))?.first { $0.hasSuffix("JPG") })
        let picture = table.path("hot") + "/" + frame
        #expect(try Background.within(seconds: 30) { try table.run(["mark", "--reject", picture]).status == 0 })
        #expect(try table.run(["events", "use", "--now", "jones"]).status == 0)
        // It looks after two seconds.
        Thread.sleep(forTimeInterval: 4)
        #expect(try table.run(["mark", "--pick", picture]).status == 0)
        #expect(Background.within(seconds: 60) { (try? gallery.assets().count) == 1 })
        #expect(run.kill(SIGTERM).status == 143)
    }

    /// A card with three frames, a folder for each event, and the words that take the card.
    private func cardOfEvents(_ verb: String) throws -> (Table, [String]) {
        let table = try Table()
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [ { card: { paths: ["\(table.card)"] } } ]
            stages: [ { dedupe: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.archive)/{event}", verify: size } } }
            """)
        let words =
            verb == "run"
            ? ["run", pipeline, "--once"]
            : [verb, table.card, "--pipeline", pipeline] + (verb == "watch" ? ["--once"] : [])
        try table.frames("CARD", count: 3, from: 0)
        return (table, words)
    }

    /// Without an event nothing goes once more to a target that has it for one, and the frames' event is not forgotten
    /// over it; another target gets them all.
    @Test(arguments: ["import", "run", "watch"]) func aRunWithoutAnEventLeavesWhatEventsHave(_ verb: String) throws {
        let (table, words) = try cardOfEvents(verb)
        #expect(try table.run(words + ["--event", "smith"]).status == 0)
        let next = try table.run(words)
        #expect(next.status == 0 && next.count("delivered") == 0, "\(next.output)")
        #expect(try table.run(["events", "use", "jones"]).status == 0)
        let last = try table.run(words)
        #expect(last.status == 0 && last.count("delivered") == 0, "\(last.output)")
        #expect(count(table, "smith") == 3 && count(table, "jones") == 0 && count(table, "unknown") == 0)
        #expect(try table.run(["events", "use", "--none"]).status == 0)
        let copy = try table.run(["import", table.card, "--to", table.path("backup"), "--verify", "size"])
        #expect(copy.status == 0 && copy.count("delivered") == 3, "\(copy.output)")
    }

    /// Who forgot the event reads where the frames are, rather than that nothing was to be done.
    @Test func anImportWithoutAnEventSaysWhoseItsFilesAre() throws {
        let (table, words) = try cardOfEvents("import"), state = ["--state", table.state]
        #expect(!(try Program.run(words + state + ["--event", "smith"]).errors.contains("belong")))
        let outcome = try Program.run(words + state)
        #expect(
            outcome.status == 0 && outcome.errors.contains("note: 3 files of these belong to the event smith;"),
            "\(outcome.output)\(outcome.errors)")
    }

    /// Who chose the event too late reads how the frames come to it.
    @Test func anImportUnderAChosenEventSaysWhatHasNone() throws {
        let (table, words) = try cardOfEvents("import"), state = ["--state", table.state]
        #expect(try table.run(words).count("delivered") == 3)
        #expect(try table.run(["events", "use", "Anna & Bo"]).status == 0)
        let outcome = try Program.run(words + state)
        #expect(
            outcome.status == 0 && outcome.errors.contains("note: 3 files of these were taken without an event")
                && outcome.errors.contains("`--event 'Anna & Bo'`"), "\(outcome.output)\(outcome.errors)")
        #expect(try table.run(words + ["--event", "Anna & Bo"]).count("delivered") == 3)
    }

    /// An event that was only chosen orders nothing of another one: neither on the card, nor the same bytes elsewhere.
    @Test(arguments: ["import", "run", "watch"]) func aChosenEventIsNoOrder(_ verb: String) throws {
        let (table, words) = try cardOfEvents(verb)
        #expect(try table.run(["events", "use", "smith"]).status == 0)
        #expect(try table.run(words).status == 0)
        #expect(try table.run(["events", "use", "jones"]).status == 0)
        try table.frames("CARD", count: 2, from: 10)
        let now = [FileAttributeKey.modificationDate: Date()]
        try FileManager.default.setAttributes(now, ofItemAtPath: table.card + "/DCIM/100TEST/IMG_0001.JPG")
        let next = try table.run(words)
        #expect(next.status == 0 && next.count("delivered") == 2 && next.count("alreadySeen") == 3, "\(next.output)")
        #expect(next.output.contains("it was taken for the event smith before"), "\(next.output)")
        #expect(count(table, "smith") == 3 && count(table, "jones") == 2)
        if verb == "import" { try copiesAreProven(table, words) }
        // Named for this one run it is an order.
        #expect(try table.run(words + ["--event", "jones"]).status == 0)
        #expect(count(table, "jones") == 5)
    }

    /// A copy of the card whose bytes stay with another event is as safe as the card.
    private func copiesAreProven(_ table: Table, _ words: [String]) throws {
        try FileManager.default.copyItem(atPath: table.card, toPath: table.path("dump"))
        let dump = words.map { $0 == table.card ? table.path("dump") : $0 }
        let left = try table.run(dump)
        #expect(left.status == 0 && left.count("delivered") == 0, "\(left.output)")
        let answer = try table.run(["safe-to-format", table.path("dump"), "--allow", "same-device"])
        #expect(answer.status == 0 && answer.summary["proven"] as? Int == 5, "\(answer.output)")
    }

    /// The run that took the card was killed before it began the second copy: one of the card is no safer.
    @Test func aCopyOfACardThatBrokeOffIsNotProven() throws {
        let table = try Table(), both = ["--to", table.archive, "--to", table.path("second")]
        try table.frames("CARD", count: 2, from: 0)
        #expect(try table.run(["import", table.card, "--event", "smith"] + both).status == 0)
        try table.editLedger("DELETE FROM delivery WHERE target_id = (SELECT max(id) FROM target)")
        try FileManager.default.copyItem(atPath: table.card, toPath: table.path("dump"))
        #expect(try table.run(["events", "use", "jones"]).status == 0)
        #expect(try table.run(["import", table.path("dump")] + both).count("delivered") == 0)
        for place in [table.card, table.path("dump")] {
            let answer = try table.run(["safe-to-format", place, "--allow", "same-device"])
            #expect(answer.status == 8 && answer.output.contains("never delivered"), "\(answer.output)")
        }
    }

    /// Nor does it order what was taken without any, or bring back what was taken back.
    @Test(arguments: ["import", "run", "watch"]) func aChosenEventIsNoOrderForWhatHasNone(_ verb: String) throws {
        let (table, words) = try cardOfEvents(verb)
        #expect(try table.run(words).count("delivered") == 3)
        let gone = table.archive + "/unknown/IMG_0000.JPG"
        try FileManager.default.removeItem(atPath: gone)
        #expect(try table.run(["cancel", "--yes", "--gone", gone]).status == 0)
        #expect(try table.run(["events", "use", "jones"]).status == 0)
        try table.frames("CARD", count: 2, from: 10)
        for _ in 1...2 {
            let next = try table.run(words)
            #expect(next.status == 0 && count(table, "jones") == 2 && count(table, "unknown") == 2, "\(next.output)")
        }
        let answer = try table.run(["safe-to-format", table.card, "--allow", "same-device"])
        #expect(answer.status == 0 && answer.summary["proven"] as? Int == 4, "\(answer.output)")
        #expect(try table.run(words + ["--event", "smith"]).status == 0)
        #expect(count(table, "smith") == 5)
    }

    @Test func withoutARunTheNextOneHasIt() throws {
        let table = try Table()
        #expect(try table.run(["events", "use", "--now", "jones"]).status == 0)
        #expect(try table.run(["events", "show"]).items("event").first?["name"] as? String == "jones")
        let none = try table.run(["events", "use", "--now", "--none"])
        #expect(none.status == 2 && (none.errors + none.output).contains("start it again without --event"))
    }

    /// Whichever of several orders is refused last: the next run begins with what was chosen before them.
    @Test func whatTheRunCannotGoOnWithIsNotChosen() throws {
        let table = try Table()
        #expect(try table.run(["events", "use", "base"]).status == 0)
        let run = try start(table)
        try table.frames("hot", count: 1, from: 0)
        #expect(Background.within(seconds: 30) { count(table, "smith") == 1 })
        try FileManager.default.moveItem(atPath: table.archive, toPath: table.path("away"))
        let orders = try ["jones", "miller", "brown"].map { event in
            try Background(["events", "use", "--now", event, "--state", table.state])
        }
        // Signal 0 is none: they end by themselves.
        let ends = orders.map { $0.kill(0) }
        #expect(ends.allSatisfy { $0.status == 2 && ($0.errors + $0.output).contains("is gone") }, "\(ends)")
        #expect(try table.run(["events", "show"]).items("event").first?["name"] as? String == "base")
        try FileManager.default.moveItem(atPath: table.path("away"), toPath: table.archive)
        #expect(try table.run(["events", "use", "--now", "jones"]).status == 0)
        #expect(try table.run(["events", "show"]).items("event").first?["name"] as? String == "jones")
        run.kill(SIGTERM)
    }

    /// The same event again interrupts nothing.
    @Test func theSameEventIsNoChange() throws {
        let table = try Table(), run = try start(table)
        #expect(try table.run(["events", "use", "--now", "smith"]).status == 0)
        try table.frames("hot", count: 1, from: 0)
        #expect(Background.within(seconds: 30) { count(table, "smith") == 1 })
        run.kill(SIGTERM)
        #expect(try table.run(["history"]).items("run").count == 1)
    }
}
