import FilmgateCore

/// A source's listing, sorted out: what is settled by looking at it, and the shots that must be read.
struct Listing: Sendable {
    var works: [ShotWork] = []
    var settled: [Settled] = []
    /// Bytes to be read.
    var bytes: UInt64 = 0

    /// What decides whether a file is known.
    struct Rules: Sendable {
        var recognition: Recognition
        /// Kinds that some profile may accept; the rest is filtered unread.
        var acceptable: Set<MediaKind>
        var again: Bool
        /// Identities of the targets that the pipeline wants for a file with these facts, or nil when it is filtered.
        var wanted: @Sendable (KnownFile) -> [String]
    }

    init(_ entries: [SourceEntry], rules: Rules) {
        settled.reserveCapacity(entries.count)
        var start = 0
        while start < entries.count {
            var end = start + 1
            while end < entries.count, entries[end].shot.key == entries[start].shot.key { end += 1 }
            add(entries[start..<end], rules)
            start = end
        }
    }

    private mutating func add(_ shot: ArraySlice<SourceEntry>, _ rules: Rules) {
        var known: [Int: KnownFile] = [:], done: Set<Int> = []
        for index in shot.indices {
            let file = rules.recognition.find(shot[index].origin)
            known[index] = file
            guard let verdict = Self.settle(shot[index], file, rules) else { continue }
            settled.append(verdict)
            done.insert(index)
        }
        guard done.count < shot.count else { return }
        let work = ShotWork(index: works.count, entries: shot, known: known, settled: done)
        bytes += work.bytesToRead
        works.append(work)
    }

    private static func settle(_ entry: SourceEntry, _ known: KnownFile?, _ rules: Rules) -> Settled? {
        var asset: Asset { Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot) }
        switch entry.fate {
        case .filtered(let reason): return Settled(asset: asset, ending: .filtered, reason: reason)
        case .unreadable(let reason): return Settled(asset: asset, ending: .setAside, reason: reason)
        case .take: break
        }
        if !rules.acceptable.contains(entry.kind) {
            let reason = entry.kind == .other ? "unknown kind of file" : "no profile accepts \(entry.kind.rawValue) files"
            return Settled(asset: asset, ending: .filtered, reason: reason)
        }
        guard !rules.again, let known, let content = known.content else { return nil }
        let wanted = rules.wanted(known)
        guard !wanted.isEmpty, wanted.allSatisfy(known.done.contains) else { return nil }
        return seen(asset, known, content)
    }

    private static func seen(_ asset: Asset, _ known: KnownFile, _ content: ContentKey) -> Settled {
        var asset = asset
        asset.digests = Digests(sha256: content.sha256)
        asset.media = Inheritance.facts(of: known)
        var settled = Settled(asset: asset, ending: .alreadySeen, reason: "known: same place, name, size and time, and delivered")
        settled.content = content
        return settled
    }
}
