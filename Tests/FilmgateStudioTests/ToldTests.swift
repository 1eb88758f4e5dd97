import FilmgateCore
import FilmgateLedger
import Foundation
import NIOCore
import Synchronization
import TestThreads
import Testing

@testable import FilmgateStudio

/// A page that a run tells what it writes.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct ToldTests {
    /// A writer whose commits are told, or kept back, as over the control socket.
    private final class Writer: Sendable {
        let ledger: SQLiteLedger, run: ToldRun
        let kept = Mutex<[WrittenFiles]>([]), isTelling = Atomic(true)

        init(_ bench: StudioBench) throws {
            (ledger, run) = (try SQLiteLedger.open(directory: bench.state), bench.run)
            ledger.follow(while: { true }) { [self] written in
                guard let written else { return }
                if isTelling.load(ordering: .relaxed) { tell(written) } else { kept.withLock { $0.append(written) } }
            }
        }

        func tell(_ written: WrittenFiles) {
            run.tell(.change(key: "rows 1", value: written.text, at: WallClock.nanoseconds))
        }

        func write(_ numbers: ClosedRange<Int>, ending: Ending? = .delivered) async throws {
            try await ledger.record(numbers.map { .asset(Rows.asset($0, ending: ending)) })
        }
    }

    private func total(_ bench: StudioBench, _ query: String = "") throws -> Int64? {
        try bench.client.send("GET", "/api/v1/frames?\(query)", try bench.token(.operate)).json?["total"]?.whole
    }

    /// What comes late because the list was read a moment ago; at most after five seconds.
    private func total(_ bench: StudioBench, becomes wanted: Int64) async throws -> Int64? {
        var found = try total(bench)
        for _ in 0..<100 where found != wanted {
            try await Task.sleep(for: .milliseconds(50))
            found = try total(bench)
        }
        return found
    }

    /// A run begins to tell when it is listened to: what it wrote before that stands in the ledger alone.
    @Test func whatWasWrittenBeforeARunToldIsRead() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let writer = try Writer(bench)
            defer { writer.ledger.close() }
            #expect(try total(bench) == 3)
            writer.isTelling.store(false, ordering: .relaxed)
            try await writer.write(10...11)
            bench.run.tell(.here)
            #expect(try await total(bench, becomes: 5) == 5)
        }
    }

    /// Nothing else is asked of the ledger: what is kept back does not appear, until it is told or a gap is.
    @Test func whatARunTellsIsBelieved() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            #expect(try total(bench) == 3)
            let writer = try Writer(bench)
            defer { writer.ledger.close() }
            bench.run.tell(.here)
            try await writer.write(10...12)
            #expect(try total(bench) == 6)
            try await writer.write(12...12, ending: .pending)
            #expect(try total(bench, "ending=pending") == 2)
            writer.isTelling.store(false, ordering: .relaxed)
            try await writer.write(13...14)
            #expect(try total(bench) == 6)
            for written in writer.kept.withLock({ $0 }) { writer.tell(written) }
            #expect(try total(bench) == 8)
            // Replayed once more.
            for written in writer.kept.withLock({ $0 }) { writer.tell(written) }
            #expect(try total(bench) == 8)
            try await writer.write(15...15)
            bench.run.tell(.gap)
            #expect(try await total(bench, becomes: 9) == 9)
        }
    }

    @Test(arguments: ["{}", #"{"all":true}"#, "x"]) func wordsWithoutNamesAreAGap(_ words: String) async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            #expect(try total(bench) == 3)
            let writer = try Writer(bench)
            defer { writer.ledger.close() }
            bench.run.tell(.here)
            #expect(try total(bench) == 3)
            writer.isTelling.store(false, ordering: .relaxed)
            try await writer.write(10...10)
            #expect(try total(bench) == 3)
            bench.run.tell(.change(key: "rows 7", value: words, at: 1))
            #expect(try await total(bench, becomes: 4) == 4)
        }
    }

    /// The last words of a run that was killed may be missing.
    @Test func whoIsGoneHasNotToldAll() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            #expect(try total(bench) == 3)
            let writer = try Writer(bench)
            defer { writer.ledger.close() }
            bench.run.tell(.here)
            writer.isTelling.store(false, ordering: .relaxed)
            try await writer.write(10...11)
            bench.run.tell(.gone)
            #expect(try total(bench) == 5)
            // Nobody tells anything now: SQLite does.
            try await writer.write(12...12)
            #expect(try await total(bench, becomes: 6) == 6)
        }
    }

    /// What became of its deliveries changes nothing in the list, but a page that shows the file has to know.
    @Test func aDeliveryIsToldOf() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let reader = try EventReader(bench.client, try bench.token(.operate)), writer = try Writer(bench)
            defer { writer.ledger.close() }
            bench.run.tell(.here)
            #expect(reader.next("frames") != nil)
            try await writer.ledger.record([.delivery(Rows.delivery(2, .failed))])
            let told = try #require(reader.next("frames"))
            #expect(
                told.data.at("frames.0.receipts.secret-target.state")?.string == "failed", "\(told.data.serialized)")
            let reply = try bench.client.send("GET", "/api/v1/frames?limit=1", try bench.token(.operate)).json
            #expect(told.data["revision"]?.whole == reply?["revision"]?.whole)
        }
    }

    /// More than can be named: whoever has the list is told to read it anew, though the same files are in it.
    @Test func veryManyDeliveriesAreToldOf() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            let writer = try Writer(bench), many = LedgerView.mostChanged + 1
            defer { writer.ledger.close() }
            try await writer.write(10...(9 + many))
            bench.run.tell(.here)
            let list = { try bench.client.send("GET", "/api/v1/frames?limit=1", try bench.token(.operate)).json }
            let before = try #require(try list())
            let reader = try EventReader(bench.client, try bench.token(.operate))
            while let told = reader.next("frames"), told.data["revision"]?.whole != before["revision"]?.whole {}
            try await writer.ledger.record((10...(9 + many)).map { .delivery(Rows.delivery($0, .failed)) })
            #expect(reader.next("reset") != nil)
            let told = try #require(reader.next("frames"))
            #expect(told.data["frames"]?.items?.isEmpty == true && told.data["total"]?.whole == before["total"]?.whole)
            #expect(told.data["revision"]?.whole != before["revision"]?.whole)
            #expect(told.data["revision"]?.whole == (try list())?["revision"]?.whole)
        }
    }

    /// Another ledger stands there: nothing that was known counts any more.
    @Test func anotherLedgerIsReadAnew() async throws {
        try await StudioBench.with(fill: Rows.few) { bench async throws in
            #expect(try total(bench) == 3)
            bench.run.tell(.here)
            for end in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: bench.state + "/ledger.sqlite" + end)
            }
            let ledger = try SQLiteLedger.open(directory: bench.state)
            try await ledger.record([.asset(Rows.asset(1))])
            #expect(try total(bench) == 1)
            ledger.close()
        }
    }
}

/// One who reads slowly, or not at all.
@Suite struct SlowReaderTests {
    private static let trusted = StudioStream.View(isTrusted: true), viewer = StudioStream.View(isTrusted: false)

    private static func item(_ whole: String, _ shown: String) -> StudioStream.Item {
        .frame(StudioStream.Frame(whole: whole, shown: shown, event: nil, since: 0))
    }

    private func frame(_ number: Int, _ length: Int) -> (key: String, item: StudioStream.Item) {
        let text = "{\"id\":\"\(number)\",\"x\":\"" + String(repeating: "x", count: length) + "\"}"
        return ("frame \(number)", Self.item(text, text))
    }

    /// Whatever comes meanwhile, it is a place in what all readers share: the newest of each file, and beyond that one
    /// word that all is new.
    @Test func whoReadsNothingCostsNothing() {
        let stream = StudioStream(instance: "i"), length = 1000
        var place: Int64 = 0
        for number in 0..<400 { stream.add([frame(number % 40, length)]) }
        var received: [Int64] = []
        repeat {
            let part = stream.part(after: place, Self.trusted)
            #expect(part.text.readableBytes < 60 * length)
            place = part.upTo
            received.append(place)
            if !part.isMore { break }
        } while received.count < 100
        #expect(place == 400 && received.count == 1)
        for number in 0..<40_000 { stream.add([frame(number, length)]) }
        let part = stream.part(after: place, Self.trusted)
        #expect(String(buffer: part.text).contains("event: reset") && part.text.readableBytes < 200)
        #expect(!stream.knows(StudioStream.Place(instance: "i", number: place)) && stream.knows(stream.last))
        // 8 MiB of these.
        #expect(stream.count < (8 << 20) / (2 * length))
    }

    /// Written once for all who know as much and may see as much.
    @Test func allReadersShareOneText() throws {
        let stream = StudioStream(instance: "i")
        stream.add([("frame 1", Self.item(#"{"secret":1}"#, "{}")), ("list", .list(total: 5, revision: 9))])
        let first = stream.part(after: 0, Self.trusted), second = stream.part(after: 0, Self.trusted)
        let shown = stream.part(after: 0, Self.viewer)
        func place(_ part: StudioStream.TextPart) -> UnsafeRawPointer? {
            part.text.withUnsafeReadableBytes(\.baseAddress)
        }
        #expect(place(first) == place(second) && place(first) != place(shown))
        #expect(
            !String(buffer: shown.text).contains("secret")
                && String(buffer: first.text).contains(#""total":5,"revision":9"#))
        stream.add([("frame 2", Self.item("{}", "{}"))])
        // What was told last of the whole list is said to all.
        #expect(String(buffer: stream.part(after: first.upTo, Self.viewer).text).contains(#""total":5,"revision":9"#))
    }
}
