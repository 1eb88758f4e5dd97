import FileKit
import FilmgateCore

/// What waits for a target, and whose bytes are no longer where they were kept: known before the target is back, while
/// the card may still have them.
struct MissingBytes {
    let target: String
    private(set) var names: [String] = []

    /// One entry for each target that something is missing for.
    ///
    /// Beside a run that goes on this says nothing: bytes move meanwhile.
    static func look(state: String, roots: [String], _ ledger: any LedgerReader) async throws(IngestError)
        -> [MissingBytes]
    {
        let folders = StagingArea.directories(state: state, roots: roots)
        var missing: [String: MissingBytes] = [:]
        for one in try await ledger.queue([.pending, .held, .failed]) {
            let row = one.delivery
            guard row.staged, let file = row.file, try !isKept(StagingArea.find(file, in: folders), row.size) else {
                continue
            }
            // A folder that took them since has them, too.
            var isElsewhere = false
            for other in try await ledger.deliveries(of: row.content) where other.receipt.state == .done {
                if let path = other.receipt.path, try isKept(path, other.size) { isElsewhere = true }
            }
            if !isElsewhere {
                missing[row.targetName, default: MissingBytes(target: row.targetName)].names.append(
                    one.asset.origin.name)
            }
        }
        return missing.values.sorted { $0.target < $1.target }
    }

    private static func isKept(_ path: String, _ size: UInt64) throws(IngestError) -> Bool {
        let facts = try FileFacts.of(path)
        return facts?.kind == .regular && facts?.size == size
    }

    /// What `doctor` says of them.
    var finding: String {
        let named = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
        let (waits, them) = names.count == 1 ? ("waits", "it") : ("wait", "them")
        return "\(Describe.count(names.count, "file")) that \(waits) for \(target) cannot be found where Filmgate kept "
            + "\(them): \(named). Import their card or folder again while that has \(them)."
    }
}
