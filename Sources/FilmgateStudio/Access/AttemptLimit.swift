import Synchronization

/// How many wrong codes may be tried in a minute: by one address, and by all together.
///
/// A try counts from its beginning, so that many at once are no way around it.
final class AttemptLimit: Sendable {
    private struct Attempt { var id: UInt64, address: String, at: ContinuousClock.Instant }
    private struct State {
        var attempts: [Attempt] = [], next: UInt64 = 0
    }
    private let state = Mutex(State())
    private let each: Int, all: Int

    init(each: Int = 10, all: Int = 60) { (self.each, self.all) = (each, all) }

    /// A key for `forgive`; nil when it is too much.
    func begin(_ address: String, at now: ContinuousClock.Instant = .now) -> UInt64? {
        state.withLock { state in
            state.attempts.removeAll { now - $0.at >= .seconds(60) }
            guard state.attempts.count < all, state.attempts.count(where: { $0.address == address }) < each else {
                return nil
            }
            state.next += 1
            state.attempts.append(Attempt(id: state.next, address: address, at: now))
            return state.next
        }
    }

    /// It was the right code.
    func forgive(_ attempt: UInt64) { state.withLock { state in state.attempts.removeAll { $0.id == attempt } } }
}
