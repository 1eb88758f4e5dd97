import FilmgateCore
import Synchronization

/// The first asset that an inspection told of.
final class FirstAsset: Sendable {
    private let asset = Mutex<Asset?>(nil)
    var first: Asset? { asset.withLock { $0 } }
    func note(_ asset: Asset) { self.asset.withLock { $0 = $0 ?? asset } }
}
