import Foundation
import TestThreads
import Testing

/// Events of a gallery: listed in pages, kept for a while, chosen by name or id, forgotten at sign-out.
@Suite(.ownThreads) struct GalleryEventTests {
    let table: Table, book: String, file: String

    init() throws {
        table = try Table()
        book = table.root.appendingPathComponent("book.json").path
        let module = try GalleryModule.module(table)
        file = try table.write(
            "p.yaml",
            """
            version: 1
            event: { required: true }
            modules: ["\(module)"]
            stages:
              - dedupe: {}
              - upload: { to: [archive, far] }
            targets:
              archive: { folder: { path: "\(table.archive)/{event}/{name}", verify: size } }
              far: { hall: { book: "\(book)", url: "http://127.0.0.1:9/", auth: studio } }
            auth:
              studio: { mock: { account: ann } }
            """)
        try write([("e-1", "Smith"), ("e-2", "Jones"), ("e-3", "Jones"), ("e-4", "Ann & Bo")])
    }

    private func write(_ events: [(String, String)]) throws {
        let items = events.map { ["id": $0.0, "name": $0.1, "date": "2026-05-01"] }
        try JSONSerialization.data(withJSONObject: items).write(to: URL(fileURLWithPath: book))
    }

    private func names(_ outcome: Program.Outcome) -> [String] {
        outcome.items("event").compactMap { $0["name"] as? String }
    }

    @Test func theListIsWholeKeptAWhileAndShownWhenTheGalleryIsAway() throws {
        let first = try table.run(["events", "list", file])
        #expect(first.status == 0, "\(first.errors)")
        #expect(names(first) == ["Smith", "Jones (e-2)", "Jones (e-3)", "Ann & Bo"])
        #expect(
            first.items("event").first?["id"] as? String == "e-1"
                && first.items("event").first?["target"] as? String == "far")
        try write([("e-9", "New")])
        #expect(names(try table.run(["events", "list", "--pipeline", file])) == names(first))
        #expect(names(try table.run(["events", "list", file, "--refresh"])) == ["New"])
        try FileManager.default.removeItem(atPath: book)
        let away = try table.run(["events", "list", file, "--refresh"])
        #expect(away.status == 0 && names(away) == ["New"])
        #expect(away.items("error").first?["code"] as? String == "network")
        try FileManager.default.removeItem(atPath: table.state + "/events")
        #expect(try table.run(["events", "list", file]).status != 0)
    }

    @Test func whatIsChosenByNameGoesToTheGalleryByItsID() throws {
        try table.sampleCard()
        #expect(try table.run(["import", table.card, "--pipeline", file]).status == 2)
        let unsure = try table.run(["events", "use", "Jones", "--pipeline", file])
        #expect(unsure.status == 2 && unsure.errors.contains("e-2") && unsure.errors.contains("e-3"))
        let chosen = try table.run(["events", "use", "Smith", "--pipeline", file])
        #expect(chosen.status == 0 && names(chosen) == ["Smith"])
        let run = try table.run(["import", table.card, "--pipeline", file])
        #expect(run.status == 0, "\(run.errors)")
        #expect(table.files(table.archive).keys.allSatisfy { $0.hasPrefix("Smith/") })
        let sent = try String(contentsOfFile: book + ".log", encoding: .utf8).split(separator: "\n")
        #expect(sent.count == run.count("delivered") && Set(sent) == ["e-1 Smith"])
        // The same event by its id is the same place: nothing is sent twice.
        #expect(try table.run(["events", "use", "e-1"]).items("event").first?["name"] as? String == "Smith")
        #expect(try table.run(["import", table.card, "--pipeline", file]).count("delivered") == 0)
        #expect(names(try table.run(["events", "use", "e-3"])) == ["Jones (e-3)"])
    }

    private func sent() -> [String] {
        let log = try? String(contentsOfFile: book + ".log", encoding: .utf8)
        return log?.split(separator: "\n").map(String.init) ?? []
    }

    /// Its place for an event is told by the id, and is the heir of the place without an event all the same.
    @Test func heldFramesGoToTheGalleryByItsID() throws {
        try table.frames("CARD", count: 2, from: 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let held = try table.write("held.yaml", text.replacingOccurrences(of: "required: true", with: "hold: true"))
        #expect(try table.run(["import", table.card, "--pipeline", held]).count("pending") == 2)
        let given = try table.run(["assign", "Smith", "--pipeline", held])
        #expect(given.status == 0 && sent() == ["e-1 Smith", "e-1 Smith"], "\(given.output)")
        #expect(try table.run(["import", table.card, "--pipeline", held]).count("pending") == 0)
        _ = try table.run(["assign", "Ann & Bo", "--pipeline", held])
        #expect(sent().count == 2)
    }

    /// Where nobody knows the id yet, `retry` finds it.
    @Test func whatIsAssignedWithoutTheGalleryIsSentByRetry() throws {
        try table.frames("CARD", count: 2, from: 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let held = try table.write("held.yaml", text.replacingOccurrences(of: "required: true", with: "hold: true"))
        let other = try table.write(
            "other.yaml",
            """
            version: 1
            stages: [{ dedupe: {} }, { upload: { to: [archive] } }]
            targets: { archive: { folder: { path: "\(table.archive)/{event}/{name}", verify: size } } }
            """)
        #expect(try table.run(["import", table.card, "--pipeline", held]).count("pending") == 2)
        _ = try table.run(["assign", "Smith", "--pipeline", other, "--wait", "1s"])
        #expect(sent().isEmpty)
        let retry = try table.run(["retry", "--pipeline", held])
        #expect(sent() == ["e-1 Smith", "e-1 Smith"], "\(retry.output)")
    }

    @Test func aChosenEventIsNoOrderForWhatTheGalleryHasWithoutOne() throws {
        try table.frames("CARD", count: 2, from: 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let free = try table.write(
            "free.yaml", text.replacingOccurrences(of: "required: true", with: "required: false"))
        #expect(try table.run(["import", table.card, "--pipeline", free]).count("delivered") == 2)
        #expect(sent().count == 2)
        #expect(try table.run(["events", "use", "Smith", "--pipeline", free]).status == 0)
        #expect(try table.run(["import", table.card, "--pipeline", free]).status == 0)
        #expect(sent().count == 2)
        #expect(try table.run(["import", table.card, "--pipeline", free, "--event", "Smith"]).count("delivered") == 2)
        #expect(sent().count == 4)
    }

    @Test func aNameThatWasNeverListedIsLookedUpBeforeAnythingIsSent() throws {
        try table.sampleCard()
        let list = try Data(contentsOf: URL(fileURLWithPath: book))
        try FileManager.default.removeItem(atPath: book)
        let away = try table.run(["import", table.card, "--pipeline", file, "--event", "Smith"])
        #expect(
            away.status == 5 && away.items("error").contains { ($0["message"] as? String ?? "").contains("Smith") },
            "\(away.output)")
        #expect(table.files(table.archive).isEmpty)
        try list.write(to: URL(fileURLWithPath: book))
        let unsure = try table.run(["import", table.card, "--pipeline", file, "--event", "Jones"])
        #expect(unsure.status == 2 && unsure.output.contains("e-2") && unsure.output.contains("e-3"))
        let run = try table.run(["import", table.card, "--pipeline", file, "--event", "Smith"])
        #expect(run.status == 0, "\(run.errors)")
        let sent = try String(contentsOfFile: book + ".log", encoding: .utf8).split(separator: "\n")
        #expect(Set(sent) == ["e-1 Smith"])
        // Known now: the gallery may be away, and the card has nothing new for it.
        try FileManager.default.removeItem(atPath: book)
        #expect(try table.run(["import", table.card, "--pipeline", file, "--event", "Smith"]).count("delivered") == 0)
    }

    /// Pages of two: the first look ends after a hundred events.
    @Test(arguments: ["E 150", "e-150", "E 150 (e-150)"]) func anEventFurtherDownALongListIsFound(
        _ event: String
    ) throws {
        try table.sampleCard()
        try write((1...160).map { ("e-\($0)", "E \($0)") } + [("e-a", "Twin"), ("e-b", "Twin")])
        let run = try table.run(["import", table.card, "--pipeline", file, "--event", event])
        #expect(run.status == 0, "\(run.errors)")
        let sent = try String(contentsOfFile: book + ".log", encoding: .utf8).split(separator: "\n")
        #expect(sent.allSatisfy { $0.hasPrefix("e-150 ") } && !sent.isEmpty)
        // It stays known while the gallery is away.
        try FileManager.default.removeItem(atPath: book)
        #expect(try table.run(["import", table.card, "--pipeline", file, "--event", event]).status == 0)
    }

    /// Sent as it is it would go to an event that nobody sees.
    @Test(arguments: [true, false]) func anEventThatIsNotInALongListIsSentNowhere(_ isEndless: Bool) throws {
        try table.sampleCard()
        try write((1...160).map { ("e-\($0)", "E \($0)") } + [("e-a", "Twin"), ("e-b", "Twin")])
        if isEndless { try Data().write(to: URL(fileURLWithPath: book + ".endless")) }
        let run = try table.run(["import", table.card, "--pipeline", file, "--event", "Nobody"])
        #expect(
            run.status == 2 && run.output.contains("Nobody") && run.output.contains("nothing was sent"), "\(run.output)"
        )
        if isEndless { #expect(run.output.contains("the first 162 events")) }
        let unsure = try table.run(["import", table.card, "--pipeline", file, "--event", "Twin"])
        #expect(unsure.status == 2 && unsure.output.contains("e-a") && unsure.output.contains("e-b"))
        #expect(table.files(table.archive).isEmpty && !FileManager.default.fileExists(atPath: book + ".log"))
    }

    @Test func whatChangesIsToldWhileItIsWatched() throws {
        let watching = try Background(["events", "list", file, "--watch", "--json", "--state", table.state])
        #expect(Background.within(seconds: 30) { watching.said.contains("Ann & Bo") })
        try write([("e-1", "Smith-Lee"), ("e-3", "Jones"), ("e-4", "Ann & Bo"), ("e-5", "New")])
        #expect(Background.within(seconds: 30) { watching.said.contains(#""removed""#) })
        let told = watching.kill(SIGTERM).items("event").filter { $0["change"] != nil }
        #expect(told.map { $0["change"] as? String } == ["changed", "added", "removed"])
        #expect(told.map { $0["id"] as? String } == ["e-1", "e-5", "e-2"])
    }

    @Test func signingOutForgetsThem() throws {
        #expect(try table.run(["events", "use", "Smith", "--pipeline", file]).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: table.state + "/events").count == 1)
        #expect(try table.run(["logout", file]).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: table.state + "/events").isEmpty)
        #expect(try table.run(["events", "show"]).items("event").first?["chosen"] as? Bool == false)
        // What was chosen from no gallery stays.
        #expect(try table.run(["events", "use", "plain"]).status == 0)
        #expect(try table.run(["logout", file]).status == 0)
        #expect(names(try table.run(["events", "show"])) == ["plain"])
    }
}
