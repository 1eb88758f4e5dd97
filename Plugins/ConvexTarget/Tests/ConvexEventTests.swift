import FilmgateCore
import FilmgateTesting
import Testing

@testable import ConvexTarget

@Suite struct ConvexEventTests {
    @Test func aQueryListsThemAllAtOnce() async throws {
        let list =
            #"{"status":"success","value":[{"_id":"k1","name":"Smith","date":"2026-05-01"},{"id":2,"title":"Jones"},{"name":"no id"}]}"#
        let server = try FaultServer { _, _ in .answer(200, body: list) }
        defer { server.stop() }
        let target = try ConvexTargetTests.target(server.url) { $0.events = "events:mine" }
        let page = try #require(try await target.events(nil))
        #expect(
            page.events.map(\.id) == ["k1", "2"] && page.events.map(\.name) == ["Smith", "Jones"] && page.next == nil)
        #expect(
            String(decoding: server.seen[0].body, as: UTF8.self) == #"{"args":{},"format":"json","path":"events:mine"}"#
        )
        #expect(try await ConvexTargetTests.target(server.url).events(nil) == nil)
    }

    @Test func pagesFollowTheCursor() async throws {
        let pages = [
            #"{"page":[{"_id":"k1","name":"A"}],"isDone":false,"continueCursor":"c1"}"#,
            #"{"page":[{"_id":"k2","name":"B"}],"isDone":true,"continueCursor":"c2"}"#,
        ]
        let server = try FaultServer { _, number in
            .answer(200, body: #"{"status":"success","value":\#(pages[min(number, 1)])}"#)
        }
        defer { server.stop() }
        let target = try ConvexTargetTests.target(server.url) { ($0.events, $0.eventsPage) = ("events:mine", 1) }
        let first = try #require(try await target.events(nil))
        let second = try #require(try await target.events(first.next))
        #expect(first.next == "c1" && second.next == nil && second.events.map(\.id) == ["k2"])
        #expect(
            String(decoding: server.seen[1].body, as: UTF8.self).contains(
                #""paginationOpts":{"cursor":"c1","numItems":1}"#))
    }
}
