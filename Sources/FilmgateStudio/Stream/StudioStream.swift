import FilmgateCore
import Synchronization

/// What the browsers are told of, in one ring for all of them: each is nothing but the number up to which it knows.
final class StudioStream: Sendable {
    /// What changed; each as those may see it who ask.
    enum Item: Sendable {
        /// The whole object of `/api/v1/board`; from role operate, and below.
        case board(whole: String, shown: String)
        /// A file as `/api/v1/frames` has it.
        case frame(whole: String, shown: String)
        /// How many files there are, and in which picture of the list.
        case list(total: Int, revision: Int)
        /// A job, from role operate.
        case job(String)
        /// What is mounted, or a proof, is another; from role operate.
        case cards

        fileprivate var size: Int {
            switch self {
            case .board(let whole, let shown), .frame(let whole, let shown): whole.utf8.count + shown.utf8.count
            case .list, .cards: 16
            case .job(let text): text.utf8.count
            }
        }
    }
    struct Place: Sendable, Equatable {
        var instance: String, number: Int64
        var text: String { "\(instance).\(number)" }
    }
    /// How many streams one session may have open, and all together: there are connections left for everything else.
    static let mostOfOne = 32, most = 200
    /// Changes in one look.
    static let part = 500

    private struct State {
        var ring = ChangeRing<Item>(mostKeys: 16_384, mostCost: 8 << 20)
        var readers: [Int: (grant: String, wake: AsyncStream<Void>.Continuation)] = [:], next = 0
    }
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
    var last: Place { Place(instance: instance, number: state.withLock(\.ring.last)) }

    func add(_ items: [(key: String, item: Item)]) {
        guard !items.isEmpty else { return }
        let now = WallClock.nanoseconds
        state.withLock { state in for (key, item) in items { state.ring.add(key, item, cost: item.size + 64, at: now) } }
        wake()
    }

    /// Lets every reader look, also for whether it may still be here.
    func wake() { for wake in state.withLock({ $0.readers.values.map(\.wake) }) { wake.yield() } }

    /// Nil for a place of another process.
    func changes(after place: Place) -> ChangeRing<Item>.Part? {
        guard place.instance == instance else { return nil }
        return state.withLock { $0.ring.changes(after: place.number, limit: Self.part) }
    }

    func place(_ text: String?) -> Place? {
        guard let parts = text?.split(separator: "."), parts.count == 2, let number = Int64(parts[1]), number >= 0 else { return nil }
        return Place(instance: String(parts[0]), number: number)
    }

    /// A reader until it is let go of; nil when there are too many.
    func join(_ grant: String) -> Reader? {
        let (wakes, feed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            guard state.readers.count < Self.most, state.readers.values.count(where: { $0.grant == grant }) < Self.mostOfOne else {
                return nil
            }
            state.next += 1
            state.readers[state.next] = (grant, feed)
            return state.next
        }
        guard let number else { return nil }
        ask()
        return Reader(stream: self, number: number, wakes: wakes)
    }

    final class Reader: Sendable {
        private let stream: StudioStream, number: Int
        let wakes: AsyncStream<Void>

        fileprivate init(stream: StudioStream, number: Int, wakes: AsyncStream<Void>) {
            (self.stream, self.number, self.wakes) = (stream, number, wakes)
        }

        deinit { stream.state.withLock { _ = $0.readers.removeValue(forKey: number) } }
    }
}
