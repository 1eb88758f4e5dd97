import FileKit
import FilmgateCore

/// What a card's listing leaves out, and whether pictures hide in it.
struct ExemptionCheck: Sendable {
    let exemptions: CardProof.Exemptions
    /// How the copies of a hidden picture are looked at: as those of any file.
    let check: DeliveryCheck
    /// On how many places it must lie.
    let copies: Int

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
        let remedy = Self.canBeLifted(reason) ? ProofRemedy.allowFiltered : .unmount(entry.origin.absolutePath)
        let isLifted = check.allowance.contains(.filtered) && remedy == .allowFiltered
        guard isLifted || Self.holdsNoPictures(reason, entry.origin.name) else {
            return .problem("filtered: \(reason)", remedy)
        }
        guard let path, ["junk:", "housekeeping:", "hidden:"].contains(where: reason.hasPrefix) else {
            return .exempt(reason)
        }
        let looked = await Result { () async throws(IngestError) in
            try await check.pool.run { () throws(IngestError) in try contents(of: path) }
        }
        guard case .success(let contents) = looked else {
            return .problem("\(reason) by its name, and nobody can look what it is", .letLook)
        }
        let hidden = try await unproven(contents.pictures)
        if let first = hidden.first, first.path == path {
            let doubt = first.doubt?.reason.map { " (\($0))" } ?? ""
            let what = "\(reason) (by its name), but \(first.what), never ingested or with no copy now\(doubt)"
            return first.isCopiedThere
                ? .problem(what, .allowSameDevice) : .problem(what + ": rename it and import it", .nameAsPicture)
        }
        var what = reason
        if !hidden.isEmpty { what += "; " + Self.words(hidden, below: path) }
        if let closed = contents.closed { what += "; cannot be looked into: \(closed)" }
        if what == reason || reason.hasSuffix("trash") { return .exempt(what) }
        if hidden.isEmpty { return .problem(what, .letLook) }
        return .problem(what, hidden.allSatisfy(\.isCopiedThere) ? .allowSameDevice : .nameAsPicture)
    }

    private static func words(_ hidden: [Hidden], below path: String) -> String {
        let bytes = hidden.reduce(UInt64(0)) { $0.addingClamped($1.size) }
        let size = bytes < 1_000_000 ? "\(bytes) bytes" : "\(bytes / 1_000_000) MB"
        let count = hidden.count == 1 ? "1 picture" : "\(hidden.count) pictures"
        let names = hidden.prefix(3).map { String($0.path.dropFirst(path.count + 1)) }.joined(separator: ", ")
        let state = hidden.allSatisfy { $0.doubt == nil } ? "never ingested" : "never ingested or with no copy now"
        return "holds \(count), \(size), \(state): \(names)\(hidden.count > 3 ? " …" : "")"
    }

    /// What the bytes are where the name says otherwise, or why nobody can tell.
    private func disguise(at path: String?) async -> String? {
        guard let path else { return nil }
        let found = await Result { () async throws(IngestError) in
            try await check.pool.run { () throws(IngestError) in try content(of: path) }
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

    private struct Hidden: Sendable {
        var path: String, what: String, size: UInt64
        /// Why what was delivered of it does not prove it; nil where nothing was.
        var doubt: CardProof.Verdict?

        /// Its copy lies on the card's own device, and nothing else was found against it.
        var isCopiedThere: Bool {
            if case .problem(_, .allowSameDevice)? = doubt { true } else { false }
        }
    }

    private struct Contents: Sendable {
        var pictures: [Hidden] = []
        /// The first place that nobody may look into, and why.
        var closed: String?
    }

    /// Pictures, clips and sounds at or below `path`.
    ///
    /// Blocks.
    private func contents(of path: String) throws(IngestError) -> Contents {
        var contents = Contents()
        guard let facts = try FileFacts.of(path) else { return contents }
        if facts.kind == .regular {
            if let what = try content(of: path) {
                contents.pictures = [Hidden(path: path, what: what, size: facts.size)]
            }
            return contents
        }
        guard facts.kind == .directory else { return contents }
        let walked = Result { () throws(IngestError) in
            try DirectoryScan(root: path).run { entry in
                add(entry, below: path, to: &contents)
                return contents.pictures.count < 100_000 ? .proceed : .stop
            }
        }
        if case .failure(let error) = walked { contents.closed = error.message }
        return contents
    }

    private func add(_ entry: ScanEntry, below path: String, to contents: inout Contents) {
        func close(_ why: String) {
            contents.closed = contents.closed ?? (entry.path.isEmpty ? why : "\(entry.path): \(why)")
        }
        if let problem = entry.problem { return close(problem) }
        if entry.isBoundary { return close("another file system") }
        guard entry.type == .file, entry.size > 0 else { return }
        let file = path + "/" + entry.path
        switch Result(catching: { () throws(IngestError) in try content(of: file) }) {
        case .success(let what?): contents.pictures.append(Hidden(path: file, what: what, size: entry.size))
        case .success(nil): break
        case .failure(let error): close(error.message)
        }
    }

    /// Those that are not proven by their copies now.
    private func unproven(_ pictures: [Hidden]) async throws(IngestError) -> [Hidden] {
        let algorithms = check.proofTargets?.digests ?? []
        var unproven: [Hidden] = []
        for picture in pictures {
            let read = await Result { () async throws(IngestError) in
                try await check.pool.run { () throws(IngestError) in
                    try Reread.digests(of: picture.path, algorithms)
                }
            }
            var doubted = picture
            switch read {
            case .failure(let error): doubted.doubt = .problem(error.message)
            case .success(let digests):
                let verdict = try await verdict(on: picture, digests)
                if verdict == .proven { continue }
                doubted.doubt = verdict
            }
            unproven.append(doubted)
        }
        return unproven
    }

    /// Nil where nothing of it was ever delivered.
    ///
    /// That the ledger says so is not enough: a copy may be another file by now, lie in memory, or at a target that
    /// never said that it has it.
    private func verdict(
        on picture: Hidden, _ digests: Digests
    ) async throws(IngestError) -> CardProof.Verdict? {
        var tried: Set<ContentKey> = [], verdict: CardProof.Verdict?
        for row in try await check.reader.assets(sha256: digests.sha256) {
            guard let content = row.content, tried.insert(content).inserted else { continue }
            let deliveries = try await check.reader.deliveries(of: content).filter { $0.receipt.state == .done }
            if deliveries.isEmpty { continue }
            var entry = SourceEntry(origin: row.origin, kind: row.kind, shot: row.shot)
            entry.origin.size = picture.size
            let question = CopyCount.Question(check: check, entry: entry, path: picture.path, digests: digests)
            var counted = CopyCount(question, copies: copies)
            for delivery in deliveries { _ = await counted.add(further: delivery) }
            if counted.verdict == .proven { return .proven }
            verdict = verdict ?? counted.doubt ?? counted.verdict
        }
        return verdict
    }
}
