import Synchronization

/// Says whether a file may be begun to be sent, where another station may send it, too.
///
/// The engine sets it for the task that delivers. It is asked before the first byte, and before the whole file is sent
/// once more in the same try: a process may stand still in between, such as on a laptop that was shut, and by then
/// another station has sent the file. What is under way is broken off only once another station has it for certain.
public final class SendRight: Sendable {
    @TaskLocal public static var current: SendRight?

    private struct State { var end: ContinuousClock.Instant?, hasBegun = false, isLost = false }
    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Nil: it is over.
    public init(
        until end: ContinuousClock.Instant?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.now = now
        state = Mutex(State(end: end))
    }

    /// It lasts until then from now on; nil: it is over.
    public func set(until end: ContinuousClock.Instant?) { state.withLock { $0.end = end } }

    /// Another station has it, or has sent it.
    public func lose() { state.withLock { $0.isLost = true } }

    public var isLost: Bool { state.withLock(\.isLost) }
    public var isValid: Bool {
        let now = now()
        return state.withLock { state in !state.isLost && state.end.map { now < $0 } ?? false }
    }

    /// Before a file is sent, or sent once more: `network` with `SendRightLost` where it may not be begun any more.
    public func check() throws(IngestError) {
        guard isValid else { throw Self.error }
        state.withLock { $0.hasBegun = false }
    }

    /// Why nothing was sent, or not all of it.
    public static var error: IngestError {
        IngestError(
            .network, "It was not sent: the claim was not renewed in time, and another station may send it.",
            cause: SendRightLost())
    }

    /// At the first byte after `check`, which may be long after it; what follows in the same try, such as the other
    /// pieces of an upload, is not asked about.
    public func begin() throws(IngestError) {
        if state.withLock({ $0.hasBegun }) { return }
        try check()
        state.withLock { $0.hasBegun = true }
    }
}

/// Why a file was not sent: another station may have begun with it.
public struct SendRightLost: Error { public init() {} }
