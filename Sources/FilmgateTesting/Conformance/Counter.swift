import Synchronization

/// Counts from 0.
final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
        value.withLock { value in
            value += 1
            return value - 1
        }
    }
}
