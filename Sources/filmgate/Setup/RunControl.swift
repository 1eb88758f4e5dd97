import FilmgateCore
import FilmgateEngine
import Glibc
import Synchronization

/// What signals ask for, and the runner that does it now; one runner may follow another without a signal being lost in
/// between.
final class RunControl: Sendable {
    private struct State {
        var runner: Runner?, asked: ExitStatus?, isAborting = false
        var hangUp: (@Sendable () -> Void)?, isHungUp = false
    }
    private let state = Mutex(State())
    private let whenStopping: (@Sendable () -> Void)?

    /// `whenStopping` is called when the end is asked for first, and must be quick.
    init(_ runner: Runner? = nil, whenStopping: (@Sendable () -> Void)? = nil) {
        self.whenStopping = whenStopping
        state.withLock { $0.runner = runner }
    }

    /// From now on `runner` is meant; what was asked for before it came holds for it too.
    ///
    /// `hangUp` is what SIGHUP asks for.
    func steer(_ runner: Runner, hangUp: (@Sendable () -> Void)? = nil) {
        let (asked, isAborting, isHungUp) = state.withLock { state in
            (state.runner, state.hangUp) = (runner, hangUp)
            defer { state.isHungUp = false }
            return (state.asked, state.isAborting, state.isHungUp)
        }
        if let asked { runner.stop(asked) }
        if isAborting { runner.abort() }
        if isHungUp { hangUp?() }
    }

    /// The runner is done; the next one is not there yet.
    func letGo() { state.withLock { ($0.runner, $0.hangUp) = (nil, nil) } }

    /// A job on the same state has ended: what it left waiting is the runner's.
    func takeUp() async { await state.withLock(\.runner)?.takeUp() }

    /// Somebody marked pictures; nil: more than were named.
    @Sendable func marked(_ sha256s: Set<String>?) async { await state.withLock(\.runner)?.marked(sha256s) }

    /// Finish what is in flight; where that was asked for already, nothing more.
    func end(_ status: ExitStatus) {
        if state.withLock({ $0.asked == nil }) { stop(status) }
    }

    /// Finish what is in flight; asked for again: stop at once.
    func stop(_ status: ExitStatus) {
        let (runner, again) = state.withLock { state in
            defer { state.asked = state.asked ?? status }
            if state.asked != nil { state.isAborting = true }
            return (state.runner, state.asked != nil)
        }
        if !again { whenStopping?() }
        if again { runner?.abort() } else { runner?.stop(status) }
    }

    @Sendable func hangUp() {
        let hangUp = state.withLock { state in
            if state.hangUp == nil { state.isHungUp = true }
            return state.hangUp
        }
        hangUp?()
    }
}

/// First Ctrl-C or SIGTERM: finish what is in flight; the second: stop at once.
enum Signals {
    /// With `reloading`, SIGHUP goes to `RunControl`; else it ends the program, as ever.
    ///
    /// `stop`: what else stops the run so, where it is a job.
    static func handled<Value>(
        by runControl: RunControl, reloading: Bool = false, stop: JobStop? = nil, _ body: () async -> Value
    ) async -> Value {
        let count = SignalCount(), watchdog = Watchdog()
        let key = SignalRouter.shared.take([SIGINT, SIGTERM] + (reloading ? [SIGHUP] : [])) { number in
            guard number != SIGHUP else { return runControl.hangUp() }
            if count.next() == 1 { Console.own.err("Stopping after what is in flight; once more to stop at once.") }
            let status = number == SIGTERM ? ExitStatus.terminated : .interrupted
            runControl.stop(status)
            if count.isAgain { watchdog.bark(status) }
        }
        // A job is stopped as by Ctrl-C when the process that handed it over is gone, or the run ends that does it.
        stop?.take { runControl.end(.interrupted) }
        let value = await body()
        stop?.letGo()
        SignalRouter.shared.give(key)
        watchdog.rest()
        return value
    }
}
