import FilmgateCore
import NIOCore
import Synchronization

/// What the browsers are told of, in one ring for all of them: each is nothing but the number up to which it knows.
final class StudioStream: Sendable {
    /// What changed; each as those may see it who ask.
    enum Item: Sendable {
        /// The whole object of `/api/v1/board`; from role operate, and below.
        case board(whole: String, shown: String)
        case frame(Frame)
        /// How many files there are, and in which picture of the list.
        case list(total: Int, revision: Int)
        /// More changed than can be named.
        case reset
        /// A job, from role operate.
        case job(String)
        /// What is mounted, or a proof, is another; from role operate.
        case cards

        fileprivate var size: Int {
            switch self {
            case .board(let whole, let shown): whole.utf8.count + shown.utf8.count
            case .frame(let frame): frame.whole.utf8.count + frame.shown.utf8.count
            case .list, .reset, .cards: 16
            case .job(let text): text.utf8.count
            }
        }
    }
    /// What a sheet shows of a file; from role operate, and below.
    struct Frame: Sendable {
        var whole: String, shown: String
        /// What decides whether a client may see it.
        var event: String?, since: Int64
    }
    /// What somebody may see.
    struct View: Hashable {
        var isTrusted: Bool, scope = GrantScope()
    }
    struct Place: Sendable, Equatable {
        var instance: String, number: Int64
        var text: String { "\(instance).\(number)" }
    }
    /// How many streams one session or token may have open, or all that one link has opened; and all together, so that
    /// there are connections left for everything else.
    ///
    /// The last ones are for those who steer the run, however many others look on.
    static let mostOfOne = 32, most = 200, mostOfOthers = 160
    /// Changes in one look.
    static let part = 500

    private struct State {
        var ring = ChangeRing<Item>(mostKeys: 16_384, mostCost: 8 << 20)
        var readers: [Int: Listener] = [:], next = 0
        var list: (total: Int, revision: Int)?, board: String?
        /// What those who read all of it are sent next: written once for all who know as much and may see as much.
        var parts: [PartKey: TextPart] = [:]
        /// When readers were woken last, and whether they will be in a moment.
        var woken: ContinuousClock.Instant?, isWaking = false
    }
    private struct Listener { var owner: String, end: Int64, wake: AsyncStream<Void>.Continuation }
    private struct PartKey: Hashable { var after: Int64, view: View }
    /// What a reader is sent.
    struct TextPart: Sendable {
        /// Empty where nothing changed that its role may see.
        var text: ByteBuffer
        /// Up to here it knows everything then.
        var upTo: Int64
        var isMore = false
    }
    /// Changes are gathered for so long, so that all readers get the same ones together.
    private static let gathering = Duration.milliseconds(100)
    /// Those who read slowly know less than the others, each of them something else.
    private static let mostParts = 8
    private let state = Mutex(State())
    /// Tells this process's numbers from those of the one before.
    let instance: String
    /// Called when somebody comes who may have nothing yet.
    private let whenJoined = Mutex<(@Sendable () -> Void)?>(nil)

    init(instance: String = String(AccessSecret.random().prefix(12))) { self.instance = instance }

    func whenSomebodyJoins(_ call: @escaping @Sendable () -> Void) { whenJoined.withLock { $0 = call } }

    /// Something changed that is worth a look now.
    func ask() { whenJoined.withLock(\.self)?() }

    var hasReaders: Bool { state.withLock { !$0.readers.isEmpty } }
    /// When the first of the readers may not be here any more, in seconds since 1970; nil where there are none.
    var firstEnd: Int64? { state.withLock { $0.readers.values.map(\.end).min() } }
    /// How many changes are kept for those who need them yet.
    var count: Int { state.withLock(\.ring.count) }
    var last: Place { Place(instance: instance, number: state.withLock(\.ring.last)) }

    /// Where somebody begins who knows nothing yet, and what was told last of the list as a whole: whatever comes later
    /// is told.
    func beginning(_ view: View) -> (place: Place, list: String) {
        let (number, list) = state.withLock { ($0.ring.last, $0.list) }
        let place = Place(instance: instance, number: number)
        return (place, list.map { StreamText.frames([], $0, view, at: place) } ?? "")
    }

    /// The board as it was told last; nil before the first.
    var board: String? { state.withLock(\.board) }

    func add(_ items: [(key: String, item: Item)]) {
        guard !items.isEmpty else { return }
        let now = WallClock.nanoseconds
        let pause: Duration? = state.withLock { state in
            for (key, item) in items {
                state.ring.add(key, item, cost: item.size + 64, at: now)
                if case .list(let total, let revision) = item { state.list = (total, revision) }
                if case .board(let whole, _) = item { state.board = whole }
            }
            state.parts = [:]
            guard !state.isWaking else { return nil }
            let pause = state.woken.map { max(.zero, Self.gathering - (ContinuousClock.now - $0)) } ?? .zero
            state.isWaking = pause > .zero
            return pause
        }
        guard let pause else { return }
        if pause == .zero { return wake(toTell: true) }
        Task {
            try? await Task.sleep(for: pause)
            wake(toTell: true)
        }
    }

    /// Lets every reader look, also for whether it may still be here; `toTell`: for what changed, which then gathers
    /// anew.
    func wake(toTell: Bool = false) {
        let wakes = state.withLock { state in
            if toTell { (state.woken, state.isWaking) = (.now, false) }
            return state.readers.values.map(\.wake)
        }
        for wake in wakes { wake.yield() }
    }

    /// Whether all that came after is still here.
    func knows(_ place: Place) -> Bool {
        place.instance == instance && !state.withLock { $0.ring.changes(after: place.number, limit: 1).isGap }
    }

    /// What a reader is sent that knows all up to `number`, and what it knows then.
    func part(after number: Int64, _ view: View) -> TextPart {
        let key = PartKey(after: number, view: view)
        return state.withLock { state in
            if let known = state.parts[key] { return known }
            let changes = state.ring.changes(after: number, limit: Self.part)
            let place = Place(instance: instance, number: changes.upTo)
            var text = StreamText(view, list: state.list), part = TextPart(text: ByteBuffer(), upTo: changes.upTo)
            if changes.isGap {
                part.text.writeString(StreamText.reset(place))
            } else {
                part.text.writeString(text.messages(changes.changes, at: place))
                part.isMore = changes.isMore
            }
            if state.parts.count < Self.mostParts { state.parts[key] = part }
            return part
        }
    }

    func place(_ text: String?) -> Place? {
        guard let parts = text?.split(separator: "."), parts.count == 2, let number = Int64(parts[1]), number >= 0
        else { return nil }
        return Place(instance: String(parts[0]), number: number)
    }

    /// A reader until it is let go of; nil when there are too many.
    ///
    /// `owner`: whose share it takes; `end`: until when it may be here, in seconds since 1970.
    func join(_ owner: String, as role: Role, until end: Int64 = .max) -> Reader? {
        let (wakes, feed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            guard state.readers.count < (role < .operate ? Self.mostOfOthers : Self.most),
                state.readers.values.count(where: { $0.owner == owner }) < Self.mostOfOne
            else {
                return nil
            }
            state.next += 1
            state.readers[state.next] = Listener(owner: owner, end: end, wake: feed)
            return state.next
        }
        guard let number else { return nil }
        ask()
        return Reader(stream: self, number: number, wakes: wakes, feed: feed)
    }

    final class Reader: Sendable {
        private let stream: StudioStream, number: Int
        let wakes: AsyncStream<Void>
        private let feed: AsyncStream<Void>.Continuation

        fileprivate init(
            stream: StudioStream, number: Int, wakes: AsyncStream<Void>, feed: AsyncStream<Void>.Continuation
        ) {
            (self.stream, self.number, self.wakes, self.feed) = (stream, number, wakes, feed)
        }

        /// In seconds since 1970.
        func mayStay(until end: Int64) { stream.state.withLock { $0.readers[number]?.end = end } }

        /// There is more for this one.
        func again() { feed.yield() }

        deinit { stream.state.withLock { _ = $0.readers.removeValue(forKey: number) } }
    }
}
