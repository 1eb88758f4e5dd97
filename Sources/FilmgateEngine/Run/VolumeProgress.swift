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

/// Which places of a run have a supervisor, or have given all that they had, and how far it is with each volume.
///
/// Of all its sources, so that a place that two of them find is taken once. A camera that is lost and comes back at
/// another place of the bus goes on where it was.
final class RunPlaces: Sendable {
    private struct PlaceKey: Hashable {
        var address: String, visit: String
        init(_ place: SourcePlace) { (address, visit) = (place.address, place.visit) }
    }
    private struct VolumeKey: Hashable { var source: String, volume: String, home: String }
    private struct State {
        /// Which source found a place, by its position in the plan; one that is not open has given all it had.
        var places: [PlaceKey: (source: Int, isOpen: Bool)] = [:]
        var volumes: [VolumeKey: VolumeProgress] = [:]
    }
    private let state = Mutex(State())

    /// Those that nobody looks after, with `ofEvents` only those of events; a place that went away and came back is a
    /// new one.
    func fresh(_ places: [SourcePlace], of source: Int, ofEvents: Bool = false) -> [SourcePlace] {
        state.withLock { state in
            let there = Set(places.map(PlaceKey.init))
            state.places = state.places.filter {
                $0.value.source != source || $0.value.isOpen || there.contains($0.key)
            }
            return places.filter { place in
                guard state.places[PlaceKey(place)] == nil, !ofEvents || place.event != nil else { return false }
                state.places[PlaceKey(place)] = (source: source, isOpen: true)
                return true
            }
        }
    }

    func ended(_ place: SourcePlace) { state.withLock { $0.places[PlaceKey(place)]?.isOpen = false } }

    /// The progress in which the volume was lost, or is being taken; else a new one.
    func progress(_ session: any SourceSession) -> VolumeProgress {
        let key = VolumeKey(source: session.place.source, volume: session.volume, home: session.traits.home)
        return state.withLock { state in
            let progress = state.volumes[key] ?? VolumeProgress()
            state.volumes[key] = progress
            return progress
        }
    }

    /// The file has its ending: when its volume is listed again, nothing more is said of it.
    func ended(_ origin: Origin) {
        let asset = origin.id
        for (key, progress) in state.withLock(\.volumes)
        where key.source == origin.source && key.volume == origin.volume {
            _ = progress.tells(of: asset)
        }
    }

    /// It has given all it had: when the volume is seen again, that is from the beginning.
    func ended(_ progress: VolumeProgress) {
        state.withLock { state in state.volumes = state.volumes.filter { $0.value !== progress } }
    }

    /// At the end of the run, what lost volumes still owe is counted.
    func close(_ context: RunContext) {
        for progress in state.withLock({ Array($0.volumes.values) }) { progress.leave(context) }
    }
}
