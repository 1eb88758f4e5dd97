import FilmgateCore
import Synchronization

/// Keeps all sources of a plan going at once, until it is stopped; with `once`, until each has given what it holds now.
struct ContinuousRun: Sendable {
    let ground: RunGround
    let once: Bool
    let stays = StayBook()
    /// What ends the whole run: options that contradict each other, a ledger that cannot be written.
    let fatal = FirstTrouble()

    func run() async throws(IngestError) {
        ground.hub.whenResting { [sessions = ground.sessions] in await sessions.concluded() }
        await withTaskGroup(of: Void.self) { group in
            for (number, source) in ground.plan.sources.enumerated() {
                let absence = ground.plan.patterns[number].flatMap { Absence.of($0) }
                group.addTask { await SourceKeeper(driver: source, absence: absence, run: self).keep() }
            }
        }
        stays.close(ground)
        if let error = fatal.error { throw error }
    }

    /// Ends the run for all.
    func fail(_ error: IngestError) {
        fatal.note(error)
        ground.stopping.set()
    }

    func post(_ place: SourcePlace, _ state: SourceState) { ground.hub.post(.source(place, state)) }
}

/// Wakes one sleeper; knocks that come while it is awake count as one.
final class Knocks: Sendable {
    private let stream: AsyncStream<Void>, door: AsyncStream<Void>.Continuation

    init() { (stream, door) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func knock() { door.yield() }

    /// Waits for a knock, for `atMost` to pass, or for `flag`.
    func wait(atMost: Duration?, or flag: CancelFlag) async {
        let alarm = atMost.map { time in
            Task {
                try? await Task.sleep(for: time)
                if !Task.isCancelled { self.knock() }
            }
        }
        let key = flag.whenSet { self.knock() }
        for await _ in stream { break }
        flag.forget(key)
        alarm?.cancel()
    }
}
