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
    /// Looks after which the whole status is read although nobody told of a change: queues and sources live in the run alone.
    private static let longest = 5

    let api: StudioAPI, stream: StudioStream

    private struct Memory {
        var revision = -1, board = ""
        /// Something was told a moment ago: what is known of it in full may be a second behind.
        var isFresh = false
        /// Looks since the whole status was read.
        var looks = 0
    }

    /// Goes on until the task is cancelled.
    func run() async {
        let (wakes, feed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let isTold = Atomic(true)
        let activity = api.pictures.activity, told = api.ledger.told
        let end = api.services.watch { signal in
            activity.note(signal)
            told.hear(signal)
            isTold.store(true, ordering: .relaxed)
            feed.yield()
        }
        stream.whenSomebodyJoins {
            isTold.store(true, ordering: .relaxed)
            feed.yield()
        }
        // Read before the first browser asks for it.
        let first = Task { _ = try? await api.ledger.knownPlaces() }
        var memory = Memory(), clock: Task<Void, Never>?
        for await _ in wakes {
            if Task.isCancelled { break }
            // Without a reader there is no clock either: nothing happens until one comes.
            guard stream.hasReaders else { continue }
            clock?.cancel()
            let isBusy = await look(&memory, isAsked: isTold.exchange(false, ordering: .relaxed))
            // Readers also see by this that they may still be here.
            stream.wake()
            if isBusy { try? await Task.sleep(for: Self.gathering) }
            clock = Task {
                do { try await Task.sleep(for: .seconds(1), tolerance: .milliseconds(200)) } catch { return }
                feed.yield()
            }
        }
        clock?.cancel()
        first.cancel()
        end()
    }

    /// False when nothing happened.
    private func look(_ memory: inout Memory, isAsked: Bool) async -> Bool {
        memory.looks += 1
        var items: [(key: String, item: StudioStream.Item)] = []
        // What cannot be read now is read the next time; whoever asks for it directly is told why.
        if let news = try? await api.ledger.news() {
            items = await frames(news)
            if news.revision != memory.revision { items.append(("list", .list(total: news.total, revision: news.revision))) }
            memory.revision = news.revision
        }
        stream.add(items)
        guard isAsked || !items.isEmpty || memory.isFresh || memory.looks >= Self.longest else { return false }
        (memory.looks, memory.isFresh) = (0, isAsked)
        if let whole = try? await api.board(), whole != memory.board {
            memory.board = whole
            stream.add([("board", .board(whole: whole, shown: StudioAPI.shown(board: whole)))])
        }
        return true
    }

    private func frames(_ news: LedgerView.News) async -> [(key: String, item: StudioStream.Item)] {
        guard let reader = news.reader, let texts = try? await api.frames.texts(news.changed, reader) else { return [] }
        return zip(news.changed, texts).map { entry, texts in
            ("frame " + api.frames.id(entry), .frame(texts))
        }
    }
}
