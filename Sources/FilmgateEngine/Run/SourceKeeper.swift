import FilmgateCore
import Synchronization

/// Looks after one source of a continuous run: finds its places as they come, and gives each a keeper of its own.
struct SourceKeeper: Sendable {
    let driver: any SourceDriver
    /// What to say when it finds nothing at first; nil = nothing.
    let absence: IngestError?
    let run: ContinuousRun

    func keep() async {
        let knocks = Knocks(), book = PlaceBook()
        var absence = absence
        let listening = changes(knocks)
        var trouble: IngestError?, failures = 0
        await withTaskGroup(of: Void.self) { group in
            while !run.ground.stopping.isSet {
                switch await run.ground.stopping.answer({ () async throws(IngestError) in try await driver.places() }) {
                case nil: break
                case .success(let places):
                    (trouble, failures) = (nil, 0)
                    if let absence, places.isEmpty { miss(absence) }
                    absence = nil
                    for place in book.fresh(places) {
                        group.addTask {
                            await PlaceKeeper(driver, place, run).keep()
                            book.ended(place)
                            knocks.knock()
                        }
                    }
                case .failure(let error):
                    if run.ground.stopping.isSet { break }
                    // What is not there now is another visit when it comes back, though a disk may give it the same number.
                    if error.code == .notFound { _ = book.fresh([]) }
                    if trouble?.message != error.message { tell(error) }
                    (trouble, failures) = (error, failures + 1)
                }
                if run.once { break }
                await knocks.wait(atMost: pause(failures), or: run.ground.stopping)
            }
        }
        listening?.cancel()
    }

    /// A source that was asked for and is not there is looked for again, ever more rarely; options that cannot work end the run.
    private func tell(_ error: IngestError) {
        if error.code == .misconfigured { return run.fail(error) }
        run.ground.tally.trouble(error)
    }

    /// A run that goes on waits for what is put in later; one that ends has missed something.
    private func miss(_ absence: IngestError) {
        if run.once { return run.ground.tally.trouble(absence) }
        run.ground.hub.post(.trouble(IngestError(absence.code, absence.message, advice: "It is taken as soon as it appears.")))
    }

    private func pause(_ failures: Int) -> Duration? {
        if failures == 0 { return driver.traits.lookEvery }
        return min(.seconds(30), .seconds(1) * (1 << min(failures - 1, 5)))
    }

    private func changes(_ knocks: Knocks) -> Task<Void, Never>? {
        guard !run.once, let changes = driver.changes() else { return nil }
        return Task { for await _ in changes { knocks.knock() } }
    }
}

/// Which places of a source have a keeper, or have given all that they had.
final class PlaceBook: Sendable {
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
