import FilmgateCore
import Synchronization

/// Looks after one source of a continuous run: finds its places as they come, and gives each a supervisor of its own.
struct SourceSupervisor: Sendable {
    let driver: any SourceDriver
    /// What to say when it finds nothing at first; nil = nothing.
    let absence: IngestError?
    let run: ContinuousRun

    func keep() async {
        let wakeSignal = WakeSignal(), states = PlaceStates()
        var absence = absence
        let listening = changes(wakeSignal)
        var trouble: IngestError?, failures = 0
        await withTaskGroup(of: Void.self) { group in
            while !run.context.stopping.isSet {
                switch await run.context.stopping.answer({ () async throws(IngestError) in try await driver.places() }) {
                case nil: break
                case .success(let places):
                    (trouble, failures) = (nil, 0)
                    if let absence, places.isEmpty { miss(absence) }
                    absence = nil
                    for place in states.fresh(places) {
                        group.addTask {
                            await PlaceSupervisor(driver, place, run).keep()
                            states.ended(place)
                            wakeSignal.wake()
                        }
                    }
                case .failure(let error):
                    if run.context.stopping.isSet { break }
                    // What is not there now is another visit when it comes back, though a disk may give it the same number.
                    if error.code == .notFound { _ = states.fresh([]) }
                    if trouble?.message != error.message { tell(error) }
                    (trouble, failures) = (error, failures + 1)
                }
                if run.once { break }
                await wakeSignal.wait(atMost: pause(failures), or: run.context.stopping)
            }
        }
        listening?.cancel()
    }

    /// A source that was asked for and is not there is looked for again, ever more rarely; options that cannot work end the run.
    private func tell(_ error: IngestError) {
        if error.code == .misconfigured { return run.fail(error) }
        run.context.statistics.trouble(error)
    }

    /// A run that goes on waits for what is put in later; one that ends has missed something.
    private func miss(_ absence: IngestError) {
        if run.once { return run.context.statistics.trouble(absence) }
        run.context.hub.post(.trouble(IngestError(absence.code, absence.message, advice: "It is taken as soon as it appears.")))
    }

    private func pause(_ failures: Int) -> Duration? {
        if failures == 0 { return driver.traits.lookEvery }
        return min(.seconds(30), .seconds(1) * (1 << min(failures - 1, 5)))
    }

    private func changes(_ wakeSignal: WakeSignal) -> Task<Void, Never>? {
        guard !run.once, let changes = driver.changes() else { return nil }
        return Task { for await _ in changes { wakeSignal.wake() } }
    }
}

/// Which places of a source have a supervisor, or have given all that they had.
final class PlaceStates: Sendable {
    private enum State { case open, finished }
    private struct Key: Hashable { var address: String, visit: String }
    private let states = Mutex<[Key: State]>([:])

    /// Those that nobody looks after; a place that went away and came back is a new one.
    func fresh(_ places: [SourcePlace]) -> [SourcePlace] {
        states.withLock { states in
            let there = Set(places.map(Self.key))
            states = states.filter { $0.value == .open || there.contains($0.key) }
            return places.filter { place in
                guard states[Self.key(place)] == nil else { return false }
                states[Self.key(place)] = .open
                return true
            }
        }
    }

    func ended(_ place: SourcePlace) { states.withLock { $0[Self.key(place)] = .finished } }

    private static func key(_ place: SourcePlace) -> Key { Key(address: place.address, visit: place.visit) }
}
