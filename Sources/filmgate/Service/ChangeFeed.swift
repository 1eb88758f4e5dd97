import Dispatch
import FilmgateCore
import FilmgateLedger
import Glibc
import Synchronization

/// The changes of a run for those who watch over the control socket.
///
/// Whoever adds one waits for nobody: readers have threads of their own, and one that is slow gets fewer changes or a
/// gap.
final class ChangeFeed: Sendable {
    /// What is told of a key.
    enum Value: Sendable {
        case text(String)
        /// As it is when somebody is told.
        case now(@Sendable () -> String?)

        /// Nil where there is nothing to tell any more.
        var text: String? {
            switch self {
            case .text(let text): text
            case .now(let make): make()
            }
        }
    }
    private struct State {
        var ring = ChangeRing<Value>(mostKeys: 2048, mostCost: 1 << 19)
        /// Readers that have everything.
        var waiting: [DispatchSemaphore] = []
        /// Nothing is kept before the first reader comes: a run that nobody watches pays nothing.
        var isWanted = false, isOver = false
    }
    /// How many changes one look gets.
    static let part = 256
    /// How many files one change names.
    private static let rows = 100
    private let state = Mutex(State()), commits = Atomic<Int64>(0)
    /// Tells this run's numbers from those of another.
    let instance = "\(getpid())-\(WallClock.nanoseconds)"

    /// `make` is called only where somebody watches; it gives the whole value, as a JSON object.
    ///
    /// What it reads is read in the order in which changes are numbered, so the last one is never an older state. It
    /// must be quick.
    func add(_ key: @autoclosure () -> String, _ make: () -> String?) {
        keep { make().map { (key(), .text($0), $0.utf8.count) } }
    }

    /// `make` gives the value that the key has at the moment, as a JSON object: it is called when somebody is told, not
    /// for each of many changes that nobody hears of one by one.
    func add(_ key: @autoclosure () -> String, now make: @escaping @Sendable () -> String?) {
        keep { (key(), .now(make), 256) }
    }

    private func keep(_ change: () -> (key: String, value: Value, size: Int)?) {
        let waiting: [DispatchSemaphore] = state.withLock { state in
            guard state.isWanted, let (key, value, size) = change() else { return [] }
            state.ring.add(key, value, cost: key.utf8.count + size + 64, at: WallClock.nanoseconds)
            defer { state.waiting = [] }
            return state.waiting
        }
        for reader in waiting { reader.signal() }
    }

    /// Somebody watches, or did.
    var isWanted: Bool { state.withLock(\.isWanted) }

    /// Which files a commit wrote down; nil when nobody noted it.
    func add(_ written: WrittenFiles?) {
        let texts = written.map { $0.parts(of: Self.rows).map(\.text) } ?? [#"{"all":true}"#]
        // Each is news of its own: none stands for the one before.
        for text in texts { add("rows \(commits.add(1, ordering: .relaxed).newValue)") { text } }
    }

    /// The number of the last change; from now on changes are kept.
    func begin() -> Int64 {
        state.withLock { state in
            state.isWanted = true
            return state.ring.last
        }
    }

    /// What came after `number`; blocks until there is something, or for `patience`.
    ///
    /// Nil when the run is over.
    func next(after number: Int64, patience: Duration) -> ChangeRing<Value>.Part? {
        let wake = DispatchSemaphore(value: 0)
        func look(_ waits: Bool) -> ChangeRing<Value>.Part? {
            state.withLock { state in
                let part = state.ring.changes(after: number, limit: Self.part)
                if waits, part.changes.isEmpty, !part.isGap, !state.isOver { state.waiting.append(wake) }
                return state.isOver && part.changes.isEmpty ? nil : part
            }
        }
        guard let part = look(true) else { return nil }
        if part.isGap || !part.changes.isEmpty { return part }
        _ = wake.wait(timeout: .now() + patience.inSeconds)
        state.withLock { state in state.waiting.removeAll { $0 === wake } }
        return look(false)
    }

    /// Readers get what is left, and then the end.
    func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for reader in waiting { reader.signal() }
    }
}
