import FilmgateCore

/// A source's listing, sorted out: what is settled by looking at it, and the shots that must be read.
struct IntakeListing: Sendable {
    /// Bytes to be read.
    private(set) var bytes: UInt64 = 0

    private let entries: [SourceEntry]
    private var rules: Rules
    private var verdicts: [Verdict] = [], shots: [Range<Int32>] = []
    private var files: [KnownFile] { rules.recognition.files }

    /// A file that need not be read, by its position; whole endings of a full card would take tens of megabytes.
    private struct Verdict: Sendable {
        var entry: Int32, file: Int32?
        /// An earlier run left it waiting: it has its ending from there.
        var isLeft = false
    }

    /// What decides whether a file is known.
    struct Rules: Sendable {
        var recognition: Recognition
        /// Kinds that some profile may accept; the rest is filtered unread.
        var acceptable: Set<MediaKind>
        var again: Bool
        /// Identities of the targets that the pipeline wants for a file with these facts, or nil when it is filtered.
        ///
        /// Also of those that may want it, once it has been read.
        var wanted: WantedCache
        /// Why nothing takes a file that ended `filtered` before; nil when the rules may say otherwise now.
        var refusal: @Sendable (KnownFile, KnownShot) -> String? = { _, _ in nil }
        /// Whether they ask for what the other files of a shot say.
        var looksAtShots = false
        /// What targets are called, by their identities.
        var targetNames: [String: String] = [:]
        /// What earlier runs left waiting, each with the targets that it is under way to.
        ///
        /// It is read where another one wants it, too.
        var left: [AssetID: Set<String>] = [:]
    }

    init(_ entries: [SourceEntry], rules: Rules) {
        (self.entries, self.rules) = (entries, rules)
        var memo = rules.wanted, start = 0
        while start < entries.count {
            var end = start + 1
            while end < entries.count, entries[end].shot.key == entries[start].shot.key { end += 1 }
            add(start..<end, &memo)
            start = end
        }
        self.rules.wanted = memo
    }

    /// What is settled, in card order, each made as it is asked for.
    var settled: some Sequence<AssetResult> { verdicts.lazy.filter { !$0.isLeft }.map(settled) }

    /// The clips of clip trees, in card order.
    var clips: some Sequence<SourceEntry> {
        entries.lazy.filter { $0.shot.innerPath != nil && !$0.kind.follows && $0.fate == .take }
    }

    /// The file as the ledger remembers it; nil for one that is new, or that nothing took.
    func remembered(_ entry: SourceEntry) -> Asset? {
        guard let file = rules.recognition.find(entry.origin), file.hasContent, file.ending != .filtered else {
            return nil
        }
        return Inheritance.remembered(file, origin: entry.origin, kind: entry.kind, shot: entry.shot)
    }

    /// How many shots must be read.
    var shotCount: Int { shots.count }

    private mutating func add(_ shot: Range<Int>, _ memo: inout WantedCache) {
        var settled = 0
        let whole = knownShot(shot)
        for index in shot {
            let file = rules.recognition.position(of: entries[index].origin)
            guard let verdict = verdict(on: index, file, whole, &memo) else {
                bytes = bytes.addingClamped(entries[index].origin.size)
                continue
            }
            verdicts.append(verdict)
            settled += 1
        }
        if settled < shot.count { shots.append(Int32(shot.lowerBound)..<Int32(shot.upperBound)) }
    }

    /// The shot with that number in card order, made as it is asked for.
    func work(_ number: Int) -> ShotWork {
        let range = shots[number], shot = entries[Int(range.lowerBound)..<Int(range.upperBound)]
        var known: [Int: KnownFile] = [:], settled: Set<Int> = [], speaking: Set<Int> = []
        let whole = knownShot(shot.indices)
        var memo = rules.wanted
        for index in shot.indices {
            let file = rules.recognition.position(of: shot[index].origin)
            if let file { known[index] = files[Int(file)] }
            guard let verdict = verdict(on: index, file, whole, &memo) else { continue }
            settled.insert(index)
            if verdict.file != nil { speaking.insert(index) }
        }
        return ShotWork(entries: shot, known: known, settled: settled, speaking: speaking)
    }

    /// What is known of a whole shot; nothing where no rule asks for it.
    private func knownShot(_ shot: Range<Int>) -> KnownShot {
        guard rules.looksAtShots else { return KnownShot() }
        return KnownShot(
            shot.map { (entries[$0], rules.recognition.position(of: entries[$0].origin).map { files[Int($0)] }) })
    }

    private func knownShot(around index: Int) -> KnownShot { knownShot(shot(around: index)) }

    /// The entries of one entry's shot: they lie side by side.
    private func shot(around index: Int) -> Range<Int> {
        let key = entries[index].shot.key
        var range = index..<(index + 1)
        while range.lowerBound > 0, entries[range.lowerBound - 1].shot.key == key {
            range = (range.lowerBound - 1)..<range.upperBound
        }
        while range.upperBound < entries.count, entries[range.upperBound].shot.key == key {
            range = range.lowerBound..<(range.upperBound + 1)
        }
        return range
    }

    /// A known sidecar whose picture another one has replaced at the same path: that one's copy needs it, too.
    private func liesBesideAnother(_ index: Int, _ known: KnownFile) -> Bool {
        guard entries[index].kind == .sidecar, let beside = known.content?.beside else { return false }
        let pictures = pictures(around: index)
        if isOne(of: pictures, beside) { return false }
        let paths = pictures.map(\.origin.fingerprint.path)
        return files.contains { file in
            paths.contains { file.liesAt($0) } && file.content?.sha256 == beside
        }
    }

    private func pictures(around index: Int) -> [SourceEntry] {
        entries[shot(around: index)].filter { !$0.kind.follows && $0.fate == .take }
    }

    private func isOne(of pictures: [SourceEntry], _ sha256: String) -> Bool {
        pictures.contains { picture in
            let file = rules.recognition.position(of: picture.origin).map { files[Int($0)] }
            return file?.content?.sha256 == sha256
        }
    }

    private func verdict(
        on index: Int, _ file: Int32?, _ shot: KnownShot, _ memo: inout WantedCache
    ) -> Verdict? {
        let entry = entries[index], left = left(entry.origin)
        var verdict = Verdict(entry: Int32(index), file: nil, isLeft: left != nil)
        guard entry.fate == .take, rules.acceptable.contains(entry.kind) else { return verdict }
        guard !rules.again, let file else { return nil }
        let known = files[Int(file)]
        if !known.hasContent { return nil }
        verdict.file = file
        // Beside another picture, or none, it would be another content than the one that waits.
        if left != nil, let beside = known.content?.beside, !isOne(of: pictures(around: index), beside) {
            return verdict
        }
        if liesBesideAnother(index, known) { return nil }
        if rules.refusal(known, shot) != nil { return verdict }
        let wanted = memo.wanted(known, in: shot).filter { !known.cancelled.contains($0) }
        if wanted.isEmpty, left == nil { return nil }
        return wanted.allSatisfy { known.done.contains($0) || left?.contains($0) == true } ? verdict : nil
    }

    /// The targets that it waits for; nil where no earlier run left it waiting.
    private func left(_ origin: Origin) -> Set<String>? {
        rules.left.isEmpty || origin.evidence == .nothing ? nil : rules.left[origin.id]
    }

    /// With a receipt for each delivery that somebody took back, as it has when it is read: a source that gives up what
    /// no rule wants keeps such a file, which may be nowhere else.
    private func takenBack(_ asset: Asset, _ file: KnownFile) -> Asset {
        var asset = asset
        for target in file.cancelled {
            asset.receipts[rules.targetNames[target] ?? target] = Receipt(
                state: .excluded, reason: DeliveryRow.cancelledReason)
        }
        return asset
    }

    /// What the targets are called that it would be sent to if nobody had taken it back.
    private func targetsTakenBack(_ file: KnownFile, at entry: Int) -> [String] {
        if file.cancelled.isEmpty { return [] }
        var memo = rules.wanted
        let wanted = memo.wanted(file, in: knownShot(around: entry)).filter(file.cancelled.contains)
        return wanted.compactMap { rules.targetNames[$0] }.sorted()
    }

    private func settled(_ verdict: Verdict) -> AssetResult {
        let entry = entries[Int(verdict.entry)], asset = Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot)
        switch entry.fate {
        case .filtered(let reason): return AssetResult(asset: asset, ending: .filtered, reason: reason)
        case .unreadable(let reason): return AssetResult(asset: asset, ending: .setAside, reason: reason)
        case .take: break
        }
        if let file = verdict.file.map({ files[Int($0)] }), let content = file.content {
            let back = targetsTakenBack(file, at: Int(verdict.entry))
            if let reason = rules.refusal(file, knownShot(around: Int(verdict.entry))) {
                var filtered = AssetResult(asset: takenBack(asset, file), ending: .filtered, reason: reason)
                filtered.takenBack = back
                return filtered
            }
            return Self.seen(asset, file, content, but: back)
        }
        let reason = entry.kind == .other ? AssetResult.unknownKind : "no profile accepts \(entry.kind.rawValue) files"
        return AssetResult(asset: asset, ending: .filtered, reason: reason)
    }

    /// Made in place: what it holds is large, and a card has tens of thousands.
    private static func seen(
        _ asset: consuming Asset, _ known: KnownFile, _ content: ContentKey, but takenBack: [String]
    ) -> AssetResult {
        var settled = AssetResult(
            asset: asset, ending: .alreadySeen, reason: "known: same place, name, size and time, and delivered")
        if !takenBack.isEmpty {
            let names = takenBack.joined(separator: ", ")
            settled.reason = (settled.reason ?? "") + "; \(names): \(DeliveryRow.cancelledReason)"
        }
        (settled.content, settled.takenBack) = (content, takenBack)
        settled.wasUnfinished = known.ending.map { [.pending, .setAside].contains($0) } ?? true
        settled.asset.digests = Digests(sha256: content.sha256)
        Inheritance.remember(known, &settled.asset)
        return settled
    }
}
