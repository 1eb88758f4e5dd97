import Foundation
import TestThreads
import Testing

/// Two accounts at one gallery may both have an event of the same name: what one calls it is never said with the
/// other's sign-in.
@Suite(.ownThreads) struct AccountEventTests {
    let table: Table, module: String

    init() throws {
        table = try Table()
        module = try GalleryModule.module(table)
        try table.sampleCard()
        try book("ann", [("a-1", "Gala")])
        try book("bo", [("b-1", "Gala")])
    }

    private func book(_ account: String, _ events: [(String, String)]) throws {
        let items = events.map { ["id": $0.0, "name": $0.1, "date": "2026-05-01"] }
        try table.write("\(account).json", try JSONSerialization.data(withJSONObject: items))
    }

    private func pipeline(_ name: String, book: String, entry: String, _ auth: String) throws -> String {
        try table.write(
            name,
            """
            version: 1
            event: { required: true }
            modules: ["\(module)"]
            stages:
              - dedupe: {}
              - upload: { to: [far] }
            targets:
              far: { hall: { book: "\(table.path("\(book).json"))", url: "http://127.0.0.1:9/", auth: \(entry) } }
            auth:
              \(entry): { \(auth) }
            """)
    }

    private func mock(_ account: String, as entry: String? = nil, in name: String? = nil) throws -> String {
        try pipeline(
            name ?? "p\(account).yaml", book: account, entry: entry ?? account, "mock: { account: \(account) }")
    }

    private func sent(_ book: String) -> Set<String> {
        let text = (try? String(contentsOfFile: table.path("\(book).json.log"), encoding: .utf8)) ?? ""
        return Set(text.split(separator: "\n").map(String.init))
    }

    private func take(_ file: String, _ event: String? = nil) throws -> Program.Outcome {
        try table.run(
            ["import", table.card, "--pipeline", file, "--wait", "10s"] + (event.map { ["--event", $0] } ?? []))
    }

    @Test(arguments: [true, false]) func eachAccountsOwnIDIsSent(_ isChosen: Bool) throws {
        let ann = try mock("ann"), bo = try mock("bo")
        for file in [ann, bo] {
            #expect(try table.run(["login", file]).status == 0)
            #expect(try table.run(["events", "list", file]).status == 0)
        }
        if isChosen {
            #expect(try table.run(["events", "use", "Gala"]).status == 0)
            let ids = try #require(try table.run(["events", "show"]).items("event").first?["ids"] as? [String: String])
            #expect(ids == ["hall:hall (ann)": "a-1", "hall:hall (bo)": "b-1"])
        }
        for file in [ann, bo] { #expect(try take(file, isChosen ? nil : "Gala").status == 0) }
        #expect(sent("ann") == ["a-1 Gala"] && sent("bo") == ["b-1 Gala"])
        // Who signs out takes only what is theirs along.
        if isChosen {
            #expect(try table.run(["logout", ann]).status == 0)
            #expect(
                try table.run(["events", "show"]).items("event").first?["ids"] as? [String: String] == [
                    "hall:hall": "b-1"
                ])
        }
    }

    @Test func whoSignsInAfterAnotherIsNotSentToTheirEvent() throws {
        let file = try mock("ann", as: "studio", in: "p.yaml")
        #expect(try table.run(["login", file]).status == 0)
        #expect(try table.run(["events", "use", "Gala", "--pipeline", file]).status == 0)
        _ = try mock("bo", as: "studio", in: "p.yaml")
        let login = try table.run(["login", "studio", "--pipeline", file, "--another-account"])
        #expect(login.status == 0 && login.errors.contains("another account are forgotten"))
        #expect(try table.run(["events", "show"]).items("event").first?["chosen"] as? Bool == false)
        #expect(try take(file).status == 2)
        #expect(try take(file, "Gala").status == 0)
        #expect(sent("bo") == ["b-1 Gala"] && sent("ann").isEmpty)
        // The same account once more loses nothing.
        #expect(try table.run(["events", "use", "Gala"]).status == 0)
        #expect(try table.run(["login", "studio", "--pipeline", file]).status == 0)
        #expect(try table.run(["events", "show"]).items("event").first?["chosen"] as? Bool == true)
    }

    @Test func anAccountThatTheFileNamesHasItsOwnToo() throws {
        let file = try pipeline(
            "p.yaml", book: "ann", entry: "desk", "basic: { username: ann, password: \"${env:NOBODY_ASKS}\" }")
        #expect(try table.run(["events", "use", "Gala", "--pipeline", file]).status == 0)
        _ = try pipeline(
            "p.yaml", book: "bo", entry: "desk", "basic: { username: bo, password: \"${env:NOBODY_ASKS}\" }")
        #expect(try take(file).status == 0)
        #expect(sent("bo") == ["b-1 Gala"] && sent("ann").isEmpty)
    }

    @Test func anEventThatTheGalleryDoesNotKnowIsSentNowhere() throws {
        let file = try mock("ann")
        #expect(try table.run(["login", file]).status == 0)
        let unknown = try take(file, "Galla")
        let said = unknown.items("error").first?["message"] as? String ?? ""
        #expect(
            unknown.status == 2 && said.contains("knows no event Galla") && sent("ann").isEmpty, "\(unknown.output)")
        // Made there meanwhile, it is found.
        try book("ann", [("a-1", "Gala"), ("a-2", "Galla")])
        #expect(try take(file, "Galla").status == 0)
        #expect(sent("ann") == ["a-2 Galla"])
    }

    @Test func whatAnEarlierVersionChoseIsLookedUpAnew() throws {
        let file = try mock("ann")
        #expect(try table.run(["login", file]).status == 0)
        try table.write("state/event", "Gala\nhall:hall\tb-1")
        #expect(try table.run(["events", "show"]).items("event").first?["name"] as? String == "Gala")
        #expect(try take(file).status == 0)
        #expect(sent("ann") == ["a-1 Gala"])
    }

    /// What waits is for the id that it was taken for: it goes there once that is known again, and under no name
    /// before.
    @Test func aRetryLooksTheIDUp() throws {
        let file = try mock("ann")
        #expect(try table.run(["login", file]).status == 0)
        try table.write("ann.json.down", "")
        #expect(try take(file, "Gala").count("delivered") == 0)
        #expect(try table.run(["logout", file]).status == 0)
        #expect(try table.run(["login", file]).status == 0)
        let list = try Data(contentsOf: URL(fileURLWithPath: table.path("ann.json")))
        for gone in ["ann.json", "ann.json.down"] { try FileManager.default.removeItem(atPath: table.path(gone)) }
        #expect(try table.run(["retry", "--wait", "5s"]).count("delivered") == 0)
        #expect(sent("ann").isEmpty)
        try table.write("ann.json", list)
        let retried = try table.run(["retry", "--wait", "10s"])
        #expect(retried.count("delivered") > 0, "\(retried.output) \(retried.errors)")
        #expect(sent("ann") == ["a-1 Gala"])
    }
}
