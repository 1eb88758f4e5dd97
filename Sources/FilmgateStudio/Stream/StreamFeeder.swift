import FilmgateCore
import FilmgateLedger
import FilmgateReport
import Synchronization

/// Keeps what browsers are told up to date: from what a run tells, and once a second from the ledger, which tells whether anybody wrote.
///
/// Nothing is read while nobody listens.
struct StreamFeeder: Sendable {
    /// How long changes are gathered.
    private static let gathering = Duration.milliseconds(100)
    /// Seconds after which the whole status is read although nobody told of a change: queues and sources live in the run alone.
    private static let longest = 5
    /// More files than this at once are told by their number alone.
    static let mostFrames = 400

    let api: StudioAPI, stream: StudioStream

    private struct Memory {
        var ledger: Int64?, revision = -1, board = "", at: Int64 = 0
        /// The list is not that of the latest change yet: reading it gets a share of the time.
        var isBehind = false
        /// Something was told a moment ago: what is known of it in full may be a second behind.
        var isFresh = false
        /// The latest mark that was told of; nil before the first look.
        var mark: Int64?
        /// Looks since the whole status was read.
        var seconds = 0
    }

    /// Goes on until the task is cancelled.
    func run() async {
        let (wakes, feed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let isTold = Atomic(true)
        let activity = api.pictures.activity
        let end = api.services.watch { signal in
            activity.note(signal)
            isTold.store(true, ordering: .relaxed)
            feed.yield()
        }
        stream.whenSomebodyJoins {
            isTold.store(true, ordering: .relaxed)
            feed.yield()
        }
        let clock = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1), tolerance: .milliseconds(200))
                if stream.hasReaders { feed.yield() }
            }
        }
        var memory = Memory()
        for await _ in wakes {
            if Task.isCancelled { break }
            guard stream.hasReaders else { continue }
            let isAsked = isTold.exchange(false, ordering: .relaxed)
            await look(&memory, isAsked: isAsked)
            // Readers also see by this that they may still be here.
            stream.wake()
            try? await Task.sleep(for: Self.gathering)
        }
        clock.cancel()
        end()
    }

    private func look(_ memory: inout Memory, isAsked: Bool) async {
        memory.seconds += 1
        // What cannot be read now is read the next time; whoever asks for it directly is told why.
        let change = try? await api.ledger.changeNumber()
        let isWritten = change != memory.ledger || memory.isBehind
        guard isAsked || isWritten || memory.isFresh || memory.seconds >= Self.longest else { return }
        (memory.seconds, memory.isFresh) = (0, isAsked)
        var items: [(key: String, item: StudioStream.Item)] = []
        if isAsked || isWritten, let listing = try? await api.ledger.listing() {
            memory.isBehind = listing.change != change
            items += await marked(listing, &memory)
            if listing.revision != memory.revision {
                items += await frames(listing, since: memory.at)
                memory.at = listing.index.latest
                items.append(("list", .list(total: listing.index.count, revision: listing.revision)))
                memory.revision = listing.revision
            }
        }
        memory.ledger = change
        if let whole = try? await api.services.status(), whole != memory.board {
            memory.board = whole
            items.append(("board", .board(whole: whole, shown: StudioAPI.shown(board: whole))))
        }
        stream.add(items)
    }

    /// Files that were marked; where they are too many the list is read anew.
    private func marked(_ listing: LedgerView.Listing, _ memory: inout Memory) async -> [(key: String, item: StudioStream.Item)] {
        let since = memory.mark ?? .max
        guard let news = try? await listing.reader?.contentsMarked(since: since, limit: Self.mostFrames) else { return [] }
        guard memory.mark != nil else {
            memory.mark = try? await listing.reader?.latestMark()
            return []
        }
        memory.mark = news.latest
        guard let contents = news.contents else {
            await api.ledger.renumber()
            return []
        }
        let changed = contents.isEmpty ? [] : listing.index.entries.filter { $0.contentNumber.map(contents.contains) == true }
        return await told(Array(changed.prefix(Self.mostFrames)), listing)
    }

    /// Files that changed since then; none the first time, and none where there are too many: the list itself is read then.
    private func frames(_ listing: LedgerView.Listing, since: Int64) async -> [(key: String, item: StudioStream.Item)] {
        guard since > 0 else { return [] }
        let changed = listing.index.entries.filter { $0.at > since }
        guard changed.count <= Self.mostFrames else { return [] }
        return await told(changed, listing)
    }

    private func told(_ changed: [FrameEntry], _ listing: LedgerView.Listing) async -> [(key: String, item: StudioStream.Item)] {
        guard !changed.isEmpty else { return [] }
        guard let whole = try? await api.items(changed, listing, .operate), let shown = try? await api.items(changed, listing, .view) else {
            return []
        }
        return zip(changed, zip(whole, shown)).map { entry, texts in
            ("frame " + api.id(entry), .frame(whole: texts.0.finished, shown: texts.1.finished))
        }
    }
}
