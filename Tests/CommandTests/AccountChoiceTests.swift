import FilmgateCore
import FilmgateTesting
import Foundation
import HTTPKit
import Synchronization
import TestThreads
import Testing

@testable import filmgate

/// A deployment that keeps preferences, and takes nothing but what was agreed: two functions, their arguments and
/// types, and a sign-in.
private final class Deployment: Sendable {
    struct State {
        /// By account and name.
        var kept: [String: JSONObject] = [:]
        var mistakes: [String] = [], calls = 0
    }
    let state = Mutex(State())

    subscript(account: String) -> JSONObject {
        get { state.withLock { $0.kept[account] ?? [:] } }
        set { state.withLock { $0.kept[account] = newValue } }
    }
    var mistakes: [String] { state.withLock(\.mistakes) }

    func answer(_ seen: FaultServer.Seen) -> FaultAct {
        state.withLock { state in
            state.calls += 1
            func refuse(_ why: String) -> FaultAct {
                state.mistakes.append(why)
                return .answer(400, body: "{}")
            }
            let account = ["ann", "ben"].first {
                seen[header: "Authorization"]?.hasPrefix("Bearer mock-\($0)-") == true
            }
            guard let account else { return refuse("not signed in") }
            guard seen.method == "POST", let call = JSONValue(seen.body), case .object(let args)? = call["args"] else {
                return refuse("no call")
            }
            switch (seen.target, call["path"]?.text) {
            case ("/api/query", "prefs:mine"):
                guard args.isEmpty else { return refuse("arguments \(args.keys)") }
                let value = state.kept[account].map { JSONValue.object($0) } ?? .null
                return .answer(200, body: JSONValue.object(["status": .string("success"), "value": value]).serialized)
            case ("/api/mutation", "prefs:keep"):
                guard args.keys.sorted() == ["changed", "name", "value"], case .string(let name)? = args["name"],
                    case .string? = args["value"], case .integer(let time)? = args["changed"], time > 1_600_000_000_000
                else { return refuse("arguments \(args)") }
                state.kept[account, default: [:]][name] = .object(JSONObject(args.filter { $0.key != "name" }))
                return .answer(200, body: #"{"status":"success","value":null}"#)
            default: return refuse("\(seen.target) \(call["path"]?.text ?? "")")
            }
        }
    }
}

/// The event and the measured clocks follow the account.
@Suite(.ownThreads) struct AccountChoiceTests {
    private let place = Deployment(), server: FaultServer, here: Table, there: Table

    init() throws {
        let place = place
        server = try FaultServer { seen, _ in .compute { place.answer($0) } }
        (here, there) = (try Table(), try Table())
    }

    private func pipeline(_ table: Table, url: String? = nil, as account: String = "ann") throws -> String {
        try table.write(
            "p.yaml",
            """
            version: 1
            stages: [ upload: { to: [app] } ]
            targets:
              app:
                convex:
                  url: "\(url ?? server.url)"
                  commit: "files:save"
                  preferences: "prefs:mine"
                  keep_preference: "prefs:keep"
                  auth: me
            auth:
              me: { mock: { account: \(account) } }
            """)
    }

    private func chosen(_ table: Table) throws -> String? {
        try table.run(["events", "show"]).items("event").first?["name"] as? String
    }

    @Test func whatIsChosenOnOneMachineIsChosenOnTheOtherAfterSigningIn() throws {
        let mine = try pipeline(here), other = try pipeline(there)
        #expect(try here.run(["login", mine]).status == 0)
        #expect(try here.run(["events", "use", "Smith", "--pipeline", mine]).status == 0)
        #expect(place["ann"]["event"]?["value"]?.text == "Smith")
        let login = try there.run(["login", other])
        #expect(login.status == 0, "\(login.errors)")
        #expect(login.errors.contains("the event Smith"))
        #expect(try chosen(there) == "Smith")
        #expect(place.mistakes == [])
    }

    @Test func theLaterChoiceCountsWhereverItWasMade() throws {
        let mine = try pipeline(here), other = try pipeline(there)
        for (table, file) in [(here, mine), (there, other)] { #expect(try table.run(["login", file]).status == 0) }
        #expect(try there.run(["events", "use", "Jones", "--pipeline", other]).status == 0)
        #expect(try here.run(["events", "use", "Smith", "--pipeline", mine]).status == 0)
        #expect(place["ann"]["event"]?["value"]?.text == "Smith")
        // The start of a run reads it.
        try there.write("CARD/notes.txt", "nothing to upload")
        _ = try there.run(["import", there.card, "--pipeline", other])
        #expect(try chosen(there) == "Smith")
        // A choice that was made without the network is written when there is one.
        let offline = try pipeline(there, url: "http://127.0.0.1:9")
        #expect(try there.run(["events", "use", "Late", "--pipeline", offline]).status == 0)
        #expect(try there.run(["login", try pipeline(there)]).status == 0)
        #expect(place["ann"]["event"]?["value"]?.text == "Late")
        #expect(place.mistakes == [])
    }

    @Test func withoutASignInOrANetworkNobodyIsAskedAndNothingIsSaid() throws {
        let file = try pipeline(here)
        let signedOut = try here.run(["events", "use", "Smith", "--pipeline", file])
        #expect(signedOut.status == 0)
        #expect(place.state.withLock(\.calls) == 0)
        let offline = try pipeline(here, url: "http://127.0.0.1:9")
        #expect(try here.run(["login", offline]).status == 0)
        let away = try here.run(["events", "use", "Jones", "--pipeline", offline])
        #expect(away.status == 0)
        #expect(!away.errors.contains("app"), "\(away.errors)")
        #expect(try chosen(here) == "Jones")
    }

    @Test func clocksFollowAndNonsenseDoesNot() throws {
        let future = JSONValue.integer(4_000_000_000_000)
        let lines = ["0042\t+00:03:12\tEOS R5", "bad line", "7\t+99999:00:00\tX"].joined(separator: "\n")
        place["ann"] = [
            "clocks": .object(["value": .string(lines), "changed": future]),
            "event": .object(["value": .string("two\nlines"), "changed": future]),
            "theme": .string("dark"),
        ]
        #expect(try here.run(["login", try pipeline(here)]).status == 0)
        let clocks = try here.run(["clock"]).items("clock")
        #expect(clocks.count == 1 && clocks.first?["serial"] as? String == "0042")
        #expect(try chosen(here) == nil)
        #expect(place["ann"]["theme"] == .string("dark"))
        #expect(place.mistakes == [])
    }

    @Test func aChoiceMadeNowCountsAlsoBesideOneFromAClockThatIsAhead() throws {
        place["ann"] = ["event": .object(["value": .string("Future"), "changed": .integer(4_000_000_000_000)])]
        let file = try pipeline(here)
        #expect(try here.run(["login", file]).status == 0)
        #expect(try here.run(["events", "use", "Smith", "--pipeline", file]).status == 0)
        #expect(try chosen(here) == "Smith")
        #expect(place["ann"]["event"]?["value"]?.text == "Smith")
    }

    /// What one person chose on a shared machine is not told to the account of the next.
    @Test func aChoiceBelongsToTheAccountThatItWasMadeWith() throws {
        #expect(try here.run(["login", try pipeline(here)]).status == 0)
        #expect(try here.run(["events", "use", "Smith", "--pipeline", here.path("p.yaml")]).status == 0)
        #expect(place["ann"]["event"]?["value"]?.text == "Smith")
        #expect(try here.run(["logout", here.path("p.yaml")]).status == 0)
        let file = try pipeline(here, as: "ben")
        #expect(try here.run(["login", file, "--another-account"]).status == 0)
        #expect(try here.run(["login", file]).status == 0)
        #expect(place["ben"]["event"] == nil)
        #expect(try here.run(["events", "use", "Jones", "--pipeline", file]).status == 0)
        #expect(place["ben"]["event"]?["value"]?.text == "Jones")
        #expect(place["ann"]["event"]?["value"]?.text == "Smith")
        #expect(place.mistakes == [])
    }

    /// Each machine measured another body: neither loses what it knows.
    @Test func clocksAreBroughtTogetherBodyByBody() {
        let (one, two, three) = ("1\t+00:01:00\tA", "2\t+00:02:00\tB", "2\t+00:03:00\tB")
        func merged(_ here: String, _ there: String, base: String, later: Bool = false) -> String {
            let entries = ClockChoice.entries
            return ClockChoice.text(
                ClockChoice.merged(entries(here), entries(there), base: entries(base), thereIsLater: later))
        }
        #expect(merged(one, two, base: "") == one + "\n" + two)
        // Forgotten on one side, which the other has not touched.
        #expect(merged(one, one + "\n" + two, base: one + "\n" + two) == one)
        #expect(merged(one + "\n" + two, two, base: one + "\n" + two) == two)
        // Measured anew on both: the later one.
        #expect(merged(two, three, base: "", later: true) == three)
        #expect(merged(two, three, base: "") == two)
        #expect(merged(two, three, base: two) == three)
    }
}
