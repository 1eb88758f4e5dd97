import FileKit
import FilmgateCore
import FilmgateLedger

/// The ledger as the page reads it: opened when there is one. Its list of files is read once, and then told what
/// changed.
actor LedgerView {
    /// A part of the list, and the reader of what hangs on it.
    struct Listing: Sendable {
        /// Nil while there is no ledger.
        var reader: SQLiteReader?
        var part: FramePart, revision: Int
    }
    /// What changed since somebody asked last.
    struct News: Sendable {
        /// Nil while there is no ledger.
        var reader: SQLiteReader?
        /// The files that are others now; with `isMore`, there are others of which nobody knows which.
        var changed: [FrameEntry], isMore: Bool
        var total: Int, revision: Int
    }

    nonisolated let told = ToldWrites()
    private let state: String, key: SipKey
    private var opened: (reader: SQLiteReader, inode: UInt64)?
    private var list = FrameList(revision: Int.random(in: 0..<(1 << 40)))
    private var freshness = ListFreshness()
    private var kept = KeptContents()
    /// Whoever asks meanwhile waits for the first; who has a list already goes on with that during the second.
    private var reading: Task<Void, any Error>?, readingAnew: Task<Void, any Error>?
    /// Changed since the last news; nil when there are too many to name.
    private var changed: Set<UInt64>? = []
    /// The list has what became of all marks up to this one; nil while it was not read.
    private var mark: Int64?
    /// More files than this at once are told of by their number alone.
    static let mostChanged = 400
    /// More files than this at once are not read one by one after they were marked.
    static let mostMarked = 5000

    init(state: String, key: SipKey) { (self.state, self.key) = (state, key) }

    /// Nil while there is no ledger.
    func reader() throws(IngestError) -> SQLiteReader? {
        let inode = try FileFacts.of(state + "/ledger.sqlite")?.inode
        if let opened, opened.inode == inode { return opened.reader }
        // Another file stands there now, or none.
        (opened, mark) = (nil, nil)
        (freshness, kept) = (ListFreshness(), KeptContents())
        guard let inode, let reader = try SQLiteLedger.reader(directory: state) as? SQLiteReader else { return nil }
        opened = (reader, inode)
        return reader
    }

    /// Another one whenever anybody wrote into the ledger; nil while there is none.
    func changeNumber() async throws(IngestError) -> Int64? {
        guard let reader = try reader() else { return nil }
        return try await reader.changeNumber()
    }

    /// A part of the list as it is now.
    ///
    /// `scope`: what whoever asks may see of the other files of a shot.
    func listing(
        _ filter: FrameFilter, finds: FrameFinds, within scope: FrameFilter, from place: FramePlace, limit: Int
    ) async throws -> Listing {
        let reader = try await present()
        let part = list.part(filter, finds: finds, within: scope, from: place, limit: limit)
        return Listing(reader: reader, part: part, revision: list.revision)
    }

    /// The file with that number, and what reads more of it.
    func entry(_ number: UInt64) async throws -> (entry: FrameEntry, reader: SQLiteReader)? {
        if let reader = try reader(), freshness.isRead, let entry = list.index.entry(numbered: number) {
            return (entry, reader)
        }
        guard let reader = try await present(), let entry = list.index.entry(numbered: number) else { return nil }
        return (entry, reader)
    }

    func knownPlaces() async throws -> [KnownPlace] {
        _ = try await present()
        return list.index.knownPlaces
    }

    /// The bytes of everything that fits, by their numbers in the ledger, and what reads more of them.
    ///
    /// `bound`: without files that came after that one.
    func bytes(
        _ filter: FrameFilter, finds: FrameFinds, upTo bound: FrameBound? = nil
    ) async throws -> (numbers: NumberSet, reader: SQLiteReader?) {
        let reader = try await present()
        return (list.bytes(filter, finds: finds, upTo: bound), reader)
    }

    /// The bytes with deliveries in these states, to targets of that name; nil: in any, to any.
    ///
    /// Where reading them takes long, those of a moment ago are good enough.
    func contents(ofTarget target: String?, states: Set<Receipt.State>?) async throws -> NumberSet {
        guard let reader = try reader() else { return NumberSet() }
        let wanted = KeptContents.Wanted(target: target, states: states), begun = ContinuousClock.now
        let number = try await reader.changeNumber()
        if let known = kept.contents(wanted, number, begun) { return known }
        let found = try await reader.contents(ofTarget: target, states: states)
        // Another ledger may be there by now.
        if opened?.reader.isSame(as: reader) == true { kept.keep(found, wanted, number, from: begun, to: .now) }
        return found
    }

    /// How many files have ended how by now; nil while that was not read.
    ///
    /// Whoever asks nothing but this is told what is new, too.
    func counts() async throws -> FrameCounts? {
        // Nobody waits for the first reading: the ledger counts by itself sooner.
        guard freshness.isRead else { return nil }
        _ = try await present()
        return freshness.isRead ? list.index.counts : nil
    }

    /// What is in the list may not be all, and is read again when that is due; or not all of it was told.
    var isInDoubt: Bool { freshness.isInDoubt || readingAnew != nil || changed?.isEmpty != true }

    /// What changed since the last time.
    func news() async throws -> News {
        let reader = try await present()
        let few = changed
        changed = []
        let entries = (few ?? []).compactMap { list.index.entry(numbered: $0) }.sorted { $0.since < $1.since }
        return News(
            reader: reader, changed: entries, isMore: few == nil,
            total: list.index.count, revision: list.revision)
    }
}

// Keeping the list up to date.
extension LedgerView {
    /// The reader, once the list is that of a moment ago.
    private func present() async throws -> SQLiteReader? {
        guard let reader = try reader() else {
            if list.index.count > 0 { note(list.replace(FrameIndex())) }
            return nil
        }
        guard readingAnew == nil else { return reader }
        if let reading {
            try await reading.value
            return reader
        }
        let task = Task {
            try await lookForMarks(reader)
            try await refresh(reader)
        }
        reading = task
        defer { reading = nil }
        try await task.value
        return reader
    }

    private func refresh(_ reader: SQLiteReader) async throws {
        let words = told.take()
        freshness.isBehind = freshness.isBehind || words.isBehind
        do {
            // Whatever was written before the number is read, is in what is read after it.
            let isTold = words.isFollowed && !words.hasBegun && freshness.isRead
            let number = isTold ? nil : try await reader.changeNumber()
            if words.hasBegun { freshness.isBehind = freshness.isBehind || !freshness.knows(number) }
            switch freshness.need(number, .now) {
            case .nothing: break
            case .news: try await catchUp(reader, number)
            case .all where freshness.isRead:
                readingAnew = Task {
                    defer { readingAnew = nil }
                    try await readAll(reader, number)
                }
            case .all: return try await readAll(reader, number)
            }
            try await take(words.written, reader)
        } catch {
            // What was told is lost.
            freshness.isBehind = true
            throw error
        }
    }

    private func take(_ written: WrittenFiles, _ reader: SQLiteReader) async throws {
        guard !written.isEmpty else { return }
        let rows = try await reader.frames(of: Array(written.files), contents: Array(written.contents), key)
        note(list.take(rows).union(rows.numbers(ofContents: written.contents)))
    }

    private func catchUp(_ reader: SQLiteReader, _ number: Int64?) async throws {
        let begun = ContinuousClock.now, time = WallClock.nanoseconds
        let rows = try await reader.frames(
            sinceRun: list.index.latestRun, time: min(list.index.latest, freshness.time) - ListFreshness.overlap,
            most: ListFreshness.mostNews, key)
        if let rows { note(list.take(rows)) }
        freshness.caughtUp(number, isWhole: rows != nil, at: time, from: begun, to: .now)
    }

    /// Takes over what marks changed: how files end whose deliveries wait for marks.
    ///
    /// News do not tell of it, as these files may be of any run. Files that were marked and end as before are told of,
    /// too: they look different.
    private func lookForMarks(_ reader: SQLiteReader) async throws {
        guard let known = mark else { return }
        let found = try await reader.contentsMarked(since: known, limit: Self.mostMarked)
        guard found.latest > known else { return }
        var rows: FrameRows?
        if let contents = found.contents {
            rows = try await reader.frames(ofContents: contents, most: Self.mostMarked, key)
        }
        // Another ledger may be there by now.
        guard mark == known else { return }
        mark = found.latest
        guard let contents = found.contents, let rows else {
            freshness.missed()
            return note(nil)
        }
        note(list.take(rows).union(rows.numbers(ofContents: contents)))
    }

    private func readAll(_ reader: SQLiteReader, _ number: Int64?) async throws {
        let begun = ContinuousClock.now, time = WallClock.nanoseconds
        // Whatever was marked before this is in what is read after it.
        let marked = try await reader.latestMark()
        let index = try await reader.frameIndex(key)
        // Another ledger may be there by now.
        guard opened?.reader.isSame(as: reader) == true else { return }
        note(list.replace(index))
        mark = min(mark ?? marked, marked)
        freshness.read(number, at: time, from: begun, to: .now)
        try await lookForMarks(reader)
    }

    /// Keeps in mind which files are others, for the next news.
    private func note(_ numbers: Set<UInt64>?) {
        guard let numbers, let known = changed, known.count + numbers.count <= Self.mostChanged else {
            guard numbers?.isEmpty != true else { return }
            // What cannot be named is told by the number of the list, which deliveries alone do not change.
            list.renumber()
            return changed = nil
        }
        changed = known.union(numbers)
    }
}
