import FilmgateCore

/// Remembers the latest shots of an open source, so that a sidecar or memo that comes by itself finds its picture.
actor ShotPrimaries {
    private static let most = 512
    private var primaries: [String: RememberedPicture] = [:], order: [String] = []
    /// Works with a picture of that shot that are being read.
    private var underWay: [String: Int] = [:]
    private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]

    /// A picture of the shot is about to be read; `ended` follows, whatever becomes of it.
    func began(_ key: String) { underWay[key, default: 0] += 1 }

    func ended(_ key: String, lead: Asset?) {
        if let lead {
            if primaries.updateValue(RememberedPicture(lead), forKey: key) == nil { order.append(key) }
            if order.count > Self.most { primaries[order.removeFirst()] = nil }
        }
        let left = (underWay[key] ?? 1) - 1
        underWay[key] = left > 0 ? left : nil
        if left <= 0 { for waiter in waiting.removeValue(forKey: key) ?? [] { waiter.resume() } }
    }

    /// What is known of the shot's picture, once none of its files is being read.
    func lead(of key: String) async -> Asset? {
        if underWay[key] != nil { await withCheckedContinuation { waiting[key, default: []].append($0) } }
        return primaries[key]?.asset
    }
}

/// What a sidecar needs of its picture: hundreds are kept as long as their source is open, and a whole asset holds on
/// to its metadata, its deliveries and the files made of it.
private final class RememberedPicture: Sendable {
    private let origin: Origin
    private let shot: ShotPlace
    private let facts: KnownFile

    init(_ asset: Asset) {
        (origin, shot) = (asset.origin, asset.shot)
        facts = Inheritance.known(asset)
    }

    var asset: Asset { Inheritance.remembered(facts, origin: origin, kind: facts.kind, shot: shot) }
}
