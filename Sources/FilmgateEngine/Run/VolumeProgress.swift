import FilmgateCore
import Synchronization

/// What is remembered of one volume while it is taken in, across losses and places.
final class VolumeProgress: Sendable {
    struct State {
        var visits = 0
        /// Listed and neither settled nor handed over when the place was lost.
        var owed: [AssetID: (entry: SourceEntry, reason: String?)] = [:]
        /// Settled from a listing, as hashes: a volume that is listed again tells of each file once.
        var told: Set<Int> = []
        var backlog: BacklogFilter?
    }
    private let state = Mutex(State())

    func with<R: Sendable>(_ body: (inout State) -> R) -> R { state.withLock { body(&$0) } }

    /// Counts as pending what was not taken and is not on its way.
    func leave(_ context: RunContext) {
        let owed = with { state in
            defer { state.owed = [:] }
            return state.owed
        }
        for (id, left) in owed where !context.underWay.holds(id) { context.leave(left.entry, left.reason) }
    }
}

/// The stays of a run.
///
/// A camera that is lost and comes back at another place of the bus goes on with the one it had.
final class VolumeProgressStore: Sendable {
    private struct Key: Hashable { var source: String, volume: String }
    private let progressStore = Mutex<[Key: VolumeProgress]>([:])

    /// The one in which the volume was lost, or is being taken; else a new one.
    func progress(_ session: any SourceSession) -> VolumeProgress {
        let key = Key(source: session.place.source, volume: session.volume)
        return progressStore.withLock { progressStore in
            let progress = progressStore[key] ?? VolumeProgress()
            progressStore[key] = progress
            return progress
        }
    }

    /// It has given all it had: when the volume is seen again, that is another stay.
    func ended(_ progress: VolumeProgress) { progressStore.withLock { $0 = $0.filter { $0.value !== progress } } }

    /// At the end of the run, what lost volumes still owe is counted.
    func close(_ context: RunContext) {
        for progress in progressStore.withLock({ Array($0.values) }) { progress.leave(context) }
    }
}
