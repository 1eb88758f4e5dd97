import FilmgateCore
import Synchronization

/// The assets that have been handed to the targets and not reached their ending: a source that is listed again leaves
/// them alone.
final class InFlightAssets: Sendable {
    private let assets = Mutex<Set<AssetID>>([])

    func begin(_ asset: AssetID) { assets.withLock { _ = $0.insert(asset) } }
    /// Most of what ends was never under way: known files are settled by their listing.
    func end(_ asset: AssetID) { assets.withLock { if !$0.isEmpty { $0.remove(asset) } } }
    func holds(_ asset: AssetID) -> Bool { assets.withLock { $0.contains(asset) } }
    /// Where nothing in a listing stands for the bytes, it may be another file than the one that is under way.
    func holds(_ origin: Origin) -> Bool { origin.evidence > .nothing && holds(origin.id) }
    /// The same, also for what was under way at an earlier moment.
    func holds(_ origin: Origin, or earlier: Set<AssetID>) -> Bool {
        guard origin.evidence > .nothing else { return false }
        let id = origin.id
        return earlier.contains(id) || holds(id)
    }
    var all: Set<AssetID> { assets.withLock(\.self) }
}
