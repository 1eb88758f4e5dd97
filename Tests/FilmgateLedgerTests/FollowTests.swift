import FilmgateCore
import GRDB
import Synchronization
import Testing

@testable import FilmgateLedger

/// What a writer tells of its commits, and a list that believes it.
@Suite struct FollowTests {
    private static let key = SipKey(low: 1, high: 2)

    private final class Listener: Sendable {
        let isOpen = Atomic(true), heard = Mutex<[WrittenFiles?]>([])
        func follow(_ ledger: SQLiteLedger) {
            ledger.follow(while: { self.isOpen.load(ordering: .relaxed) }) { written in
                self.heard.withLock { $0.append(written) }
            }
        }
        func take() -> [WrittenFiles?] {
            heard.withLock { heard in
                defer { heard = [] }
                return heard
            }
        }
    }

    @Test func eachCommitNamesItsFiles() async throws {
        let ledger = try SQLiteLedger.inMemory(), listener = Listener()
        try await ledger.record([.asset(Samples.asset(1))])
        listener.follow(ledger)
        try await ledger.record([.asset(Samples.asset(2)), .asset(Samples.asset(3))])
        try await ledger.record([.delivery(Samples.delivery(2))])
        try await ledger.record([.note(asset: nil, at: 1, text: "nothing of a file")])
        let heard = listener.take().map { $0 ?? WrittenFiles() }
        #expect(heard.map(\.files.count) == [2, 0] && heard.map(\.contents.count) == [0, 1])
        #expect(heard[0].files.map(\.path).sorted() == [2, 3].map { Samples.asset($0).origin.volumePath }.sorted())
        listener.isOpen.store(false, ordering: .relaxed)
        try await ledger.record([.asset(Samples.asset(4))])
        #expect(listener.take().isEmpty)
    }

    /// Nobody wanted to know when it began: then it may have been anything.
    @Test func aCommitThatHadBegunIsToldOfWithoutNames() async throws {
        let ledger = try SQLiteLedger.inMemory(), listener = Listener()
        listener.isOpen.store(false, ordering: .relaxed)
        listener.follow(ledger)
        _ = try await ledger.commits.commit { writer in
            listener.isOpen.store(true, ordering: .relaxed)
            try writer.apply(.asset(Samples.asset(1)))
            return 0
        }
        #expect(listener.take() == [nil])
    }

    @Test func whatWasUndoneIsNotTold() async throws {
        let ledger = try SQLiteLedger.inMemory(), listener = Listener()
        listener.follow(ledger)
        await #expect(throws: IngestError.self) {
            _ = try await ledger.commits.commit { writer in
                try writer.apply(.asset(Samples.asset(1)))
                throw DatabaseError(resultCode: .SQLITE_IOERR)
            }
        }
        #expect(listener.take().isEmpty)
    }

    @Test func wordsComeOverALineAsTheyWere() throws {
        var written = WrittenFiles()
        for number in 0..<250 {
            written.files.insert(
                FrameKey(
                    volume: 3, path: "DCIM/\"\n\u{7F}ä日\(number)", size: .max - UInt64(number), modified: .min,
                    born: .max, inode: .max, changed: -1))
            written.contents.insert(Int64.max - Int64(number))
        }
        let parts = written.parts(of: 100)
        #expect(parts.count == 6 && parts.allSatisfy { $0.files.count + $0.contents.count <= 100 })
        var again = WrittenFiles()
        for part in parts {
            #expect(!part.text.contains("\n"))
            again.formUnion(try #require(JSONValue(Array(part.text.utf8)).flatMap { WrittenFiles($0) }))
        }
        #expect(again == written)
        for text in [
            "{}", #"{"all":true}"#, #"{"files":[{"path":"x","key":["1"]}],"contents":[]}"#,
            #"{"files":[],"contents":["x"]}"#,
        ] {
            #expect(JSONValue(Array(text.utf8)).flatMap { WrittenFiles($0) } == nil, "\(text)")
        }
    }

    /// Whatever is recorded: a list that takes over what it was told is the one that is read as a whole.
    @Test(arguments: 1...6) func whoIsToldKnowsAsMuchAsWhoReads(_ seed: Int) async throws {
        let ledger = try SQLiteLedger.inMemory(), listener = Listener(), reader = ledger.reader
        var dice = FrameIndexTests.Dice(state: UInt64(seed)), list = FrameList(revision: 0)
        listener.follow(ledger)
        for round in 1...25 {
            var changes: [LedgerChange] = []
            for _ in 0..<Int.random(in: 1...4, using: &dice) { changes.append(Self.change(Int64(round), &dice)) }
            try await ledger.record(changes)
            for written in listener.take() {
                let written = try #require(written)
                _ = list.take(
                    try await reader.frames(of: Array(written.files), contents: Array(written.contents), Self.key))
            }
            #expect(list.replace(try await reader.frameIndex(Self.key)) == [], "after \(changes)")
            let entries = list.part(FrameFilter(), from: .at(0), limit: .max).entries
            let rows = try await reader.rows(of: entries, Self.key)
            #expect(
                rows.allSatisfy { $0 != nil }
                    && zip(rows, entries).allSatisfy { $0?.origin.volumePath == $1.path && $0?.at == $1.at })
        }
    }

    private static func change(_ run: Int64, _ dice: inout FrameIndexTests.Dice) -> LedgerChange {
        let number = Int.random(in: 1...12, using: &dice), content = ContentKey(sha256: Samples.sha(number))
        switch Int.random(in: 0...10, using: &dice) {
        case 0...4:
            var row = Samples.asset(
                number, ending: [nil, .pending, .delivered, .setAside].randomElement(using: &dice) ?? nil)
            (row.run, row.at) = (run, run * 1000 + Int64(number))
            return .asset(row)
        case 5, 6:
            var row = Samples.delivery(number)
            row.receipt.state = [.done, .pending, .failed].randomElement(using: &dice) ?? .done
            row.event = [nil, DeliveryRow.unassigned].randomElement(using: &dice) ?? nil
            return .delivery(row)
        case 7: return .followed(content, twin: "elsewhere", run: run, at: run * 1000)
        case 8: return .withdraw(content, target: Samples.archive, heir: Samples.gallery, event: "another")
        case 9:
            let heir = [Samples.archive, Samples.gallery].randomElement(using: &dice) ?? Samples.archive
            var row = Samples.delivery(number, to: heir, state: .pending, reason: "not sent yet")
            row.event = "another"
            return .assigned(row, from: Samples.archive)
        default:
            var row = Samples.delivery(number)
            row.receipt.state = .excluded
            return .cancelled(row, run: run, at: run * 1000)
        }
    }

    /// What another run did meanwhile, and nothing else.
    @Test func newsAreAskedForByRun() async throws {
        let ledger = try SQLiteLedger.inMemory()
        for number in 1...30 {
            var row = Samples.asset(number)
            (row.run, row.at) = (Int64(number / 10), Int64(number))
            try await ledger.record([.asset(row)])
        }
        let news = try #require(try await ledger.reader.frames(sinceRun: 2, time: 25, most: 100, Self.key))
        #expect(news.rows.map(\.at).sorted() == [25, 26, 27, 28, 29, 30])
        let tooMany = try await ledger.reader.frames(sinceRun: 2, time: 25, most: 5, Self.key)
        #expect(tooMany == nil)
    }
}
