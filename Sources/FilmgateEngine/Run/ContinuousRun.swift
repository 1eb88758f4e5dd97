import FilmgateCore
import Synchronization

/// Keeps all sources of a plan going at once, until it is stopped; with `once`, until each has given what it holds now.
struct ContinuousRun: Sendable {
    let context: RunContext
    let once: Bool
    let progressStore = VolumeProgressStore()
    /// What ends the whole run: options that contradict each other, a ledger that cannot be written.
    let fatal = FirstError()

    func run() async throws(IngestError) {
        context.hub.whenResting { [sessions = context.sessions] in await sessions.concluded() }
        await withTaskGroup(of: Void.self) { group in
            for (number, source) in context.plan.sources.enumerated() {
                let absence = context.plan.patterns[number].flatMap { Absence.of($0) }
                group.addTask { await SourceSupervisor(driver: source, absence: absence, run: self).keep() }
            }
        }
        progressStore.close(context)
        if let error = fatal.error { throw error }
    }

    /// Ends the run for all.
    func fail(_ error: IngestError) {
        fatal.note(error)
        context.stopping.set()
    }

    func post(_ place: SourcePlace, _ state: SourceState) { context.hub.post(.source(place, state)) }
}

/// Wakes one sleeper; signals that come while it is awake count as one.
final class WakeSignal: Sendable {
    private let stream: AsyncStream<Void>, door: AsyncStream<Void>.Continuation

    init() { (stream, door) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func wake() { door.yield() }

    /// Waits for a signal, for `atMost` to pass, or for `flag`.
    func wait(atMost: Duration?, or flag: CancelToken) async {
        let alarm = atMost.map { time in flag.clock.set(after: time) { self.wake() } }
        let key = flag.whenSet { self.wake() }
        for await _ in stream { break }
        flag.forget(key)
        if let alarm { flag.clock.forget(alarm) }
    }
}
