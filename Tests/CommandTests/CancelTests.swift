import FilmgateCore
import FilmgateTesting
import Foundation
import TestThreads
import Testing

@testable import filmgate

/// What was ordered by mistake is taken back, and nothing that was wanted is lost with it.
@Suite(.ownThreads) struct CancelTests {
    private func cancel(_ table: Table, _ words: [String]) throws -> Program.Outcome {
        try table.run(["cancel", "--yes"] + words)
    }

    private func ask(_ table: Table) throws -> Program.Outcome {
        try table.run(["safe-to-format", table.card, "--allow", "same-device"])
    }

    /// All that waits for the target that somebody calls so.
    private func choice(of target: String) -> OrderChoice { OrderChoice(target: target, files: [], start: .own) }

    /// What a message tells to do: the words of a `filmgate` command in it, as a shell reads them.
    private func command(in text: String) throws -> [String] {
        let start = try #require(text.range(of: "`filmgate cancel ")).upperBound
        let words = text[start...].prefix { $0 != "`" }
        return words.split(separator: " ").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "'")) }
    }

    /// A wrong port: import, corrected, `cancel`, `safe-to-format` YES, all by what the messages say.
    @Test func aMistypedPortIsTakenBack() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        let wrong = "http://127.0.0.1:\(FreePort.next())", gallery = try Gallery(table)
        #expect(try table.deliver(try table.pipeline(gallery, address: wrong), wait: "1s").status == 8)
        let right = try table.pipeline(gallery)
        #expect(try table.deliver(right).status == 0)
        let no = try ask(table)
        let reason = "\(no.items().first { $0["proof"] as? String == "not_proven" }?["reason"] ?? "")"
        #expect(no.status == 8 && reason.contains(wrong), "\(no.output)")
        let status = try Program.run(["status", "--state", table.state])
        #expect(status.output.contains("filmgate cancel --target '\(wrong)/api/assets"), "\(status.output)")
        let retry = try table.run(["retry", "--wait", "1s", "--pipeline", right], environment: Gallery.environment)
        #expect(
            retry.items().allSatisfy { "\($0["reason"] ?? "")".contains("filmgate cancel --target '\(wrong)") },
            "\(retry.output)")
        // The name alone stands for both places.
        let cancelled = try cancel(table, try command(in: reason))
        #expect(cancelled.status == 0 && cancelled.count("filtered") == 3, "\(cancelled.errors)")
        let yes = try ask(table)
        #expect(yes.status == 0, "\(yes.output)")
        #expect(
            try table.run(["retry", "--wait", "1s", "--pipeline", right], environment: Gallery.environment).status == 0)
        #expect(try gallery.assets().count == 3)
    }

    /// An address stands for its events; a kind of target, or a server without its port, for nothing.
    @Test(arguments: [
        ("http://127.0.0.1:23999/api", true), ("http:http://127.0.0.1:23999/api", true), ("gallery", true),
        ("http://127.0.0.1", false), ("http", false),
    ])
    func aTargetIsMeantByItsWholeAddress(target: String, isMeant: Bool) throws {
        let content = ContentKey(sha256: String(repeating: "a", count: 64))
        let origin = Origin(source: "card", volume: "v", root: "/card", path: "A.JPG", size: 1, modified: 1)
        let row = DeliveryRow(
            content: content, target: "http:http://127.0.0.1:23999/api:wedding", targetName: "gallery",
            receipt: Receipt(state: .pending), size: 1, path: "A.JPG")
        let asset = AssetRow(origin: origin, run: 1, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"), at: 1)
        let order = QueuedDelivery(delivery: row, asset: asset)
        #expect((try? choice(of: target).choose([order]).count == 1) ?? false == isMeant)
    }

    /// The page names the target without an event by its identity, which is also how those of its events begin.
    @Test func aWholeIdentityMeansThatPlaceAlone() throws {
        let identity = "http:http://127.0.0.1:23999/api"
        let origin = Origin(source: "card", volume: "v", root: "/card", path: "A.JPG", size: 1, modified: 1)
        let asset = AssetRow(origin: origin, run: 1, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"), at: 1)
        let orders = [identity, identity + ":wedding"].map { target in
            let row = DeliveryRow(
                content: ContentKey(sha256: String(repeating: "a", count: 64)), target: target, targetName: "gallery",
                receipt: Receipt(state: .pending), size: 1, path: "A.JPG")
            return QueuedDelivery(delivery: row, asset: asset)
        }
        for order in orders {
            let meant = try choice(of: order.delivery.target).choose(orders)
            #expect(meant.map(\.delivery.target) == [order.delivery.target])
        }
    }

    /// A dump of another card lies at the path by now, whose frame waits for nothing.
    @Test func whatLiesAtAPathTodayIsMeantByIt() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        let gallery = try Gallery(table), pipeline = try table.pipeline(gallery)
        gallery.stop()
        #expect(try table.deliver(pipeline, wait: "1s").status == 8)
        let frame = table.card + "/DCIM/100TEST/IMG_0001.JPG"
        // Touched, it is the same; another one is not.
        try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: frame)
        let one = try cancel(table, [frame])
        #expect(one.count("filtered") == 1 && one.errors.hasSuffix("1 delivery taken back.\n"), "\(one.errors)")
        try table.write("CARD/DCIM/100TEST/IMG_0002.JPG", "another card's")
        for path in [table.card + "/DCIM/100TEST/IMG_0002.JPG", table.card + "/DCIM"] {
            let refused = try cancel(table, [path])
            #expect(refused.status == 2 && refused.errors.contains("SHA-256"), "\(refused.output)\(refused.errors)")
        }
    }

    /// Cards of one name are mounted at one place: what is named there is not what another card had at that path.
    @Test func aPathIsTheCardsThatIsThere() throws {
        func order(_ digit: String, on volume: String, _ name: String = "A.JPG") -> QueuedDelivery {
            let origin = Origin(source: "card", volume: volume, root: "/none/CARD", path: name, size: 1, modified: 1)
            let row = DeliveryRow(
                content: ContentKey(sha256: String(repeating: digit, count: 64)), target: "http:a", targetName: "a",
                receipt: Receipt(state: .pending), size: 1, path: name)
            let asset = AssetRow(origin: origin, run: 1, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"), at: 1)
            return QueuedDelivery(delivery: row, asset: asset)
        }
        func chosen(_ file: String, _ orders: [QueuedDelivery], there volume: String? = nil) throws -> [String] {
            var choice = OrderChoice(target: nil, files: [file], start: .own)
            choice.volume = { _ in volume }
            return try choice.choose(orders).map { String($0.delivery.content.sha256.prefix(1)) }
        }
        let file = "/none/CARD/A.JPG", monday = order("a", on: "1"), tuesday = order("b", on: "2")
        #expect(try chosen(file, [monday, tuesday], there: "2") == ["b"])
        #expect(try chosen("/none/CARD", [monday, tuesday, order("c", on: "2", "C.JPG")], there: "2") == ["b", "c"])
        // One card only can be meant where none is there.
        #expect(try chosen(file, [tuesday]) == ["b"])
        // Neither what another card had, nor one of two: by its digest it is clear.
        #expect(throws: Refusal.self) { try chosen(file, [monday], there: "2") }
        #expect(throws: Refusal.self) { try chosen("/none/CARD", [monday, tuesday]) }
        #expect(throws: Refusal.self) { try chosen(file, [monday, order("d", on: "1")], there: "1") }
        #expect(try chosen(monday.delivery.content.sha256, [monday, tuesday], there: "2") == ["a"])
    }

    @Test func itAsksAndNamesWhatItWouldTake() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        let gallery = try Gallery(table), pipeline = try table.pipeline(gallery)
        gallery.stop()
        #expect(try table.deliver(pipeline, wait: "1s").status == 8)
        let asked = try table.run(["cancel", "--target", "gallery"])
        #expect(
            asked.status == 2 && asked.errors.contains("IMG_0002.JPG") && asked.errors.contains("--yes"),
            "\(asked.errors)")
        #expect(try table.run(["cancel"]).status == 2)
        let unknown = try cancel(table, ["--target", "galery"])
        #expect(unknown.status == 2 && unknown.errors.contains("gallery (http://127.0.0.1"), "\(unknown.errors)")
        // One file of two, by its path; it stays taken back until somebody orders it anew.
        let one = try cancel(table, ["--target", "gallery", table.card + "/DCIM/100TEST/IMG_0001.JPG"])
        #expect(one.status == 0 && one.count("filtered") == 1, "\(one.output)\(one.errors)")
        let back = try Gallery(table, at: gallery.address)
        let run = try table.deliver(pipeline)
        #expect(run.status == 0 && run.count("delivered") == 1 && run.count("alreadySeen") == 1, "\(run.output)")
        #expect(try back.assets().count == 1)
        // The next import says so, and how it is sent after all.
        let words = ["import", table.card, "--pipeline", pipeline, "--state", table.state]
        let repeated = try Program.run(words, environment: Gallery.environment)
        #expect(repeated.status == 0 && repeated.output.contains("2 already seen"), "\(repeated.output)")
        #expect(
            repeated.errors.contains("note: 1 file of these was taken back for gallery")
                && repeated.errors.contains("`--again` orders it anew."), "\(repeated.errors)")
        #expect(try ask(table).status == 0)
        #expect(try table.deliver(pipeline, ["--again"]).status == 0)
        #expect(try back.assets().count == 2)
    }

    /// Without a folder the bytes wait in the spool, and the card may be gone: taking the order back does not take the
    /// frame.
    @Test func theLastCopyIsKept() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        let gallery = try Gallery(table)
        let text = try String(contentsOfFile: try table.pipeline(gallery), encoding: .utf8)
        gallery.stop()
        let only = try table.write(
            "only.yaml", text.replacingOccurrences(of: "to: [archive, gallery]", with: "to: [gallery]"))
        #expect(try table.deliver(only, wait: "1s").status == 8)
        let frame = try Data(contentsOf: URL(fileURLWithPath: table.card + "/DCIM/100TEST/IMG_0001.JPG"))
        try FileManager.default.moveItem(atPath: table.card, toPath: table.path("AWAY"))
        let outcome = try cancel(table, ["--target", "gallery"])
        let kept = try #require(outcome.items().first?["file"] as? String)
        #expect(try Data(contentsOf: URL(fileURLWithPath: kept)) == frame)
        try FileManager.default.moveItem(atPath: table.path("AWAY"), toPath: table.card)
        let answer = try ask(table)
        #expect(answer.status == 8 && answer.output.contains("filtered: "), "\(answer.output)")
        #expect(try table.deliver(only, wait: "1s").count("filtered") == 1)
    }

    @Test(arguments: [false, true]) func aLivingRunGivesItBack(isHeld: Bool) throws {
        let table = try Table(), first = try Gallery(table, fault: isHeld ? "unauthorized" : nil)
        let pipeline = try table.live(
            "live.yaml", first, ["- folder: { path: \"\(table.path("hot"))\", settle: 50ms, companions: 50ms }"])
        if !isHeld { first.stop() }
        try FileManager.default.createDirectory(atPath: table.path("hot"), withIntermediateDirectories: true)
        let run = try Background(["run", pipeline, "--state", table.state, "--json"], environment: Gallery.environment)
        #expect(run.line(#"{"type":"status""#) != nil)
        try table.frames("hot", count: 3, from: 0)
        func gallery() throws -> [String: Any] {
            let status = try #require(try table.run(["status"]).items("status").first)
            return (status["targets"] as? [[String: Any]] ?? []).first { $0["name"] as? String == "gallery" } ?? [:]
        }
        let state = isHeld ? "held" : "pending"
        #expect(try Background.within(seconds: 30) { try gallery()[state] as? Int == 3 })
        var taken = 0
        #expect(
            try Background.within(seconds: 30) {
                taken += max(0, try cancel(table, ["--target", "gallery"]).count("filtered"))
                return try gallery()["cancelled"] as? Int == 3
            })
        #expect(taken == 3)
        first.stop()
        let back = try Gallery(table, at: first.address)
        try table.frames("hot", count: 1, from: 9)
        #expect(try Background.within(seconds: 60) { try back.assets().count == 1 })
        _ = run.kill(SIGINT)
        #expect(try back.assets().count == 1)
        #expect(table.files(table.archive).keys.filter { $0.hasSuffix(".JPG") }.count == 4)
        let counts = try #require(try table.run(["status"]).items("status").first?["assets"] as? [String: Int])
        #expect(counts["delivered"] == 4 && counts["pending"] == 0, "\(counts)")
    }

    /// A disk that was replaced: nothing blames it any more, and what was only there is proven by nothing.
    @Test func aPlaceThatIsGoneIsRetired() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        #expect(try table.importing(to: table.path("old")).status == 0)
        let early = try cancel(table, ["--target", table.path("old"), "--gone"])
        #expect(early.status == 2 && early.output.contains("still there"), "\(early.output)")
        try FileManager.default.removeItem(atPath: table.path("old"))
        #expect(try table.importing(to: table.path("new")).status == 0)
        #expect(try table.run(["verify"]).status == 6)
        #expect(try cancel(table, ["--target", table.path("old"), "--gone"]).status == 0)
        let verify = try table.run(["verify"])
        #expect(verify.status == 0, "\(verify.output)")
        #expect(try !Program.run(["status", "--state", table.state]).output.contains(table.path("old")))
        let yes = try ask(table), told = yes.items().compactMap { ($0["taken_back"] as? [String])?.first }
        #expect(yes.status == 0 && yes.summary["taken_back"] as? Int == 2, "\(yes.output)")
        #expect(told == Array(repeating: "to (\(table.path("old")))", count: 2), "\(told)")
        // The place is there again: what is delivered to it is a new copy.
        #expect(try table.importing(to: table.path("old")).count("delivered") == 2)
        try FileManager.default.removeItem(atPath: table.path("old"))
        #expect(try cancel(table, ["--target", table.path("old"), "--gone"]).status == 0)
        #expect(try ask(table).status == 0)
        // Nothing else proves it then.
        try FileManager.default.removeItem(atPath: table.path("new"))
        #expect(try ask(table).status == 8)
    }

    /// What an earlier import brought elsewhere stays proven when all that the last one ordered is taken back.
    @Test func whatWasTakenBackTakesNoProofAway() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        #expect(try table.importing(to: table.path("a")).status == 0)
        let nowhere = "http://127.0.0.1:\(FreePort.next())/{name}"
        let pipeline = try table.pipeline(to: nowhere, signedBy: "bearer: { token: \"${env:FILMGATE_GALLERY_TOKEN}\" }")
        #expect(try table.deliver(pipeline, wait: "1s").status == 8)
        #expect(try cancel(table, ["--target", "gallery"]).status == 0)
        let yes = try ask(table)
        #expect(yes.status == 0 && yes.count("proven") == 3, "\(yes.output)")
        let status = try Program.run(["status", "--state", table.state]).output
        #expect(status.contains("assets: 3 delivered"), "\(status)")
        let copy = try #require(table.files(table.path("a")).keys.first { $0.hasSuffix(".JPG") })
        try FileManager.default.removeItem(atPath: table.path("a") + "/" + copy)
        #expect(try ask(table).status == 8)
    }

    /// A frame that was culled in the folder and in the gallery: what the NO names leads to a yes, and nothing brings
    /// the frame back.
    @Test func whatWasRemovedOnPurposeIsMissedNoMore() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        #expect(
            try table.importing(to: table.path("a")).status == 0 && table.importing(to: table.path("b")).status == 0)
        let frame = table.card + "/DCIM/100TEST/IMG_0002.JPG"
        // A copy that is there is left alone, and so is one in a folder that is away.
        let early = try cancel(table, ["--gone", frame])
        #expect(early.status == 2 && early.output.contains("not known to lack"), "\(early.output)")
        for place in ["a", "b"] {
            let copy = try #require(table.files(table.path(place)).keys.first { $0.hasSuffix("IMG_0002.JPG") })
            try FileManager.default.removeItem(atPath: table.path(place) + "/" + copy)
        }
        let no = try ask(table)
        #expect(
            no.status == 8 && (no.summary["advice"] as? String)?.contains("`filmgate cancel --gone FILE…`") == true,
            "\(no.output)")
        #expect(try cancel(table, ["--gone", frame]).count("filtered") == 2)
        let yes = try ask(table), exempt = yes.items().filter { $0["proof"] as? String == "exempt" }
        #expect(yes.status == 0 && exempt.count == 1, "\(yes.output)")
        #expect((exempt.first?["reason"] as? String)?.contains("removed on purpose") == true)
        #expect(try table.run(["verify"]).status == 0)
        // Nobody brings it back but who asks for it.
        #expect(try table.importing(to: table.path("a")).count("delivered") == 0)
        #expect(try ask(table).status == 0)
        #expect(try table.importing(["--again"], to: table.path("a")).count("delivered") == 1)
    }

    /// "Nothing waits" would pass for done.
    @Test func aMistypedFileIsRefused() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        #expect(try table.importing().status == 0)
        let mistyped = try cancel(table, [table.card + "/DCIM/100TEST/IMG_0020.JPG"])
        #expect(mistyped.status == 2 && mistyped.errors.contains("IMG_0020.JPG is known"), "\(mistyped.errors)")
        #expect(try cancel(table, [table.card + "/DCIM/100TEST/IMG_0002.JPG"]).status == 0)
        // A card that is not here is known by its files.
        try FileManager.default.moveItem(atPath: table.card, toPath: table.path("away"))
        #expect(try cancel(table, [table.card + "/DCIM/100TEST/IMG_0002.JPG"]).status == 0)
        #expect(try cancel(table, [table.card]).status == 0)
    }

    /// What was said of a copy after a run is told as such in that run's history.
    @Test func historyKeepsWhatCameLaterApart() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        #expect(try table.importing().status == 0)
        let copy = try #require(table.files(table.archive).keys.first { $0.hasSuffix("IMG_0001.JPG") })
        try FileManager.default.removeItem(atPath: table.archive + "/" + copy)
        #expect(try cancel(table, ["--gone", table.card + "/DCIM/100TEST/IMG_0001.JPG"]).status == 0)
        let told = try Program.run(["history", "--run", "1", "--state", table.state])
        #expect(told.output.hasPrefix("delivered: ") && told.output.contains("(excluded since)"), "\(told.output)")
    }

    /// A plan names only what it would send.
    @Test func aPlanTellsWhatIsThereAlready() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        #expect(try table.importing(to: table.path("a")).status == 0)
        let folders = ["a", "b"].map { "\($0): { folder: { path: \"\(table.path($0))\" } }" }.joined(separator: ", ")
        let file = try table.write(
            "two.yaml",
            """
            version: 1
            sources: [{ card: { paths: ["\(table.card)"] } }]
            stages: [{ exif: {} }, { dedupe: {} }, { upload: { to: [a, b] } }]
            targets: { \(folders) }
            """)
        let plan = try Program.run(["plan", table.card, "--pipeline", file, "--state", table.state])
        #expect(plan.output.contains("already there: ") && plan.output.contains("→ a "), "\(plan.output)")
        #expect(
            plan.output.contains("would deliver: ") && plan.output.components(separatedBy: "would deliver: ").count == 2
        )
    }

    /// Removed at one target alone: the other copy proves the frame.
    @Test func aCopyThatWasRemovedOnPurposeLeavesTheOthers() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        #expect(
            try table.importing(to: table.path("a")).status == 0 && table.importing(to: table.path("b")).status == 0)
        let copy = try #require(table.files(table.path("b")).keys.first { $0.hasSuffix("IMG_0001.JPG") })
        try FileManager.default.removeItem(atPath: table.path("b") + "/" + copy)
        #expect(try ask(table).status == 8)
        // By the name of the copy, as the NO says it.
        #expect(try cancel(table, ["--gone", table.path("b") + "/" + copy]).count("filtered") == 1)
        let yes = try ask(table)
        #expect(yes.status == 0 && yes.summary["proven"] as? Int == 2, "\(yes.output)")
        let words = ["safe-to-format", table.card, "--allow", "same-device", "--state", table.state]
        let text = try Program.run(words).output
        #expect(
            text.contains("Not counted for 1 file: to (\(table.path("b"))), removed there on purpose") == true
                && text.hasSuffix("YES: safe to format.\n"), "\(text)")
        // Of this one nobody said anything.
        let other = try #require(table.files(table.path("a")).keys.first { $0.hasSuffix("IMG_0001.JPG") })
        try FileManager.default.removeItem(atPath: table.path("a") + "/" + other)
        #expect(try ask(table).status == 8)
    }

    /// As the page and `status` show it, and as `retry` takes it.
    @Test func whatWaitsIsFoundByItsName() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        let gallery = try Gallery(table), pipeline = try table.pipeline(gallery)
        gallery.stop()
        #expect(try table.deliver(pipeline, wait: "1s").status == 8)
        let unknown = try cancel(table, ["--target", "gallery", "IMG_0009.JPG"])
        #expect(unknown.status == 2 && unknown.errors.contains("No file"), "\(unknown.output)\(unknown.errors)")
        let cancelled = try cancel(table, ["--target", "gallery", "IMG_0002.JPG"])
        #expect(cancelled.status == 0 && cancelled.count("filtered") == 1, "\(cancelled.output)\(cancelled.errors)")
        // Another frame of that name waits, too: which of them is meant is not clear.
        try table.frames("B", count: 1, from: 1)
        _ = try table.run(
            ["import", table.path("B"), "--pipeline", pipeline, "--wait", "1s"], environment: Gallery.environment)
        let refused = try cancel(table, ["IMG_0001.JPG"])
        #expect(refused.status == 2 && refused.errors.contains("SHA-256"), "\(refused.output)\(refused.errors)")
        let digest = try #require(refused.errors.firstMatch(of: #/[0-9a-f]{64}/#)).output
        #expect(try cancel(table, [String(digest.prefix(8))]).count("filtered") == 1)
        #expect(try cancel(table, ["abcdef01"]).status == 2)
    }
}
