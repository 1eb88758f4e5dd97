import FilmgateCore
import Synchronization

/// The assets that have been handed to the targets and not reached their ending: a source that is listed again leaves
/// them alone.
///
/// Also how many shots are being read. It is one for all sources of a run: they share the spool.
final class InFlightAssets: Sendable {
    /// Those that were read, and are on their way wherever they are wanted; and those that earlier runs left waiting.
    ///
    /// These have the targets that they wait for: others may want them, too.
    typealias Assets = (read: Set<AssetID>, left: [AssetID: Set<String>])
    private struct State {
        var assets: Assets = (read: [], left: [:])
        /// Which bytes those are whose event the ledger may not know of yet, and for which events.
        var bytes: [AssetID: String] = [:], events: [String: [AssetID: String?]] = [:]
        var reading = 0
    }
    private let state = Mutex(State())

    /// An earlier run left it waiting for these targets.
    func begin(_ asset: AssetID, left targets: Set<String>) {
        state.withLock { $0.assets.left[asset, default: []].formUnion(targets) }
    }
    /// Its bytes are on their way to the targets of that event.
    func begin(_ asset: Asset, for event: String?) {
        state.withLock { state in
            state.assets.read.insert(asset.id)
            guard let sha256 = asset.digests?.sha256 else { return }
            state.bytes[asset.id] = sha256
            state.events[sha256, default: [:]].updateValue(event, forKey: asset.id)
        }
    }
    /// The events that these bytes are on their way for.
    func events(of sha256: String) -> [String?] {
        state.withLock { $0.events[sha256].map { Array($0.values) } ?? [] }
    }
    /// Most of what ends was never under way: known files are settled by their listing.
    func end(_ asset: AssetID) {
        state.withLock { state in
            if state.assets.read.isEmpty, state.assets.left.isEmpty { return }
            state.assets.left.drop(asset)
            state.assets.read.remove(asset)
            guard let sha256 = state.bytes.drop(asset) else { return }
            state.events[sha256]?.drop(asset)
            if state.events[sha256]?.isEmpty == true { state.events.drop(sha256) }
        }
    }
    func holds(_ asset: AssetID) -> Bool {
        state.withLock { $0.assets.read.contains(asset) || $0.assets.left[asset] != nil }
    }
    /// It was read, and is on its way wherever it is wanted.
    ///
    /// Where nothing in a listing stands for the bytes, it may be another file than the one that is under way.
    func isRead(_ origin: Origin) -> Bool {
        guard origin.evidence > .nothing else { return false }
        let id = origin.id
        return state.withLock { $0.assets.read.contains(id) }
    }
    /// An earlier run left it waiting, and it has its ending from there, whatever comes of reading it.
    func isLeft(_ origin: Origin) -> Bool {
        guard origin.evidence > .nothing else { return false }
        let id = origin.id
        return state.withLock { $0.assets.left[id] != nil && !$0.assets.read.contains(id) }
    }
    var all: Assets { state.withLock(\.assets) }
    /// Takes out of a listing what was read and is under way, or was at an `earlier` moment; returns what earlier runs
    /// left.
    func takeOut(of entries: inout [SourceEntry], or earlier: Assets) -> [AssetID: Set<String>] {
        let now = all, read = now.read.union(earlier.read)
        if !read.isEmpty {
            entries.removeAll { $0.origin.evidence > .nothing && read.contains($0.origin.id) }
        }
        return earlier.left.merging(now.left) { $0.union($1) }
    }

    /// Some shot has room in the spool and is not with its targets yet: while that is so, room comes back by itself.
    var isReading: Bool { state.withLock { $0.reading > 0 } }
    func beginReading() { state.withLock { $0.reading += 1 } }
    func endReading() { state.withLock { $0.reading -= 1 } }
}
