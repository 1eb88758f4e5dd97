import FilmgateCore
import Synchronization

@testable import FilmgateEngine

/// A card, camera or folder in memory, which does what a test says.
final class FakePlace: ReceivingSession, PartialListingSession, ConfirmingSession, ConcludingSession {
    struct State {
        /// In card order.
        var files: [(name: String, bytes: String)]
        /// How opening fails, one try after the other; then it opens.
        var closedDoors: [IngestError] = []
        /// How listing fails, one try after the other; then it lists.
        var unreadable: [IngestError] = []
        /// What the listings lack, one after the other; then nothing.
        var gaps: [IngestError] = []
        /// How reading a file fails, each once.
        var broken: [String: IngestError] = [:]
        /// What is not whole at the end.
        var unfinished: [(name: String, reason: String)] = []
        /// Files in the order in which they were fetched, and what became of which.
        var fetched: [String] = [], settled: [String: Ending] = [:]
        /// Files of which it was told that a target has them.
        var delivered: [String] = []
        var opened = 0, listings = 0, concluded = 0
        var feed: AsyncStream<SourceNews>.Continuation?
        var listens = false
        /// Until this is set, what it began for files that have their ending goes on, whoever is cancelled.
        var cleaning: CancelToken?
    }
    let place: SourcePlace, volume: String, traits: SessionTraits
    let state: Mutex<State>
    private let listening = AsyncStream<Void>.makeStream(), closing = AsyncStream<Void>.makeStream()
    /// Called before the bytes of a file come.
    let whileReading: @Sendable (String) async -> Void
    /// Called before a listing is given, with how many were given before.
    let whileListing: @Sendable (Int) async -> Void

    init(
        _ label: String, _ files: [(name: String, bytes: String)], source: String = "card", at address: String? = nil,
        visit: String = "", event: String? = nil, volume: String? = nil, home: String = "", parallel: Int = 1,
        whileReading: @escaping @Sendable (String) async -> Void = { _ in },
        whileListing: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        var place = SourcePlace(source: source, address: address ?? "memory://\(label)", label: label)
        (place.visit, place.event) = (visit, event)
        (self.place, self.volume) = (place, volume ?? "volume of \(label)")
        traits = SessionTraits(identifiesDevice: true, parallelFetches: parallel, home: home)
        (self.whileReading, self.whileListing) = (whileReading, whileListing)
        state = Mutex(State(files: files))
    }

    func entry(_ name: String, size: Int) -> SourceEntry {
        let key = String(name.prefix { $0 != "." }), stem = String(key.split(separator: "/").last ?? "")
        let origin = Origin(
            source: place.source, volume: volume, root: place.address, path: "DCIM/\(name)", size: UInt64(size),
            modified: 1_700_000_000_000_000_000)
        return SourceEntry(
            origin: origin, kind: MediaKind(fileName: name),
            shot: ShotPlace(key: "dcim/\(key.lowercased())", stem: stem))
    }

    /// A file comes while somebody listens.
    func arrive(_ name: String, _ bytes: String) {
        let entry = entry(name, size: bytes.utf8.count)
        state.withLock { state in
            state.files.append((name, bytes))
            return state.feed
        }?.yield(.arrived(entry))
    }

    /// Nothing more will ever come.
    func end() {
        state.withLock(\.feed)?.yield(.over)
        goAway()
    }

    /// It is pulled out: whoever listens hears no more.
    func goAway() {
        state.withLock { state in
            defer { state.feed = nil }
            return state.feed
        }?.finish()
    }

    func entries() async throws(IngestError) -> [SourceEntry] {
        await whileListing(
            state.withLock { state in
                defer { state.listings += 1 }
                return state.listings
            })
        if let error = state.withLock({ $0.unreadable.isEmpty ? nil : $0.unreadable.removeFirst() }) { throw error }
        return state.withLock(\.files).map { entry($0.name, size: $0.bytes.utf8.count) }
    }

    func unlisted() async -> IngestError? { state.withLock { $0.gaps.isEmpty ? nil : $0.gaps.removeFirst() } }

    /// Where it is not listened to, it has given all it had.
    func arrivals() async throws(IngestError) -> AsyncStream<SourceNews> {
        let (stream, feed) = AsyncStream<SourceNews>.makeStream()
        guard state.withLock(\.listens) else {
            feed.yield(.over)
            feed.finish()
            return stream
        }
        state.withLock { $0.feed = feed }
        listening.continuation.yield()
        return stream
    }

    /// Returns once somebody listens for what comes; each time it is listened to counts once.
    func isListenedTo() async { for await _ in listening.stream { return } }

    func localPath(_ origin: Origin) -> String? { nil }

    func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {
        let name = String(origin.path.dropFirst("DCIM/".count))
        await whileReading(name)
        let (bytes, error) = state.withLock { state in
            state.fetched.append(name)
            return (state.files.first { $0.name == name }?.bytes ?? "", state.broken.removeValue(forKey: name))
        }
        if let error { throw error }
        let all = Array(bytes.utf8.dropFirst(Int(offset)))
        try sink.write(all.span.bytes)
    }

    func unfinished() async -> [(entry: SourceEntry, reason: String)] {
        state.withLock(\.unfinished).map { (entry($0.name, size: 1), $0.reason) }
    }

    func settled(_ settled: AssetResult) { state.withLock { $0.settled[settled.asset.origin.name] = settled.ending } }
    func delivered(_ origin: Origin, to target: String) { state.withLock { $0.delivered.append(origin.name) } }
    func concluded() async {
        let cleaning = state.withLock { state in
            state.concluded += 1
            return state.cleaning
        }
        await cleaning?.wait(or: CancelToken())
    }
    func close() async { closing.continuation.yield() }
    /// Returns once it has been closed.
    func isClosed() async { for await _ in closing.stream { return } }

    var fetched: [String] { state.withLock(\.fetched) }
}

/// A source that has these places now, or says why it has none.
final class FakeSource: SourceDriver {
    let traits: SourceTraits
    private let answers: Mutex<(next: [Result<[FakePlace], IngestError>], then: [FakePlace], asked: Int)>
    private let news = AsyncStream<Void>.makeStream(), questions = AsyncStream<Void>.makeStream()

    /// `first`: what it answers before it has these places.
    init(
        _ places: [FakePlace], first: [Result<[FakePlace], IngestError>] = [],
        traits: SourceTraits = SourceTraits(lookEvery: nil)
    ) {
        self.traits = traits
        answers = Mutex((first, places, 0))
    }

    /// How often it was asked.
    var asked: Int { answers.withLock(\.asked) }

    /// Returns once it has been asked so often.
    func isAsked(_ count: Int) async {
        for await _ in questions.stream where asked >= count { return }
    }

    /// From now on it has these places.
    func hold(_ places: [FakePlace]) {
        answers.withLock { $0.then = places }
        news.continuation.yield()
    }

    func places() async throws(IngestError) -> [SourcePlace] {
        let answer: Result<[FakePlace], IngestError> = answers.withLock { answers in
            answers.asked += 1
            return answers.next.isEmpty ? .success(answers.then) : answers.next.removeFirst()
        }
        questions.continuation.yield()
        return try answer.get().map(\.place)
    }

    func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession {
        guard let found = answers.withLock({ $0.then.first { $0.place == place } }) else {
            throw IngestError(.notFound, "None is there.")
        }
        let error = found.state.withLock { state in
            state.opened += 1
            return state.closedDoors.isEmpty ? nil : state.closedDoors.removeFirst()
        }
        if let error { throw error }
        return found
    }

    func changes() -> AsyncStream<Void>? { news.stream }
}
