import FilmgateCore

/// Remembers the latest shots of an open source, so that a sidecar or memo that comes by itself finds its picture.
actor ShotPrimaries {
    private static let most = 512
    private var primaries: [String: RememberedPicture] = [:], order: [String] = []
    /// Works with a picture of that shot that are being read, by their place in the order of the source.
    private var underWay: [String: Set<Int>] = [:]
    private var waiting: [String: [(index: Int, continuation: CheckedContinuation<Void, Never>)]] = [:]

    /// A picture of the shot is about to be read; `ended` follows, whatever becomes of it.
    func began(_ key: String, _ index: Int) { underWay[key, default: []].insert(index) }

    func ended(_ key: String, _ index: Int, lead: Asset?) {
        if let lead {
            if primaries.updateValue(RememberedPicture(lead), forKey: key) == nil { order.append(key) }
            if order.count > Self.most { primaries[order.removeFirst()] = nil }
        }
        underWay[key]?.remove(index)
        if underWay[key]?.isEmpty == true { underWay[key] = nil }
        let waiters = waiting.removeValue(forKey: key) ?? []
        let rest = waiters.filter { isRead(key, before: $0.index) }
        if !rest.isEmpty { waiting[key] = rest }
        for waiter in waiters where !isRead(key, before: waiter.index) { waiter.continuation.resume() }
    }

    /// What is known of the shot's picture, once none of its files that come before `index` is being read.
    ///
    /// Not those that come later: they wait for whoever asks to be named first.
    func lead(of key: String, before index: Int) async -> Asset? {
        if isRead(key, before: index) {
            await withCheckedContinuation { waiting[key, default: []].append((index, $0)) }
        }
        return primaries[key]?.asset
    }

    private func isRead(_ key: String, before index: Int) -> Bool {
        underWay[key]?.contains { $0 < index } ?? false
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
