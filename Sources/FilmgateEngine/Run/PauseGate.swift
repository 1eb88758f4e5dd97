import Synchronization

/// Shut while a run is paused: nothing new is read from any source, and what comes meanwhile stands in line.
public final class PauseGate: Sendable {
    /// Set when this pause ends; nil while there is none.
    private let end = Mutex<CancelToken?>(nil)

    public init() {}

    public var isShut: Bool { end.withLock { $0 != nil } }

    /// False when it was so before.
    public func set(shut: Bool) -> Bool {
        let before = end.withLock { end in
            defer { end = shut ? end ?? CancelToken() : nil }
            return end
        }
        if !shut { before?.set() }
        return shut == (before == nil)
    }

    /// Returns once it is open, or when `stopping` is set.
    func pass(or stopping: CancelToken) async {
        while let end = end.withLock(\.self), !stopping.isSet { await end.wait(or: stopping) }
    }
}
