public import FilmgateCore

/// A ledger that knows bodies, where a test says which, and nothing else.
///
/// What a test is about it answers itself.
public protocol LedgerStandIn: LedgerReader { var serials: [String] { get } }

extension LedgerStandIn {
    public var serials: [String] { [] }
    public func bodies(make: String?, model: String) async throws(IngestError) -> [String] { serials }
    public func known(volume: String) async throws(IngestError) -> [KnownFile] { [] }
    public func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] { [] }
    public func twin(of content: ContentKey) async throws(IngestError) -> String? { nil }
    public func neighbour(of picture: String, withSidecar sha256: String) async throws(IngestError) -> String? { nil }
    public func holder(of path: String, at target: String) async throws(IngestError) -> ContentKey? { nil }
    public func shotName(_ shot: String, at target: String, event: String?) async throws(IngestError) -> ShotName? {
        nil
    }
    public func counter(at target: String, event: String?) async throws(IngestError) -> Int { 0 }
    public func queue(_ states: Set<Receipt.State>) async throws(IngestError) -> [QueuedDelivery] { [] }
    public func assets(_ filter: AssetFilter) async throws(IngestError) -> [AssetRow] { [] }
    public func assets(sha256: String) async throws(IngestError) -> [AssetRow] { [] }
    public func runs(limit: Int) async throws(IngestError) -> [RunRow] { [] }
    public func totals() async throws(IngestError) -> LedgerTotals {
        LedgerTotals(assets: [:], unfinished: 0, targets: [])
    }
    public func uses(ofTargets prefix: String) async throws(IngestError) -> [TargetUse] { [] }
    public func delivered(below prefix: String) async throws(IngestError) -> [DeliveryRow] { [] }
    public func notes(of asset: AssetID?, limit: Int) async throws(IngestError) -> [NoteRow] { [] }
}
