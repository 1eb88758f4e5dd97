import FilmgateCore
import Synchronization

/// What is remembered of one volume while it is taken in, across losses and places.
final class VolumeProgress: Sendable {
    struct State {
        var visits = 0
        /// Listed and neither settled nor handed over when the place was lost.
        var owed: [AssetID: (entry: SourceEntry, reason: String?)] = [:]
        /// Settled from a listing, as hashes: a volume that is listed again tells of each file once.
        var told = PackedTable<Void>()
        var backlog: BacklogFilter?
    }
    private let state = Mutex(State())

    func with<R: Sendable>(_ body: (inout State) -> R) -> R { state.withLock { body(&$0) } }

    /// Notes that these are taken now; true at the first visit.
    func begin(_ entries: [SourceEntry]) -> Bool {
        with { state in
            if !state.owed.isEmpty { for entry in entries { state.owed[entry.origin.id] = nil } }
            state.visits += 1
            return state.visits == 1
        }
    }

    /// True once for each file that is settled from a listing.
    func tells(of asset: AssetID) -> Bool { with { $0.told.insert(asset.hashValue) } }

    /// Lost before it could be taken: it is taken when the place is back, and counted as pending when that never
    /// happens.
    func owe(_ work: ShotWork, _ error: IngestError?) {
        with { state in
            for member in work.members where !member.settled {
                state.owed[member.entry.origin.id] = (member.entry, error?.message)
            }
        }
    }

    /// Counts as pending what was not taken and is not on its way.
    func leave(_ context: RunContext) {
        let owed = with { state in
            defer { state.owed = [:] }
            return state.owed
        }
        for (id, left) in owed where !context.underWay.holds(id) { context.leave(left.entry, left.reason) }
    }
}

/// How far a run is with each volume.
///
/// A camera that is lost and comes back at another place of the bus goes on where it was.
final class VolumeProgressStore: Sendable {
    private struct Key: Hashable { var source: String, volume: String, home: String }
    private let all = Mutex<[Key: VolumeProgress]>([:])

    /// The one in which the volume was lost, or is being taken; else a new one.
    func progress(_ session: any SourceSession) -> VolumeProgress {
        let key = Key(source: session.place.source, volume: session.volume, home: session.home)
        return all.withLock { all in
            let progress = all[key] ?? VolumeProgress()
            all[key] = progress
            return progress
        }
    }

    /// The file has its ending: when its volume is listed again, nothing more is said of it.
    func ended(_ origin: Origin) {
        let asset = origin.id
        for (key, progress) in all.withLock(\.self) where key.source == origin.source && key.volume == origin.volume {
            _ = progress.tells(of: asset)
        }
    }

    /// It has given all it had: when the volume is seen again, that is from the beginning.
    func ended(_ progress: VolumeProgress) { all.withLock { $0 = $0.filter { $0.value !== progress } } }

    /// At the end of the run, what lost volumes still owe is counted.
    func close(_ context: RunContext) {
        for progress in all.withLock({ Array($0.values) }) { progress.leave(context) }
    }
}
