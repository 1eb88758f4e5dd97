import Synchronization

/// What is known of whether a server's answers can be believed; learned anew in each run.
final class Doubt: Sendable {
    private struct State { var saysNo = false }
    private let state = Mutex(State())

    /// It was heard to say that it has not something.
    var saysNo: Bool { state.withLock(\.saysNo) }
    func noteNo() { state.withLock { $0.saysNo = true } }
}
