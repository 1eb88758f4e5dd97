import Synchronization

/// A job that another process handed to a run, or that the run does by itself: what the run lends to its verb.
struct HostedJob: Sendable {
    /// The run's own ledger, what it delivers just now, and what it shows of itself.
    let services: ControlServer.HostServices
    /// Stops the job as Ctrl-C would.
    let stop: JobStop
    /// False where nobody asked for the job: the run does it by itself.
    let isAskedFor: Bool
}

/// Has a job finish what is in flight: a task that is cancelled would break that off, and its words to the ledger, too.
final class JobStop: Sendable {
    private struct State { var stop: (@Sendable () -> Void)?, isAsked = false }
    private let state = Mutex(State())

    /// From now on the job is stopped by `stop`, at once where that was asked for before.
    func take(_ stop: @escaping @Sendable () -> Void) {
        let isAsked = state.withLock { state in
            state.stop = stop
            return state.isAsked
        }
        if isAsked { stop() }
    }

    func letGo() { state.withLock { $0.stop = nil } }

    /// False where the job does nothing that can be stopped so.
    func ask() -> Bool {
        let stop = state.withLock { state in
            state.isAsked = true
            return state.stop
        }
        stop?()
        return stop != nil
    }
}
