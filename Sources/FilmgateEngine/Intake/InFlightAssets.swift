import FilmgateCore
import Synchronization

/// The assets that have been handed to the targets and not reached their ending: a source that is listed again leaves
/// them alone.
final class InFlightAssets: Sendable {
    /// Those that were read, and are on their way wherever they are wanted; and those that earlier runs left waiting.
    ///
    /// These have the targets that they wait for: others may want them, too.
    typealias Assets = (read: Set<AssetID>, left: [AssetID: Set<String>])
    private let assets = Mutex<Assets>((read: [], left: [:]))
    /// Which bytes those are whose event the ledger may not know of yet.
    private let contents = Mutex(Contents())
    private struct Contents {
        var bytes: [AssetID: String] = [:], events: [String: [AssetID: String?]] = [:]
    }

    /// An earlier run left it waiting for these targets.
    func begin(_ asset: AssetID, left targets: Set<String>) {
        assets.withLock { $0.left[asset, default: []].formUnion(targets) }
    }
    /// Its bytes are on their way to the targets of that event.
    func begin(_ asset: Asset, for event: String?) {
        assets.withLock { _ = $0.read.insert(asset.id) }
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
        let isKnown = assets.withLock { assets in
            if assets.read.isEmpty, assets.left.isEmpty { return false }
            let isLeft = assets.left.drop(asset) != nil
            return assets.read.remove(asset) != nil || isLeft
        }
        guard isKnown else { return }
        contents.withLock { contents in
            guard let sha256 = contents.bytes.drop(asset) else { return }
            contents.events[sha256]?.drop(asset)
            if contents.events[sha256]?.isEmpty == true { contents.events.drop(sha256) }
        }
    }
    func holds(_ asset: AssetID) -> Bool { assets.withLock { $0.read.contains(asset) || $0.left[asset] != nil } }
    /// It was read, and is on its way wherever it is wanted.
    ///
    /// Where nothing in a listing stands for the bytes, it may be another file than the one that is under way.
    func isRead(_ origin: Origin) -> Bool {
        guard origin.evidence > .nothing else { return false }
        let id = origin.id
        return assets.withLock { $0.read.contains(id) }
    }
    /// An earlier run left it waiting, and it has its ending from there, whatever comes of reading it.
    func isLeft(_ origin: Origin) -> Bool {
        guard origin.evidence > .nothing else { return false }
        let id = origin.id
        return assets.withLock { $0.left[id] != nil && !$0.read.contains(id) }
    }
    var all: Assets { assets.withLock { $0 } }
    /// Takes out of a listing what was read and is under way, or was at an `earlier` moment; returns what earlier runs
    /// left.
    func takeOut(of entries: inout [SourceEntry], or earlier: Assets) -> [AssetID: Set<String>] {
        let now = all, read = now.read.union(earlier.read)
        if !read.isEmpty {
            entries.removeAll { $0.origin.evidence > .nothing && read.contains($0.origin.id) }
        }
        return earlier.left.merging(now.left) { $0.union($1) }
    }
}
