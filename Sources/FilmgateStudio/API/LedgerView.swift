import FileKit
import FilmgateCore
import FilmgateLedger

/// The ledger as the page reads it: opened when there is one, its list of files read anew when it changed.
actor LedgerView {
    /// One picture of the list, and its number: it rises by one with each new picture, from another one at each start.
    ///
    /// A page that was there before takes no new list for the one that it has.
    struct Listing: Sendable {
        /// Nil while there is no ledger.
        var reader: SQLiteReader?
        var index: FrameIndex, revision: Int
        /// The number of the change up to which it goes; nil while there is no ledger.
        var change: Int64?
    }

    private let state: String
    private var opened: (reader: SQLiteReader, inode: UInt64)?
    private var index = FrameIndex.empty, revision = Int.random(in: 0..<(1 << 40)), change: Int64?
    /// The latest mark when the list was read.
    private var mark: Int64 = 0
    private var reading: Task<Void, any Error>?
    /// Reading the list gets no more than a tenth of the time.
    private var rest: ContinuousClock.Instant?
    private static let share = 10
    private var found: [FrameFilter: [Int]?] = [:]
    private static let mostFilters = 16

    init(state: String) { self.state = state }

    /// Nil while there is no ledger.
    func reader() throws(IngestError) -> SQLiteReader? {
        let inode = try FileFacts.of(state + "/ledger.sqlite")?.inode
        if let opened, opened.inode == inode { return opened.reader }
        // Another file stands there now, or none.
        (opened, change) = (nil, nil)
        guard let inode, let reader = try SQLiteLedger.reader(directory: state) as? SQLiteReader else { return nil }
        opened = (reader, inode)
        return reader
    }

    func listing() async throws -> Listing {
        guard let reader = try reader() else {
            if index.count > 0 { take(.empty, nil) }
            return Listing(reader: nil, index: index, revision: revision, change: nil)
        }
        let number = try await reader.changeNumber()
        if let reading {
            // Somebody else reads it already.
            try await reading.value
        } else if number != change, change == nil || rest.map({ ContinuousClock.now >= $0 }) ?? true {
            let task = Task { try await read(reader, number) }
            reading = task
            defer { reading = nil }
            try await task.value
        }
        return Listing(reader: reader, index: index, revision: revision, change: change)
    }

    /// Another one whenever anybody wrote into the ledger; nil while there is none.
    func changeNumber() async throws(IngestError) -> Int64? {
        guard let reader = try reader() else { return nil }
        return try await reader.changeNumber()
    }

    private func read(_ reader: SQLiteReader, _ number: Int64) async throws {
        let start = ContinuousClock.now, fresh = try await reader.frameIndex(), end = ContinuousClock.now
        take(fresh, number, mark: try await reader.latestMark())
        rest = end + (end - start) * (Self.share - 1)
    }

    /// The places in the list of what fits; nil when all of it does.
    ///
    /// What was found for a text is not kept: it is not the same for all who look for it.
    func positions(_ filter: FrameFilter, contents: Set<Int64>, in listing: Listing) -> [Int]? {
        let isKept = filter.text.isEmpty && listing.revision == revision
        if isKept, let known = found[filter] { return known }
        let positions = listing.index.positions(filter, contents: contents)
        guard isKept else { return positions }
        if found.count >= Self.mostFilters { found = [:] }
        found[filter] = positions
        return positions
    }

    private func take(_ fresh: FrameIndex, _ number: Int64?, mark latest: Int64 = 0) {
        let isMarked = latest != mark
        (change, mark) = (number, latest)
        // Of marks those who have the list are told by themselves.
        if isMarked, fresh.entries == index.entries { return }
        (index, revision, found) = (fresh, revision + 1, [:])
    }

    /// Whoever has the list reads it anew, though the same files are in it.
    func renumber() { (revision, found) = (revision + 1, [:]) }
}
