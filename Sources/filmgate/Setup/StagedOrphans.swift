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

    /// Those that a folder has byte for byte on a disk now, and others that were delivered as far as the ledger knows,
    /// whatever else waits for these bytes.
    ///
    /// Reads every file, and its copies from their disks.
    private func delivered(_ ledger: any LedgerReader) async throws(IngestError) -> (
        whole: [StagingArea.Left], others: [StagingArea.Left]
    ) {
        var whole: [StagingArea.Left] = [], others: [StagingArea.Left] = []
        for file in files {
            // What cannot be read is told with those that were never delivered.
            let hashed = try? await Self.pool.run { () throws(IngestError) in try FileCopy.hash(path: file.path) }
            guard let sha256 = hashed?.digests.sha256 else { continue }
            let receipts = try await Self.receipts(of: sha256, ledger)
            var isWhole = false
            for copy in receipts.compactMap(\.path) where !isWhole { isWhole = await Self.has(copy, file, sha256) }
            if isWhole { whole.append(file) } else if !receipts.isEmpty { others.append(file) }
        }
        return (whole, others)
    }
    private static let pool = BlockingPool(width: 1)

    /// What the ledger has of deliveries of these bytes as they are, and that their targets have not denied.
    private static func receipts(of sha256: String, _ ledger: any LedgerReader) async throws(IngestError) -> [Receipt] {
        var receipts: [Receipt] = []
        for content in Set(try await ledger.assets(sha256: sha256).compactMap(\.content)) {
            let done = try await ledger.deliveries(of: content).filter { row in
                row.receipt.state == .done && !row.holdsRendition && !row.receipt.isHearsay && row.denial == nil
            }
            receipts += done.map(\.receipt)
        }
        return receipts
    }

    /// Whether the copy is there and has the bytes of that file.
    ///
    /// What cannot be read has nothing; a copy in memory is none, unless the file lies there, too.
    private static func has(_ copy: String, _ file: StagingArea.Left, _ sha256: String) async -> Bool {
        let looked = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) in
                guard let facts = try FileFacts.of(copy), facts.kind == .regular, facts.size == file.size else {
                    return false
                }
                if try Media.current().isInMemory(copy), !FileSystem.same(copy, file.path) { return false }
                return try Reread.digest(of: copy, .sha256).digest == sha256
            }
        }
        return (try? looked.get()) ?? false
    }

    /// Removes those that a folder has byte for byte; returns what is to be said at the start of a run of these and of
    /// the rest.
    func clear(_ ledger: any LedgerReader) async throws(IngestError) -> [String] {
        if files.isEmpty { return [] }
        let whole = try await delivered(ledger).whole
        for file in whole { FileSystem.remove(file.path) }
        let gone = StagedOrphans(folder: folder, files: whole, foreign: [])
        let rest = StagedOrphans(folder: folder, files: files.filter { !whole.contains($0) }, foreign: [])
        let removed = "\(gone.known), and folders have all of that: removed."
        return (whole.isEmpty ? [] : [removed]) + (rest.remark.map { [$0] } ?? [])
    }

    /// That all that lies there is nobody's.
    private var known: String { "\(shown) \(files.count == 1 ? "belongs" : "belong") to nothing that waits" }

    /// Nil where all that lies there is somebody's.
    private var remark: String? {
        files.isEmpty ? nil : "\(known); `filmgate doctor --pipeline FILE` says what that is."
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
        let (whole, others) = try await delivered(ledger), sure = Set(whole + others)
        let rest = files.filter { !sure.contains($0) }
        if rest.isEmpty && others.isEmpty {
            return (true, "\(known); folders have all of that, and the next run that delivers there removes it here")
        }
        if rest.isEmpty {
            let some = "\(others.count) of them \(others.count == 1 ? "is" : "are")"
            return (
                true,
                "\(known); all was delivered, but \(some) in no folder byte for byte now. What a folder has is removed by the "
                    + "next run that delivers there; remove the rest once you are sure that you have it elsewhere"
            )
        }
        let names = rest.prefix(5).map { "\(StagingArea.name(of: $0.path)) (\(Describe.bytes($0.size)))" }.joined(
            separator: ", ")
        let more = rest.count > 5 ? ", …" : "", some = "\(rest.count) of them \(rest.count == 1 ? "was" : "were")"
        return (
            false,
            "\(known), and \(some) never delivered as far as this state knows: \(names)\(more). "
                + "They are frames of a run that ended before it wrote them down, or that were taken back while their "
                + "card was away. Import their cards again: what a folder has then is removed here by the next run. "
                + "Where a card is gone, copy them elsewhere, import that folder with `accept: [other]`, and remove them."
        )
    }
}
