import FilmgateCore
import Synchronization

/// The assets that have been handed to the targets and not reached their ending: a source that is listed again leaves
/// them alone.
final class InFlightAssets: Sendable {
    private let assets = Mutex<Set<AssetID>>([])
    /// Which bytes those are whose event the ledger may not know of yet.
    private let contents = Mutex(Contents())
    private struct Contents {
        var bytes: [AssetID: String] = [:], events: [String: [AssetID: String?]] = [:]
    }

    func begin(_ asset: AssetID) { assets.withLock { _ = $0.insert(asset) } }
    /// Its bytes are on their way to the targets of that event.
    func begin(_ asset: Asset, for event: String?) {
        begin(asset.id)
        guard let sha256 = asset.digests?.sha256 else { return }
        contents.withLock { contents in
            contents.bytes[asset.id] = sha256
            contents.events[sha256, default: [:]].updateValue(event, forKey: asset.id)
        }
    }
    /// The events that these bytes are on their way for.
    func events(of sha256: String) -> [String?] {
        contents.withLock { $0.events[sha256].map { Array($0.values) } ?? [] }
    }
    /// Most of what ends was never under way: known files are settled by their listing.
    func end(_ asset: AssetID) {
        guard assets.withLock({ !$0.isEmpty && $0.remove(asset) != nil }) else { return }
        contents.withLock { contents in
            guard let sha256 = contents.bytes.drop(asset) else { return }
            contents.events[sha256]?.drop(asset)
            if contents.events[sha256]?.isEmpty == true { contents.events.drop(sha256) }
        }
    }
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
