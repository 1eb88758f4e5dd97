import FilmgateCore
import Synchronization

/// Keeps the last state of each delivery; `refusing` names a content that cannot be written.
final class Notebook: Ledger {
    private let rows = Mutex<[String: Receipt.State]>([:])
    private let refusing: String?
    init(refusing: String? = nil) { self.refusing = refusing }

    func state(_ content: String) -> Receipt.State? { rows.withLock { $0[content] } }
    var states: [Receipt.State] { rows.withLock { Array($0.values) } }

    func record(_ changes: [LedgerChange]) async throws(IngestError) {
        var written: [(String, Receipt.State)] = []
        for case .delivery(let row) in changes {
            if row.content.rawValue == refusing { throw IngestError(.unexpected, "It cannot be written.") }
            written.append((row.content.rawValue, row.receipt.state))
        }
        await Task.yield()
        rows.withLock { rows in for (content, state) in written { rows[content] = state } }
    }
    func beginRun(verb: String, event: String?, at: Int64) async throws(IngestError) -> Int64 { 1 }
    func sync() async throws(IngestError) {}
    func known(volume: String) async throws(IngestError) -> [KnownFile] { [] }
    func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] { [] }
    func twin(of content: ContentKey) async throws(IngestError) -> String? { nil }
    func holder(of path: String, at target: String) async throws(IngestError) -> ContentKey? { nil }
    func shotName(_ shot: String, at target: String, event: String?) async throws(IngestError) -> ShotName? { nil }
    func counter(at target: String, event: String?) async throws(IngestError) -> Int { 0 }
    func queue(_ states: Set<Receipt.State>) async throws(IngestError) -> [QueuedDelivery] { [] }
    func assets(_ filter: AssetFilter) async throws(IngestError) -> [AssetRow] { [] }
    func assets(sha256: String) async throws(IngestError) -> [AssetRow] { [] }
    func runs(limit: Int) async throws(IngestError) -> [RunRow] { [] }
    func totals() async throws(IngestError) -> LedgerTotals { LedgerTotals(assets: [:], unfinished: 0, targets: []) }
    func delivered(below prefix: String) async throws(IngestError) -> [DeliveryRow] { [] }
}
