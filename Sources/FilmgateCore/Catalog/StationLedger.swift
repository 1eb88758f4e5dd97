/// What tells a catalogue needs of the ledger.
public protocol StationLedger: Sendable {
    /// Who this state directory is there, and the session that it had last; nil where it has joined no catalogue.
    func standing() async throws(IngestError) -> StationStanding?
    /// Notes a session before it is used, and the server that it is at; nil where that does not say.
    func note(session: Int64, history: ServerHistory?) async throws(IngestError)
    /// Notes up to where a report goes before it is told: the catalogue may know it then, whether it says so or not.
    ///
    /// Forgotten with the next word of the catalogue that is another than the last one.
    func note(telling upTo: Int64) async throws(IngestError)
    /// What changed behind `seq`, up to `last` where that is said, `limit` lines at most; nil when nothing did.
    func untold(after seq: Int64, upTo last: Int64?, limit: Int) async throws(IngestError) -> StationReport?
    /// The catalogue knows this station up to there, whether that is more or less than before.
    func acknowledge(_ applied: Int64) async throws(IngestError)
    /// What this station says of itself to people at the others; nil where it says nothing.
    func status() async throws(IngestError) -> StationStatus?
    /// Where open deliveries go, the most first; empty where nobody counts them.
    func openTargets() async throws(IngestError) -> [OpenTarget]
}

extension StationLedger {
    public func status() async throws(IngestError) -> StationStatus? { nil }
    public func openTargets() async throws(IngestError) -> [OpenTarget] { [] }
}

/// Where a station stands.
public struct StationStanding: Sendable, Hashable {
    public var membership: StationMembership, session: Int64?
    /// The last change of this station.
    public var last: Int64
    /// The newest history of a server that it has met.
    public var history: ServerHistory?
    /// Up to where a report went whose answer never came; nil where there is none.
    public var telling: Int64?

    public init(
        membership: StationMembership, session: Int64?, last: Int64, history: ServerHistory? = nil,
        telling: Int64? = nil
    ) {
        (self.membership, self.session, self.last, self.history) = (membership, session, last, history)
        self.telling = telling
    }
}
