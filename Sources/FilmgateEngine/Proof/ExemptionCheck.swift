import FileKit
import FilmgateCore

/// What a card's listing leaves out, and whether pictures hide in it.
struct ExemptionCheck: Sendable {
    let reader: any LedgerReader
    let allowance: CardProof.Allowance
    let exemptions: CardProof.Exemptions
    let pool: BlockingPool

    /// By its name alone a camera writes it anew, and its bytes say nothing else.
    func isHousekeeping(_ origin: Origin, at path: String?) async -> Bool {
        guard exemptions.isHousekeeping(origin.path) else { return false }
        return await disguise(at: path) == nil
    }

    /// What a source leaves out as junk, as the camera's own housekeeping, or because it is no file; anything else that
    /// it left out blocks.
    ///
    /// So do the folder of files that a repair of the card has found again, and our own, where frames may wait for
    /// other targets.
    private static func holdsNoPictures(_ reason: String, _ name: String) -> Bool {
        if reason.hasPrefix("junk:") { return SafeName.folded(name) != "lost.dir" && !SafeName.isOwnFolder(name) }
        return reason.hasPrefix("housekeeping:") || reason.hasSuffix("not a file")
            || reason.hasPrefix("a symbolic link")
    }

    /// Which of what the source left out may be lifted at all: what another file system hides cannot be seen from here.
    private static func canBeLifted(_ reason: String) -> Bool { !reason.hasPrefix("another file system") }

    /// Exempt by its name or because the user lifted the rule, unless its bytes are a picture's that nobody has: that
    /// is no rule of the user's.
    ///
    /// What lies in a trash was thrown away by somebody, and is only named.
    func verdict(
        onFiltered reason: String, _ entry: SourceEntry, at path: String?
    ) async throws(IngestError) -> CardProof.Verdict {
        let remedy: CardProof.Remedy? = Self.canBeLifted(reason) ? .allowFiltered : nil
        let isLifted = allowance.contains(.filtered) && remedy != nil
        guard isLifted || Self.holdsNoPictures(reason, entry.origin.name) else {
            return .problem("filtered: \(reason)", remedy)
        }
        guard let path, ["junk:", "housekeeping:", "hidden:"].contains(where: reason.hasPrefix) else {
            return .exempt(reason)
        }
        let looked = await Result { () async throws(IngestError) in try await hidden(at: path) }
        guard case .success(let hidden) = looked else {
            return .problem("\(reason) by its name, and nobody can look what it is")
        }
        guard let first = hidden.first else { return .exempt(reason) }
        if first.path == path {
            return .problem(
                "\(reason) (by its name), but \(first.what), never ingested or with no copy now: rename it and import it"
            )
        }
        let bytes = hidden.reduce(UInt64(0)) { $0.addingClamped($1.size) }
        let size = bytes < 1_000_000 ? "\(bytes) bytes" : "\(bytes / 1_000_000) MB"
        let count = hidden.count == 1 ? "1 picture" : "\(hidden.count) pictures"
        let names = hidden.prefix(3).map { String($0.path.dropFirst(path.count + 1)) }.joined(separator: ", ")
        let what = "\(reason); holds \(count), \(size), never ingested: \(names)\(hidden.count > 3 ? " …" : "")"
        return reason.hasSuffix("trash") ? .exempt(what) : .problem(what)
    }

    /// What the bytes are where the name says otherwise, or why nobody can tell.
    private func disguise(at path: String?) async -> String? {
        guard let path else { return nil }
        let found = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) in try content(of: path) }
        }
        switch found {
        case .success(let what): return what
        case .failure(let error): return error.message
        }
    }

    /// By the bytes on the card, not by what memory holds of them.
    private func content(of path: String) throws(IngestError) -> String? {
        Reread.forget(path)
        return try exemptions.disguise(path)
    }

    private struct Hidden: Sendable { var path: String, what: String, size: UInt64 }

    /// Pictures, clips and sounds at or below `path` of which no copy is known; what may not be looked into is none.
    private func hidden(at path: String) async throws(IngestError) -> [Hidden] {
        let found = try await pool.run { () throws(IngestError) -> [Hidden] in
            guard let facts = try FileFacts.of(path) else { return [] }
            if facts.kind == .regular {
                return try content(of: path).map { [Hidden(path: path, what: $0, size: facts.size)] } ?? []
            }
            guard facts.kind == .directory else { return [] }
            var found: [Hidden] = []
            let walked = Result { () throws(IngestError) in
                try DirectoryScan(root: path).run { entry in
                    let file = path + "/" + entry.path
                    guard entry.type == .file, entry.size > 0 else { return .proceed }
                    let what = Result { () throws(IngestError) in try content(of: file) }
                    if let what = try? what.get() { found.append(Hidden(path: file, what: what, size: entry.size)) }
                    return found.count < 100_000 ? .proceed : .stop
                }
            }
            _ = walked
            return found
        }
        var unknown: [Hidden] = []
        for one in found {
            let hashed = await Result { () async throws(IngestError) in
                try await pool.run { () throws(IngestError) in
                    try Reread.digests(of: one.path).sha256
                }
            }
            if let sha256 = try? hashed.get(), try await hasCopy(sha256) { continue }
            unknown.append(one)
        }
        return unknown
    }

    /// That the ledger has met these bytes is not enough: they may have been refused, left out or taken back.
    private func hasCopy(_ sha256: String) async throws(IngestError) -> Bool {
        for content in Set(try await reader.assets(sha256: sha256).compactMap(\.content)) {
            let rows = try await reader.deliveries(of: content)
            if rows.contains(where: \.isBelieved) {
                return true
            }
        }
        return false
    }
}
