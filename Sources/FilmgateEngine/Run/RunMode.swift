public import FilmgateCore

/// What a run takes, and when it ends.
public enum RunMode: Sendable, Hashable {
    /// What the sources hold now, one place after the other in their order; all that was asked for must be there
    /// (`import`, `plan`).
    case once
    /// What each source holds now, all sources side by side, after what earlier runs left waiting (`run --once`).
    case together
    /// The same, and then what comes, until it is stopped; lost sources are come back to (`run`, `watch`).
    case continuous
    /// Nothing from any source: what earlier runs left waiting at the plan's targets (`retry`, `assign`).
    case resume(ResumeOrder)

    /// It ends by itself, and what it did not take is told as an ending.
    var ends: Bool { self != .continuous }
    /// Each source has a supervisor of its own, and says how its places fare.
    var isSideBySide: Bool { self == .together || self == .continuous }
}

/// Which deliveries are sent again.
public struct ResumeOrder: Sendable, Hashable {
    /// Pending and held, perhaps failed too.
    public var states: Set<Receipt.State>
    /// The name of the one target that is meant; nil = all of the plan.
    public var target: String?
    /// What waits for an event, and only that, is sent to the options' event.
    public var assigning: Bool
    /// These alone; nil = all that waits.
    public var contents: Set<ContentKey>?

    public init(
        _ states: Set<Receipt.State>, target: String? = nil, assigning: Bool = false, contents: Set<ContentKey>? = nil
    ) {
        (self.states, self.target, self.assigning, self.contents) = (states, target, assigning, contents)
    }

    /// Whether these bytes are meant, wherever they are to go.
    public func means(_ content: ContentKey) -> Bool { contents?.contains(content) ?? true }
}

extension Collection<QueuedDelivery> {
    /// These contents, and those here of sidecars and memos that follow them.
    ///
    /// A shot has one event, and nobody chooses its sidecar by itself.
    public func following(_ contents: Set<ContentKey>) -> Set<ContentKey> {
        var shots: [ShotPlaceKey: [ShotIdentity]] = [:]
        for one in self where contents.contains(one.delivery.content) && !one.asset.kind.follows {
            shots[ShotPlaceKey(one.asset), default: []].append(ShotIdentity(one.asset))
        }
        if shots.isEmpty { return contents }
        var all = contents
        for one in self where one.asset.kind.follows && !all.contains(one.delivery.content) {
            let shot = ShotIdentity(one.asset)
            if shots[ShotPlaceKey(one.asset)]?.contains(where: { $0.isOne(with: shot) }) == true {
                all.insert(one.delivery.content)
            }
        }
        return all
    }
}

/// Where the files of a shot lie, whatever moment they were taken at.
private struct ShotPlaceKey: Hashable {
    let volume: String, key: String
    init(_ row: AssetRow) { (volume, key) = (row.origin.volume, row.shot.key) }
}
