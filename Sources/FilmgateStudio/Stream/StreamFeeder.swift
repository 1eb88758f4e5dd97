import FilmgateCore
import FilmgateLedger
import FilmgateReport
import Synchronization

/// Keeps what browsers are told up to date: from what a run tells, and from the ledger whenever somebody wrote.
///
/// Nothing is read while nobody listens, and at rest next to nothing happens.
struct StreamFeeder: Sendable {
    /// How long changes are gathered.
    private static let gathering = Duration.milliseconds(100)

    let api: StudioAPI, stream: StudioStream

    private struct Memory {
        var revision = -1, board = ""
        /// Something was told a moment ago: what is known of it in full may be a second behind.
        var isFresh = false
        /// When the whole status was read.
        var boardRead: ContinuousClock.Instant?
    }
    /// What was told since the last look, and what goes on.
    private final class Heard: Sendable {
        struct State {
            var isTold = true, isBesideRun = false
            var written: ContinuousClock.Instant?
        }
        let state = Mutex(State())

        func hear(_ signal: RunSignal) {
            state.withLock { state in
                state.isTold = true
                switch signal {
                case .here: state.isBesideRun = true
                case .gone: state.isBesideRun = false
                case .change, .gap: break
                }
            }
        }

        func hearWriting() { state.withLock { $0.written = .now } }

        func hearSomebody() { state.withLock { $0.isTold = true } }

        /// Whether anybody told anything since the last time.
        func take() -> Bool {
            state.withLock { state in
                defer { state.isTold = false }
                return state.isTold
            }
        }
    }

    /// Goes on until the task is cancelled.
    func run() async {
        let (wakes, feed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let heard = Heard(), ends = listen(heard) { feed.yield() }
        // Read before the first browser asks for it.
        let first = Task {
            _ = try? await api.ledger.knownPlaces()
            api.services.settled()
        }
        var memory = Memory(), clock: Task<Void, Never>?
        for await _ in wakes {
            if Task.isCancelled { break }
            // Without a reader there is no clock either: nothing happens until one comes.
            guard stream.hasReaders else { continue }
            clock?.cancel()
            // A look may take long.
            clock = Task { _ = await passed(LookPace.longest) }
            let isTold = heard.take()
            let isBusy = await isWorthALook(memory, heard, isTold) ? await look(&memory, isAsked: isTold) : false
            // Readers also see by this that they may still be here, and say that the page is.
            stream.wake()
            if isBusy { try? await Task.sleep(for: Self.gathering) }
            let pause = pace(memory, heard).pause
            clock?.cancel()
            clock = Task { if await passed(pause) { feed.yield() } }
        }
        clock?.cancel()
        first.cancel()
        for end in ends { end() }
    }

    /// Waits until it is time to look again; false when it was cancelled.
    ///
    /// Readers are told meanwhile that the page is there.
    private func passed(_ pause: Duration) async -> Bool {
        var left = pause
        while left > .zero {
            let step = min(left, LookPace.heartbeat)
            do { try await Task.sleep(for: step, tolerance: .milliseconds(200)) } catch { return false }
            left -= step
            if left > .zero { stream.wake() }
        }
        return true
    }

    /// Who tells that there may be something to look at; what ends them.
    private func listen(_ heard: Heard, _ wake: @escaping @Sendable () -> Void) -> [@Sendable () -> Void] {
        let activity = api.pictures.activity, told = api.ledger.told
        let end = api.services.watch { signal in
            activity.note(signal)
            guard !RunActivity.isAll(of: signal) else { return }
            told.hear(signal)
            heard.hear(signal)
            wake()
        }
        stream.whenSomebodyJoins {
            heard.hearSomebody()
            wake()
        }
        // The ledger, and who was let in.
        let writes = [api.state, api.access.store.folder].map { WriteWatch($0) }
        writes[0].start {
            heard.hearWriting()
            wake()
        }
        writes[1].start { wake() }
        return [end] + writes.map { watch in { @Sendable in watch.end() } }
    }

    private func pace(_ memory: Memory, _ heard: Heard) -> LookPace {
        let known = heard.state.withLock { $0 }, end = stream.firstEnd
        return LookPace(
            isFresh: memory.isFresh, isBesideRun: known.isBesideRun,
            sinceWrite: known.written.map { ContinuousClock.now - $0 },
            untilEnd: end.map { .seconds($0 - api.access.now) })
    }

    /// At rest nothing is read but once a minute, such as for how much room there is.
    private func isWorthALook(_ memory: Memory, _ heard: Heard, _ isTold: Bool) async -> Bool {
        if isTold || pace(memory, heard).isLively { return true }
        if memory.boardRead.map({ ContinuousClock.now - $0 >= LookPace.longest }) ?? true { return true }
        return await api.ledger.isInDoubt
    }

    /// False when nothing happened.
    private func look(_ memory: inout Memory, isAsked: Bool) async -> Bool {
        var items: [(key: String, item: StudioStream.Item)] = []
        // What cannot be read now is read the next time; whoever asks for it directly is told why.
        if let news = try? await api.ledger.news() {
            items = await frames(news)
            if news.revision != memory.revision {
                items.append(("list", .list(total: news.total, revision: news.revision)))
            }
            // Who came first reads all of it anyway.
            if news.isMore, memory.revision >= 0 { items.append(("reset", .reset)) }
            memory.revision = news.revision
        }
        stream.add(items)
        let isDue = memory.boardRead.map { ContinuousClock.now - $0 >= LookPace.besideRun / 2 } ?? true
        guard isAsked || !items.isEmpty || memory.isFresh || isDue else { return false }
        (memory.boardRead, memory.isFresh) = (.now, isAsked || !items.isEmpty)
        if let whole = try? await api.board(), whole != memory.board {
            memory.board = whole
            stream.add([("board", .board(whole: whole, shown: StudioAPI.shown(board: whole)))])
        }
        return isAsked || !items.isEmpty
    }

    private func frames(_ news: LedgerView.News) async -> [(key: String, item: StudioStream.Item)] {
        guard let reader = news.reader, let texts = try? await api.frames.texts(news.changed, reader) else { return [] }
        return zip(news.changed, texts).map { entry, texts in
            ("frame " + api.frames.id(entry), .frame(texts))
        }
    }
}
