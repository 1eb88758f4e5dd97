import FilmgateCore
import FilmgateLedger
import Foundation
import Logging
import TestThreads
import Testing

@testable import FilmgateStudio

/// A client sees one event, or what comes in from now on, and nothing else.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct ClientLinkTests {
    private static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Files 1 to 4 of one event, 5 to 9 of another.
    private static let two: @Sendable (SQLiteLedger) async throws -> Void = { ledger in
        try await ledger.record((1...9).map { .asset(file($0, event: $0 < 5 ? "Smith" : "Jones")) })
    }

    private static func file(_ number: Int, event: String) -> AssetRow {
        var row = Rows.asset(number)
        row.event = event
        return row
    }

    private func link(_ bench: StudioBench, _ body: String) throws -> (code: String, id: String) {
        let reply = try bench.post("links", body, .admin)
        try #require(reply.status == 201, "\(reply.body)")
        return (try #require(reply.json?["code"]?.string), try #require(reply.json?["id"]?.string))
    }

    private func client(_ bench: StudioBench, _ code: String) throws -> [String: String] {
        let reply = try bench.pair(code)
        try #require(reply.status == 201, "\(reply.body)")
        let cookie = try #require(reply["Set-Cookie"]?.split(separator: ";").first.map(String.init))
        return [
            "Cookie": cookie, "X-Filmgate-Key": try #require(reply.json?["key"]?.string),
            "Sec-Fetch-Site": "same-origin",
        ]
    }

    @Test(arguments: ["view", "pick"]) func aClientSeesOneEvent(_ role: String) async throws {
        try await StudioBench.with(fill: Self.two) { bench async throws in
            let made = try link(bench, #"{"role":"\#(role)","event":"Smith","for":"8h","label":"Ann"}"#)
            let mine = try client(bench, made.code), whole = try bench.token(.operate)
            func list(_ query: String, _ headers: [String: String]) throws -> [JSONValue] {
                try bench.client.send("GET", "/api/v1/frames?limit=100" + query, headers).json?["frames"]?.items ?? []
            }
            let seen = try list("", mine), all = try list("", whole)
            #expect(all.count == 9 && seen.count == 4)
            #expect(
                Set(seen.compactMap { $0["path"]?.string }) == ["IMG_1.JPG", "IMG_2.JPG", "IMG_3.JPG", "IMG_4.JPG"])
            #expect(try bench.client.send("GET", "/api/v1/frames", mine).json?["total"]?.whole == 4)
            // Neither by name nor by content, nor by asking for another event.
            #expect(try list("&q=IMG_7", mine).isEmpty && list("&q=IMG_7", whole).count == 1)
            #expect(try list("&q=" + Rows.sha(7), mine).isEmpty && list("&q=" + Rows.sha(3), mine).count == 1)
            #expect(try bench.client.send("GET", "/api/v1/frames?event=Jones", mine).status == 403)
            for frame in all {
                let id = try #require(frame["id"]?.string), isMine = frame["event"]?.string == "Smith"
                #expect(try bench.client.send("GET", "/api/v1/frames/\(id)", mine).status == (isMine ? 200 : 404))
                let picture = try bench.client.send("GET", "/api/v1/frames/\(id)/thumbnail", mine)
                #expect(picture.status == 404 && picture.code == (isMine ? "noPicture" : "notFound"))
            }
            let board = try bench.client.send("GET", "/api/v1/board", mine).json
            #expect(board?.at("assets.delivered")?.whole == 0 && board?["targets"] == nil && board?["event"] == nil)
            for path in ["deliveries", "runs", "events", "cards", "jobs", "pipeline", "sessions"] {
                #expect(try bench.client.send("GET", "/api/v1/" + path, mine).status == 403, "\(path)")
            }
        }
    }

    @Test func aClientIsToldOfNothingElse() async throws {
        try await StudioBench.with(fill: Self.two) { bench async throws in
            let mine = try client(bench, try link(bench, #"{"role":"view","event":"Smith"}"#).code)
            let reader = try EventReader(bench.client, mine)
            #expect(reader.next("board")?.data.at("assets.delivered")?.whole == 0)
            #expect(reader.next("frames")?.data["total"] == .null)
            let ledger = try SQLiteLedger.open(directory: bench.state)
            try await ledger.record([20, 21, 22].map { .asset(Self.file($0, event: $0 == 21 ? "Smith" : "Jones")) })
            ledger.close()
            let told = try #require(reader.next("frames"))
            #expect(
                told.data["frames"]?.items?.compactMap { $0["path"]?.string } == ["IMG_21.JPG"]
                    && told.data["total"] == .null)
        }
    }

    @Test func fromNowOnMeansWhatWasNotThereBefore() async throws {
        try await StudioBench.with(fill: Self.two) { bench async throws in
            let mine = try client(bench, try link(bench, #"{"role":"view","from":"now"}"#).code)
            #expect(try bench.client.send("GET", "/api/v1/frames", mine).json?["total"]?.whole == 0)
            let ledger = try SQLiteLedger.open(directory: bench.state)
            var row = Self.file(30, event: "Jones")
            row.at = WallClock.nanoseconds + 1_000_000_000
            try await ledger.record([.asset(row)])
            ledger.close()
            var total: Int64?
            for _ in 0..<50 where total != 1 {
                total = try bench.client.send("GET", "/api/v1/frames", mine).json?["total"]?.whole
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(total == 1)
        }
    }

    /// The link, and every session that it opened.
    @Test func aLinkThatIsTakenBackEndsAtOnce() async throws {
        try await StudioBench.with(fill: Self.two) { bench async throws in
            let made = try link(bench, #"{"role":"view","event":"Smith"}"#)
            let other = try link(bench, #"{"role":"view","event":"Jones"}"#)
            let one = try client(bench, made.code), two = try client(bench, made.code)
            let third = try client(bench, other.code)
            let reader = try EventReader(bench.client, one)
            #expect(reader.next("hello") != nil)
            let gone = try bench.client.send(
                "DELETE", "/api/v1/sessions/\(made.id)", try bench.token(.admin).merging(StudioBench.own) { $1 })
            #expect(gone.status == 200, "\(gone.body)")
            for headers in [one, two] { #expect(try bench.client.send("GET", "/api/v1/frames", headers).status == 401) }
            let over = try bench.pair(made.code)
            #expect(over.status == 401 && over.json?["message"]?.string == "This link has ended.", "\(over.body)")
            let typed = try bench.pair("ABCD-EFGH").json?["message"]?.string
            #expect(typed?.hasPrefix("This code is wrong") == true)
            #expect(reader.ends(within: 5))
            #expect(try bench.client.send("GET", "/api/v1/frames", third).status == 200)
        }
    }

    /// Whoever passes a link on keeps the photographer's own browsers in.
    @Test func manyClientsPushNobodyElseOut() async throws {
        try await StudioBench.with(fill: Self.two) { bench async throws in
            let (cookie, key) = try bench.session(.operate)
            let own = ["Cookie": cookie, "X-Filmgate-Key": key, "Sec-Fetch-Site": "same-origin"]
            let made = try bench.server.grants.makeLink(
                role: .view, scope: GrantScope(event: "Smith"), seconds: 60, label: "", now: bench.now)
            let access = AccessControl(bench.server.grants, logger: Self.silent) { bench.now }
            for _ in 0..<60 { _ = try await access.pair(made.code, label: "", from: "a") }
            let sessions = bench.server.grants.all(.session, now: bench.now)
            #expect(sessions.count { $0.link != nil } == GrantStore.mostOfLink)
            #expect(try bench.client.send("GET", "/api/v1/runs", own).status == 200)
        }
    }

    /// Nor does he take their streams.
    @Test func aLinkHasItsShareOfStreams() async throws {
        try await StudioBench.with(fill: Self.two) { bench async throws in
            let code = try link(bench, #"{"role":"view","event":"Smith"}"#).code
            let clients = [try client(bench, code), try client(bench, code)]
            var readers: [EventReader] = []
            for number in 0..<StudioStream.mostOfOne {
                let reader = try EventReader(bench.client, clients[number % 2])
                #expect(reader.next("hello") != nil)
                readers.append(reader)
            }
            func status(_ headers: [String: String]) throws -> Int {
                try bench.client.send("GET", "/api/v1/stream", headers, headOnly: true).status
            }
            for headers in clients { #expect(try status(headers) == 429) }
            let other = try link(bench, #"{"role":"view","event":"Jones"}"#).code
            #expect(try status(client(bench, other)) == 200 && status(bench.token(.operate)) == 200)
            #expect(readers.count == StudioStream.mostOfOne)
        }
    }

    @Test func aLinkEndsByItself() async throws {
        let folder =
            "\(ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")/filmgate-link-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = GrantStore(state: folder)
        let made = try store.makeLink(
            role: .pick, scope: GrantScope(from: 5), seconds: 100, label: "Ann", now: 1000)
        let before = AccessControl(store, logger: Self.silent) { 1050 }
        let opened = try await before.pair(made.code, label: "", from: "a")
        #expect(
            opened.grant.until == 1100 && opened.grant.scope.from == 5
                && before.session(cookie: opened.cookie, key: opened.key) != nil)
        let after = AccessControl(GrantStore(state: folder), logger: Self.silent) { 1100 }
        #expect(after.session(cookie: opened.cookie, key: opened.key) == nil)
        await #expect(throws: AccessControl.Refusal.self) { try await after.pair(made.code, label: "", from: "a") }
    }

    /// Its client may try it again and again: whoever waits with a code of his own is not kept out by that.
    @Test func aLinkThatIsOverSpendsNoCode() async throws {
        try await StudioBench.with { bench async throws in
            let made = try link(bench, #"{"role":"view","event":"Smith"}"#)
            let code = try bench.server.makeCode(role: .operate)
            bench.server.grants.remove(made.id)
            for _ in 0..<(AccessControl.mostWrong + 1) { #expect(try bench.pair(made.code).status == 401) }
            #expect(try bench.pair(code).status == 201)
        }
    }

    @Test(arguments: [
        #"{"role":"operate","event":"Smith"}"#, #"{"role":"admin","from":"now"}"#,
        #"{"role":"view","event":"Smith","for":"5"}"#, #"{"role":"view","for":"8h"}"#,
        #"{"role":"view","from":"yesterday"}"#,
    ]) func aClientSteersNothing(_ body: String) async throws {
        try await StudioBench.with { bench async throws in
            #expect(try bench.post("links", body, .admin).status == 400)
        }
    }
}
