import Synchronization

/// Raised to break a request off.
final class StopFlag: Sendable {
    private let flag = Atomic(false)
    var isRaised: Bool { flag.load(ordering: .relaxed) }
    func raise() { flag.store(true, ordering: .relaxed) }
}
