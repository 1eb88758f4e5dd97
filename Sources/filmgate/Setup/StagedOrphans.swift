import FileKit
import FilmgateCore

/// Whole files in a staging folder that no delivery waits for: left by a run that ended before it could write them
/// down, by an older version, or kept for another state directory that shares the folder.
struct StagedOrphans {
    let folder: String
    let files: [StagingArea.Whole]

    var bytes: UInt64 { files.reduce(0) { $0 + $1.size } }
    var shown: String {
        "\(files.count) whole file\(files.count == 1 ? "" : "s") (\(Describe.bytes(bytes))) in \(folder)"
    }

    /// Those of the state directory and of these folder targets, one entry for each staging folder that has any.
    static func look(state: String, roots: [String], _ ledger: any LedgerReader) async throws(IngestError)
        -> [StagedOrphans]
    {
        var folders: [String] = []
        for folder in [state + "/staging"] + roots.map({ StagingArea.directory(below: $0) })
        where !folders.contains(folder) {
            folders.append(folder)
        }
        var found: [StagedOrphans] = []
        for folder in folders {
            let whole = try StagingArea.whole(in: folder)
            if !whole.isEmpty { found.append(StagedOrphans(folder: folder, files: whole)) }
        }
        if found.isEmpty { return [] }
        // A folder may be spelled in several ways; the names in it are nobody else's.
        let waiting = Set(
            try await ledger.queue([.pending, .held, .failed]).compactMap { $0.delivery.file.map { lastName($0) } })
        return found.map {
            StagedOrphans(folder: $0.folder, files: $0.files.filter { !waiting.contains(lastName($0.path)) })
        }
        .filter { !$0.files.isEmpty }
    }

    private static func lastName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Those whose bytes the ledger knows as delivered; reads every file.
    func delivered(_ ledger: any LedgerReader) async throws(IngestError) -> [StagingArea.Whole] {
        var known: [StagingArea.Whole] = []
        for file in files {
            let sha256 = try FileCopy.hash(path: file.path).digests.sha256
            var isDelivered = false
            for row in try await ledger.assets(sha256: sha256) {
                guard let content = row.content else { continue }
                let states = try await ledger.deliveries(of: content).map(\.receipt.state)
                if states.contains(.done), !states.contains(where: { $0 != .done && $0 != .excluded }) {
                    isDelivered = true
                }
            }
            if isDelivered { known.append(file) }
        }
        return known
    }

    /// Said at the start of a run.
    var remark: String {
        let verb = files.count == 1 ? "belongs" : "belong"
        return "\(shown) \(verb) to nothing that waits; `filmgate doctor --pipeline FILE` says what that is."
    }

    /// What `doctor` says of them.
    func finding(_ ledger: any LedgerReader) async throws(IngestError) -> (good: Bool, text: String) {
        let known = try await delivered(ledger), rest = files.filter { !known.contains($0) }
        if rest.isEmpty {
            return (true, "\(shown) belong to nothing that waits; all of them were delivered, they can be removed")
        }
        let names = rest.prefix(5).map { "\(Self.lastName($0.path)) (\(Describe.bytes($0.size)))" }.joined(
            separator: ", ")
        let more = rest.count > 5 ? ", …" : ""
        return (
            false,
            "\(shown) belong to nothing that waits, and \(rest.count) of them were never delivered by this state: \(names)\(more). "
                + "They are frames of a run that ended before it wrote them down, or another state directory's. Import their cards again; "
                + "where a card is gone, copy them elsewhere and import that folder with `accept: [other]`. Then remove them."
        )
    }
}
