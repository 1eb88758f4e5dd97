import Synchronization

/// How many signals have come.
final class SignalCount: Sendable {
    private let count = Atomic(0)
    var isAgain: Bool { count.load(ordering: .relaxed) > 1 }
    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
