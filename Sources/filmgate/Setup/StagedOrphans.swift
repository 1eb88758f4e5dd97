import FileKit
import FilmgateCore

/// Whole files in a staging folder that no delivery waits for: left by a run that ended before it could write them
/// down, or by an older version.
struct StagedOrphans {
    let folder: String
    let files: [StagingArea.Left]
    /// What other state directories left there, whole or not: only their ledgers know what waits for it.
    let foreign: [StagingArea.Left]

    var shown: String { shown(files, "whole file") }

    private func shown(_ files: [StagingArea.Left], _ kind: String) -> String {
        let bytes = files.reduce(0) { $0 + $1.size }
        return "\(files.count) \(kind)\(files.count == 1 ? "" : "s") (\(Describe.bytes(bytes))) in \(folder)"
    }

    /// Those of the state directory and of these folder targets, one entry for each staging folder that has any.
    static func look(state: String, roots: [String], _ ledger: any LedgerReader) async throws(IngestError)
        -> [StagedOrphans]
    {
        var folders: [String] = []
        for folder in StagingArea.directories(state: state, roots: roots) where !folders.contains(folder) {
            folders.append(folder)
        }
        var found: [StagedOrphans] = []
        let owner = StagingArea.Owner.state(at: state)
        for folder in folders {
            let left = try StagingArea.left(in: folder), own = left.filter { $0.isOf(owner) && $0.isWhole }
            let foreign = left.filter { !$0.isOf(owner) }
            if own.isEmpty && foreign.isEmpty { continue }
            found.append(StagedOrphans(folder: folder, files: own, foreign: foreign))
        }
        if found.isEmpty { return [] }
        // A folder may be spelled in several ways; the names in it are nobody else's.
        // What was rejected or taken back comes back from there when somebody says so.
        let states: Set<Receipt.State> = [.pending, .held, .failed, .excluded]
        let waiting = Set(try await ledger.queue(states).compactMap { one in one.delivery.file.map(stem) })
        // A state directory that was moved or copied waits for what the earlier one began.
        return found.map { one in
            let isFree = { (file: StagingArea.Left) in !waiting.contains(stem(file.path)) }
            return StagedOrphans(
                folder: one.folder, files: one.files.filter(isFree), foreign: one.foreign.filter(isFree))
        }
    }

    /// Its name, as it is once it is whole.
    private static func stem(_ path: String) -> String { StagingArea.whole(StagingArea.name(of: path)) }

    /// Those whose bytes the ledger knows as delivered; reads every file.
    func delivered(_ ledger: any LedgerReader) async throws(IngestError) -> [StagingArea.Left] {
        var known: [StagingArea.Left] = []
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

    /// Said at the start of a run; nil where all that lies there is somebody's.
    var remark: String? {
        if files.isEmpty { return nil }
        let verb = files.count == 1 ? "belongs" : "belong"
        return "\(shown) \(verb) to nothing that waits; `filmgate doctor --pipeline FILE` says what that is."
    }

    /// What `doctor` says of them.
    func findings(_ ledger: any LedgerReader) async throws(IngestError) -> [(good: Bool, text: String)] {
        var findings = foreign.isEmpty ? [] : [(true, foreignFinding)]
        if !files.isEmpty { findings.append(try await finding(ledger)) }
        return findings
    }

    private var foreignFinding: String {
        "\(shown(foreign, "file")) \(foreign.count == 1 ? "is" : "are") another state directory's: its next run sends or removes "
            + "them. Where there is no such state any more, nobody else may have these frames: copy them elsewhere, import "
            + "that folder with `accept: [other]`, then remove them."
    }

    private func finding(_ ledger: any LedgerReader) async throws(IngestError) -> (good: Bool, text: String) {
        let known = try await delivered(ledger), rest = files.filter { !known.contains($0) }
        if rest.isEmpty {
            return (true, "\(shown) belong to nothing that waits; all of them were delivered, they can be removed")
        }
        let names = rest.prefix(5).map { "\(StagingArea.name(of: $0.path)) (\(Describe.bytes($0.size)))" }.joined(
            separator: ", ")
        let more = rest.count > 5 ? ", …" : ""
        return (
            false,
            "\(shown) belong to nothing that waits, and \(rest.count) of them were never delivered by this state: \(names)\(more). "
                + "They are frames of a run that ended before it wrote them down. Import their cards again; "
                + "where a card is gone, copy them elsewhere and import that folder with `accept: [other]`. Then remove them."
        )
    }
}
