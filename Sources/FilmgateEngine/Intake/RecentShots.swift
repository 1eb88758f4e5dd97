import FileKit
import FilmgateCore

/// The latest shots of an open source: a sidecar or memo that comes by itself finds its picture, or the frames that a
/// stage let end as filtered and that it may rate.
actor RecentShots {
    private static let mostPictures = 512
    private var primaries: [String: RememberedPicture] = [:], order: [String] = []
    /// Works with a picture of that shot that are being read, by their place in the order of the source.
    private var underWay: [String: Set<Int>] = [:]
    private var waiting: [String: [(index: Int, continuation: CheckedContinuation<Void, Never>)]] = [:]
    /// Shots; of the others the next run asks again.
    private static let mostRefused = 4096
    private var refused: [String: [SourceEntry]] = [:], refusedOrder: [String] = []

    // MARK: Pictures

    /// A picture of the shot is about to be read; `ended` follows, whatever becomes of it.
    func began(_ key: String, _ index: Int) { underWay[key, default: []].insert(index) }

    func ended(_ key: String, _ index: Int, lead: Asset?) {
        if let lead {
            if primaries.updateValue(RememberedPicture(lead), forKey: key) == nil { order.append(key) }
            if order.count > Self.mostPictures { primaries[order.removeFirst()] = nil }
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

    // MARK: Refused frames

    /// A stage let it end as filtered: a sidecar that comes later may rate it.
    func note(refused asset: Asset) {
        let entry = SourceEntry(origin: asset.origin, kind: asset.kind, shot: asset.shot), key = asset.shot.key
        if refused[key] == nil { refusedOrder.append(key) }
        refused[key, default: []].removeAll { $0.origin.path == entry.origin.path }
        refused[key, default: []].append(entry)
        if refusedOrder.count > Self.mostRefused { refused[refusedOrder.removeFirst()] = nil }
    }

    /// What is to be judged once more because of the sidecars that `work` brought, which have been read; each frame is
    /// given out once, so that nothing goes round.
    ///
    /// Nil where it brought none, and where no refused frame lies in the source any more as it was. Looks there while
    /// nobody waits for this actor: its disk may be slow.
    nonisolated func again(
        after work: ShotWork, _ read: [Passed], in session: any SourceSession
    ) async -> ShotWork? {
        let sidecars = read.map(\.asset).filter { $0.kind == .sidecar && !$0.flags.contains(AssetFlag.made) }
        guard session.traits.keepsRefused, !sidecars.isEmpty else { return nil }
        let here = Set(work.members.map(\.entry.origin.id)), refused = await take(work.key, without: here)
        let frames = refused.filter { Self.isThere($0.origin, session) }.sorted { $0.kind.rank < $1.kind.rank }
        return frames.isEmpty ? nil : ShotWork(frames, beside: sidecars)
    }

    /// Those that came with the sidecar have been judged by it.
    private func take(_ key: String, without here: Set<AssetID>) -> [SourceEntry] {
        guard let frames = refused[key] else { return [] }
        let judged = frames.filter { here.contains($0.origin.id) }
        refused[key] = judged.isEmpty ? nil : judged
        if judged.isEmpty { refusedOrder.removeAll { $0 == key } }
        return frames.filter { !here.contains($0.origin.id) }
    }

    /// Another file under its name is not what was refused, though it has its size and time.
    ///
    /// Its status change says nothing here: a backup that links to it, or whoever makes it readable, changes that alone.
    /// Whatever lies there is read anew, and by its bytes it is known: so nothing is read here.
    private static func isThere(_ origin: Origin, _ session: any SourceSession) -> Bool {
        guard let path = session.localPath(origin), let facts = try? FileFacts.of(path), facts.kind == .regular,
            origin.inode == 0 || facts.inode == origin.inode
        else { return false }
        return facts.size == origin.size && facts.modified == origin.modified
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
