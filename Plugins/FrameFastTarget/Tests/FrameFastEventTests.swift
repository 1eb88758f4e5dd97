import FilmgateCore
import FilmgateTesting
import Testing

@testable import FrameFastTarget

@Suite struct FrameFastEventTests {
    @Test func pagesOfEventsUntilTheLast() async throws {
        let server = try FaultServer { seen, _ in
            guard seen[header: "Authorization"]?.hasPrefix("Bearer ") == true else { return .answer(401) }
            let isFirst = seen.target == "/events?page=0&limit=100"
            let item =
                isFirst
                ? #"{"id":"e-2","name":"Smith\n","startDate":"2026-05-01T00:00:00Z","expiresAt":"2026-06-01T00:00:00Z"}"#
                : #"{"id":"e-1","name":"Jones"},{"name":"no id"}"#
            return .answer(200, body: #"{"data":[\#(item)],"pagination":{"hasNextPage":\#(isFirst)}}"#)
        }
        defer { server.stop() }
        let target = try target(server.url) { $0.event = "" }
        let first = try #require(try await target.events(nil))
        #expect(
            first.events == [
                GalleryEvent(id: "e-2", name: "Smith ", date: "2026-05-01T00:00:00Z", note: "until 2026-06-01")
            ])
        let second = try #require(try await target.events(first.next))
        #expect(second.events.map(\.id) == ["e-1"] && second.next == nil)
        #expect(server.seen.map(\.target) == ["/events?page=0&limit=100", "/events?page=1&limit=100"])
    }

    @Test func whereTheFileNamesTheEventThereIsNothingToChoose() async throws {
        let target = try target("https://api.framefast.io")
        #expect(try await target.events(nil) == nil)
    }
}
