import FilmgateCore

/// Looks after one source of a run: finds its places as they come, and gives each a supervisor of its own.
struct SourceSupervisor: Sendable {
    let driver: any SourceDriver
    /// Its position in the plan.
    let number: Int
    let run: RunContext

    /// What to say when it finds nothing at first; nil = nothing.
    private var absence: IngestError? { run.plan.patterns[number].flatMap { Absence.of($0) } }

    /// Looks for places until the run ends.
    ///
    /// In a mode that ends, once; and when these have ended, for events that opening them brought to light.
    func keep() async {
        let wakeSignal = WakeSignal(), listening = changes(wakeSignal)
        var isFirst = true, isLast = false, trouble: IngestError?, failures = 0
        await withTaskGroup(of: Void.self) { group in
            while !run.stopping.isSet {
                switch await run.stopping.answer({ () async throws(IngestError) in try await driver.places() }) {
                case nil: break
                case .success(let places):
                    (trouble, failures) = (nil, 0)
                    if isFirst, places.isEmpty, let absence { miss(absence) }
                    isFirst = false
                    for place in run.places.fresh(places, of: number, ofEvents: isLast) {
                        group.addTask {
                            await supervise(place)
                            run.places.ended(place)
                            wakeSignal.wake()
                        }
                    }
                case .failure(let error):
                    if run.stopping.isSet { break }
                    // What is not there now is another visit when it comes back, though a disk may give it the same
                    // number.
                    if error.code == .notFound { _ = run.places.fresh([], of: number) }
                    if trouble?.message != error.message { tell(error) }
                    (trouble, failures) = (error, failures + 1)
                }
                guard run.mode.ends else {
                    await wakeSignal.wait(atMost: pause(failures), or: run.stopping)
                    continue
                }
                if isLast || failures > 0 || !driver.traits.findsEvents { break }
                await group.waitForAll()
                isLast = true
            }
        }
        listening?.cancel()
    }

    private func supervise(_ place: SourcePlace) async {
        do throws(IngestError) {
            if let left = try Overlap.remark(on: place, targets: run.plan.targets) {
                run.hub.post(.trouble(left))
                return run.tell(place, .finished)
            }
        } catch { return run.fail(error) }
        guard let own = await run.own(for: place) else { return }
        await PlaceSupervisor(driver: driver, place: place, run: own).keep()
        await run.leave(place)
    }

    /// A source that was asked for and is not there is looked for again, ever more rarely; options that cannot work end
    /// the run.
    private func tell(_ error: IngestError) {
        if error.code == .misconfigured { return run.fail(error) }
        run.statistics.trouble(error)
    }

    /// A run that goes on waits for what is put in later; one that ends has missed something.
    private func miss(_ absence: IngestError) {
        if run.mode.ends { return run.statistics.trouble(absence) }
        run.hub.post(.trouble(IngestError(absence.code, absence.message, advice: "It is taken as soon as it appears.")))
    }

    private func pause(_ failures: Int) -> Duration? {
        if failures == 0 { return driver.traits.lookEvery }
        return min(.seconds(30), .seconds(1) * (1 << min(failures - 1, 5)))
    }

    private func changes(_ wakeSignal: WakeSignal) -> Task<Void, Never>? {
        guard !run.mode.ends, let changes = driver.changes() else { return nil }
        return Task { for await _ in changes { wakeSignal.wake() } }
    }
}

/// Wakes one sleeper; signals that come while it is awake count as one.
final class WakeSignal: Sendable {
    private let signals = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    func wake() { signals.continuation.yield() }

    /// Waits for a signal, for `atMost` to pass, or for `flag`.
    func wait(atMost: Duration?, or flag: CancelToken) async {
        let alarm = atMost.map { time in flag.clock.set(after: time) { self.wake() } }
        let key = flag.whenSet { self.wake() }
        for await _ in signals.stream { break }
        flag.forget(key)
        if let alarm { flag.clock.forget(alarm) }
    }
}
