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

extension PendingDeliveries {
    /// Those of an order, for the targets of `plan`.
    init(
        _ order: ResumeOrder, _ plan: Plan, _ options: RunOptions, ledger: any LedgerReader,
        _ reservations: NameReservations
    ) {
        self.init(
            ledger: ledger, targets: plan.targets, event: options.event, assigning: order.assigning,
            reservations: reservations, station: plan.station, staging: options.stagingFolders(plan.targets),
            contents: order.contents)
    }
}
