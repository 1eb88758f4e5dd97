import FilmgateCore
import FilmgateLedger
import FilmgateTesting
import Synchronization
import Testing

@testable import FilmgateEngine

/// A ledger, what tells of it, and a catalogue that lost what it was told.
@Suite struct SeedingTests {
    private final class Notices: Sendable {
        private let all = Mutex<[CatalogNotice]>([])
        func note(_ notice: CatalogNotice) { all.withLock { $0.append(notice) } }
        var list: [CatalogNotice] { all.withLock(\.self) }
    }

    private let catalog = MemoryCatalog(), ledger: SQLiteLedger, notices = Notices()
    private static let count = 250

    /// Files that were delivered, and a station that has joined when the catalogue knew so much of it.
    init() async throws {
        ledger = try SQLiteLedger.inMemory()
        for number in 0..<Self.count { try await ledger.record(Self.changes(number)) }
    }

    private func join(knowing applied: Int64 = 0) async throws {
        var membership = try await catalog.join(
            StationIdentity(uuid: String(repeating: "c", count: 32), name: "desk-3"))
        membership.applied = applied
        catalog.forget(factsOf: "desk-3", knowing: applied)
        try await ledger.join(membership)
    }

    private static func changes(_ number: Int) -> [LedgerChange] {
        let digits = String(number), sha = String(repeating: "0", count: 64 - digits.utf8.count) + digits
        let origin = Origin(source: "card", volume: "V", root: "/m", path: "\(number).JPG", size: 5, modified: 9)
        var row = AssetRow(origin: origin, run: 1, kind: .jpeg, shot: ShotPlace(key: digits, stem: digits), at: 7)
        (row.content, row.ending, row.wanted) = (ContentKey(sha256: sha), .delivered, ["folder:/p"])
        let receipt = Receipt(state: .done, path: "/p/\(number).JPG", sha256: sha, verified: .reread, at: 8)
        let delivery = DeliveryRow(
            content: ContentKey(sha256: sha), target: "folder:/p", targetName: "archive", receipt: receipt, size: 5,
            path: "\(number).JPG")
        return [.delivery(delivery), .asset(row)]
    }

    private var reporter: CatalogReporter {
        var pace = ReportingPace()
        pace.lines = 60
        return CatalogReporter(catalog, ledger, pace: pace, tell: notices.note)
    }

    /// Nothing says that it lost them: it knows the station up to its last change.
    @Test func aCatalogueThatLostRowsIsToldAnew() async throws {
        try await join()
        try await reporter.tellAll { _ in }
        #expect(catalog.seen(by: "desk-3").count == Self.count)
        catalog.forget(factsOf: "desk-3")
        try await reporter.tellAll { _ in }
        #expect(catalog.seen(by: "desk-3").isEmpty)
        for _ in 0..<2 {
            #expect(try await ledger.seed())
            try await reporter.tellAll { _ in }
            #expect(catalog.seen(by: "desk-3").count == Self.count)
        }
        #expect(try await ledger.station()?.waiting == 0 && notices.list == [])
    }

    @Test func whatWasBegunIsNotBegunAnew() async throws {
        try await join()
        #expect(try await ledger.seed() == false, "whoever joins has all of it to tell")
        try await reporter.tellAll { _ in }
        #expect(try await ledger.seed())
        let last = try await ledger.station()?.last
        let away = await Result { () async throws(IngestError) in
            try await reporter.tellAll { [catalog] _ in catalog.set(away: IngestError(.unavailable, "No answer.")) }
        }
        #expect(throws: IngestError.self) { try away.get() }
        catalog.set(away: nil)
        #expect(try await ledger.station()?.waiting == Int64(2 * Self.count - 60))
        #expect(try await ledger.seed() == false)
        try await reporter.tellAll { _ in }
        #expect(try await ledger.station()?.last == last && catalog.known(of: "desk-3") == last)
    }

    /// It was set back further than this station's lines go: a run tells all by itself.
    @Test func aCatalogueFromBeforeTheOldestLineIsToldAll() async throws {
        try await join(knowing: 500)
        #expect(await reporter.finish(within: .seconds(60)))
        catalog.forget(factsOf: "desk-3", knowing: 100)
        #expect(await reporter.finish(within: .seconds(60)))
        #expect(catalog.seen(by: "desk-3").count == Self.count)
        #expect(notices.list == [.setBack(had: Int64(500 + 2 * Self.count), has: 100)])
        #expect(try await ledger.station()?.waiting == 0)
    }
}
