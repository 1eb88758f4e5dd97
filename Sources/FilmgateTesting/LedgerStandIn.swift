import FilmgateCore

/// A ledger that knows bodies, where a test says which, and nothing else.
protocol LedgerStandIn: LedgerReader { var serials: [String] { get } }

extension LedgerStandIn {
    var serials: [String] { [] }
    func bodies(make: String?, model: String) async throws(IngestError) -> [String] { serials }
    func known(volume: String) async throws(IngestError) -> [KnownFile] { [] }
    func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] { [] }
    func twin(of content: ContentKey) async throws(IngestError) -> String? { nil }
    func neighbour(of picture: String, withSidecar sha256: String) async throws(IngestError) -> String? { nil }
    func holder(of path: String, at target: String) async throws(IngestError) -> ContentKey? { nil }
    func shotName(_ shot: String, at target: String, event: String?) async throws(IngestError) -> ShotName? { nil }
    func counter(at target: String, event: String?) async throws(IngestError) -> Int { 0 }
    func queue(_ states: Set<Receipt.State>) async throws(IngestError) -> [QueuedDelivery] { [] }
    func assets(_ filter: AssetFilter) async throws(IngestError) -> [AssetRow] { [] }
    func assets(sha256: String) async throws(IngestError) -> [AssetRow] { [] }
    func runs(limit: Int) async throws(IngestError) -> [RunRow] { [] }
    func totals() async throws(IngestError) -> LedgerTotals { LedgerTotals(assets: [:], unfinished: 0, targets: []) }
    func uses(ofTargets prefix: String) async throws(IngestError) -> [TargetUse] { [] }
    func delivered(below prefix: String) async throws(IngestError) -> [DeliveryRow] { [] }
}
