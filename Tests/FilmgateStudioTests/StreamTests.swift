import FilmgateCore
import FilmgateLedger
import Foundation
import TestThreads
import Testing

@testable import FilmgateStudio

@Suite(.ownThreads, .timeLimit(.minutes(5))) struct StreamTests {
    private func write(_ bench: StudioBench, _ numbers: ClosedRange<Int>) async throws {
        let ledger = try SQLiteLedger.open(directory: bench.state)
        let now = WallClock.nanoseconds
        try await ledger.record(
            numbers.map { number in
                var row = Rows.asset(number)
                row.at = now + Int64(number)
                return .asset(row)
            })
        ledger.close()
    }

    @Test func beginsWithWhoSpeaksAndTheBoard() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let reader = try EventReader(bench.client, try bench.token(.operate))
            #expect(reader.next("hello")?.id?.contains(".") == true)
            #expect(reader.next("board")?.data["event"]?.string == "secret event")
        }
    }

    @Test func tellsOfAFileThatWasWritten() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let reader = try EventReader(bench.client, try bench.token(.operate))
            #expect(reader.next("frames")?.data["total"]?.whole == 3)
            try await write(bench, 10...12)
            bench.run.tell(.change(key: "asset x", value: "{}", at: 1))
            let told = try #require(reader.next("frames"))
            #expect(told.data["total"]?.whole == 6)
            let names = (told.data["frames"]?.items ?? []).compactMap { $0["path"]?.string }.sorted()
            #expect(names == ["DCIM/100/IMG_10.JPG", "DCIM/100/IMG_11.JPG", "DCIM/100/IMG_12.JPG"])
            let id = try #require(told.data.at("frames.0.id")?.string)
            #expect(try bench.client.send("GET", "/api/v1/frames/\(id)", try bench.token(.operate)).status == 200)
        }
    }

    /// Nobody told of it: the ledger says so itself.
    @Test func noticesWhoWritesWithoutAWord() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let reader = try EventReader(bench.client, try bench.token(.operate))
            #expect(reader.next("frames") != nil)
            try await write(bench, 10...10)
            #expect(reader.next("frames")?.data["total"]?.whole == 4)
        }
    }

    @Test(arguments: [Role.view, .pick]) func aViewerIsToldNoSecrets(_ role: Role) async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let reader = try EventReader(bench.client, try bench.token(role))
            let board = try #require(reader.next("board"))
            #expect(reader.next("frames") != nil)
            try await write(bench, 10...11)
            let frames = try #require(reader.next("frames"))
            #expect(frames.data["frames"]?.items?.count == 2)
            for message in [board, frames] {
                #expect(!message.data.serialized.contains("secret"), "\(message.data.serialized)")
            }
        }
    }

    @Test func aBrokenStreamGoesOnWhereItWas() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let token = try bench.token(.operate)
            var reader: EventReader? = try EventReader(bench.client, token)
            let last = try #require(reader?.next("frames")?.id)
            reader = nil
            try await write(bench, 10...10)
            // Somebody else is there meanwhile, so that it is noticed.
            let other = try EventReader(bench.client, token)
            #expect(other.next("hello") != nil)
            while let told = other.next("frames"), told.data["total"]?.whole != 4 {}
            let again = try EventReader(bench.client, token, since: last)
            let told = try #require(again.next("frames"))
            #expect(told.data["total"]?.whole == 4 && told.data.at("frames.0.path")?.string == "DCIM/100/IMG_10.JPG")
        }
    }

    @Test(arguments: ["elsewhere.5", "x", "elsewhere.-1"]) func whoComesFromElsewhereBeginsAnew(
        _ place: String
    ) async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let reader = try EventReader(bench.client, try bench.token(.operate), since: place)
            #expect(reader.next("hello") != nil && reader.next("board") != nil)
        }
    }

    @Test func aRevokedSessionHearsNothingMore() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let (cookie, key) = try bench.session(.view), headers = ["Cookie": cookie, "X-Filmgate-Key": key]
            let reader = try EventReader(bench.client, headers)
            #expect(reader.next("frames") != nil)
            let id = try #require(try bench.client.send("GET", "/api/v1/session", headers).json?["id"]?.string)
            let end = try bench.client.send("DELETE", "/api/v1/sessions/\(id)", try bench.token(.admin))
            #expect(end.status == 200)
            #expect(reader.ends(within: 5))
        }
    }

    @Test func aTokenThatIsOverHearsNothingMore() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let made = try bench.server.grants.makeToken(role: .view, seconds: 3, label: "", now: bench.now)
            let reader = try EventReader(bench.client, ["Authorization": "Bearer \(made.token)"])
            #expect(reader.next("hello") != nil)
            #expect(reader.ends(within: 30))
        }
    }

    /// Whoever hears nothing for five seconds shows that what he has is old.
    @Test func saysThatItIsThere() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let reader = try EventReader(bench.client, try bench.token(.view))
            #expect(reader.next("frames") != nil)
            #expect(reader.next("nothing", seconds: 12) == nil)
            #expect(reader.comments >= 4, "\(reader.comments) times in twelve seconds")
        }
    }

    @Test func halfASessionHearsNothing() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let (cookie, key) = try bench.session(.view)
            for headers in [["Cookie": cookie], ["X-Filmgate-Key": key], [:]] {
                #expect(try bench.client.send("GET", "/api/v1/stream", headers, headOnly: true).status == 401)
            }
            let site = ["Cookie": cookie, "X-Filmgate-Key": key, "Sec-Fetch-Site": "same-site"]
            #expect(try bench.client.send("GET", "/api/v1/stream", site, headOnly: true).status == 403)
        }
    }

    @Test func aSessionMayHaveThirtyTwoStreams() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let token = try bench.token(.view)
            var readers: [EventReader] = []
            for _ in 0..<StudioStream.mostOfOne {
                let reader = try EventReader(bench.client, token)
                #expect(reader.next("hello") != nil)
                readers.append(reader)
            }
            let refused = try bench.client.send("GET", "/api/v1/stream", token, headOnly: true)
            #expect(refused.status == 429)
            #expect(
                try bench.client.send("GET", "/api/v1/stream", try bench.token(.view), headOnly: true).status == 200)
            readers = []
            // Those that left make room.
            var status = 429
            for _ in 0..<100 where status == 429 {
                try await Task.sleep(for: .milliseconds(50))
                status = try bench.client.send("GET", "/api/v1/stream", token, headOnly: true).status
            }
            #expect(status == 200)
        }
    }
}

/// The pure parts.
@Suite struct StreamTextTests {
    @Test func anIdentifierIsToldOnceABatch() {
        let place = StudioStream.Place(instance: "i", number: 9)
        var ring = ChangeRing<StudioStream.Item>(mostKeys: 9, mostCost: 999)
        ring.add("board", .board(whole: #"{"a":1}"#, shown: "{}"), at: 0)
        ring.add("job 1", .job(#"{"j":1}"#), at: 0)
        ring.add("list", .list(total: 4, revision: 2), at: 0)
        let changes = ring.changes(after: 0, limit: 10).changes
        var operate = StreamText(StudioStream.View(isTrusted: true))
        var view = StreamText(StudioStream.View(isTrusted: false))
        let whole = operate.messages(changes, at: place), shown = view.messages(changes, at: place)
        #expect(whole.components(separatedBy: "id: i.9").count == 2 && whole.hasSuffix("\nid: i.9\n\n"))
        #expect(whole.contains(#""j":1"#) && !shown.contains(#""j":1"#) && !shown.contains(#""a":1"#))
        #expect(shown.contains(#""total":4,"revision":2"#))
        #expect(view.messages([], at: place).isEmpty)
    }

    @Test func allSessionsTogetherHaveALimit() {
        let stream = StudioStream(instance: "i")
        var readers = (0..<StudioStream.most).map { stream.join("session \($0 / 20)", as: .operate) }
        #expect(readers.allSatisfy { $0 != nil } && stream.join("another", as: .admin) == nil)
        readers.removeLast()
        #expect(stream.join("another", as: .admin) != nil)
        readers = []
        #expect(!stream.hasReaders)
    }

    /// However many look on, there is a stream for those who steer.
    @Test(arguments: [Role.view, .pick]) func onlookersLeaveStreamsForOthers(_ role: Role) {
        let stream = StudioStream(instance: "i")
        let onlookers = (0..<StudioStream.most).map { stream.join("session \($0 / 20)", as: role) }
        #expect(onlookers.count { $0 != nil } == StudioStream.mostOfOthers)
        let others = (StudioStream.mostOfOthers..<StudioStream.most).map {
            stream.join("other \($0 / 20)", as: $0 % 2 == 0 ? .operate : .admin)
        }
        #expect(others.allSatisfy { $0 != nil } && stream.join("another", as: .admin) == nil)
    }

    @Test func pausesGrowAndAreCutByChance() {
        var pauses = RetryPauses(first: 0.5, most: 15)
        let longest = (0..<7).map { _ in pauses.next(random: 1) }
        #expect(longest == [0.5, 1, 2, 4, 8, 15, 15])
        pauses.reset()
        #expect(pauses.next(random: 0) == 0.25 && pauses.next(random: 0.5) == 0.75)
    }
}
