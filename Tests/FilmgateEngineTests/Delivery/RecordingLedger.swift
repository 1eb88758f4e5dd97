import FilmgateCore
import FilmgateTesting
import Synchronization

@testable import FilmgateEngine

/// Keeps the last row of each delivery; `refusing` names a content that cannot be written.
final class RecordingLedger: Ledger, LedgerStandIn {
    private let rows = Mutex<[Delivery.ID: DeliveryRow]>([:])
    private let files = Mutex<[String: String]>([:])
    private let told = Mutex<[String: [String]]>([:])
    private let refusing: String?
    init(refusing: String? = nil) { self.refusing = refusing }

    func state(_ content: String) -> Receipt.State? {
        rows.withLock { $0.values.first { $0.content.rawValue == content }?.receipt.state }
    }
    /// Where the bytes wait, by the last row.
    func file(_ content: String) -> String? { files.withLock { $0[content] } }
    /// Why it waited, in the order in which that was written.
    func reasons(_ content: String) -> [String] { told.withLock { $0[content] ?? [] } }
    var states: [Receipt.State] { rows.withLock { $0.values.map(\.receipt.state) } }
    func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] {
        rows.withLock { $0.values.filter { $0.content == content } }
    }

    func record(_ changes: [LedgerChange]) async throws(IngestError) {
        var written: [DeliveryRow] = []
        for case .delivery(let row) in changes {
            if row.content.rawValue == refusing { throw IngestError(.unexpected, "It cannot be written.") }
            written.append(row)
            files.withLock { $0[row.content.rawValue] = row.file }
            if let reason = row.receipt.reason {
                told.withLock { $0[row.content.rawValue, default: []].append(reason) }
            }
        }
        await Task.yield()
        rows.withLock { rows in
            for row in written { rows[Delivery.ID(content: row.content, target: row.target)] = row }
        }
    }
    func beginRun(verb: String, event: String?, at: Int64) async throws(IngestError) -> Int64 { 1 }
    func sync() async throws(IngestError) {}
}
