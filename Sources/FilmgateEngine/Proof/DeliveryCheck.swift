import FileKit
public import FilmgateCore

/// Whether one delivery proves a file now: its copy in a folder is read, and a target elsewhere is asked.
///
/// What a target says now counts, and else what it said last; never what a receipt remembers of a reading.
struct DeliveryCheck: Sendable {
    let reader: any LedgerReader
    /// Nil where no target is to be asked.
    let proofTargets: ProofTargets?
    let allowance: CardProof.Allowance
    /// Nil where the kernel names no mounts: then devices are told by their numbers alone.
    let media: Media?
    let pool: BlockingPool
    /// What the targets said while they were asked.
    let heard: TargetStatements

    /// Nil when this delivery proves the file now; `proven` when its target's earlier word does.
    func check(
        _ delivery: DeliveryRow, _ entry: SourceEntry, _ path: String, _ digests: Digests
    ) async -> CardProof.Verdict? {
        let receipt = delivery.receipt
        guard receipt.state == .done else { return .problem(Self.undone(delivery)) }
        // The digest that was delivered: the card's own, or that of the copy with the stamp in it, of which no other
        // digest is known.
        let delivered = delivery.holdsRendition ? Digests(sha256: receipt.sha256 ?? digests.sha256) : digests
        let size = delivery.holdsRendition ? delivery.size : entry.origin.size
        if let copy = receipt.path { return await checkCopy(copy, delivery, path, size: size, delivered.sha256) }
        let isConfirmed = receipt.verified == .server && receipt.sha256 == delivered.sha256
        return await ask(
            delivery, Self.question(entry, path, size: size, delivered, delivery), isConfirmed: isConfirmed)
    }

    /// Nil when the copy is there now, elsewhere than on the card, and its bytes are those that were delivered.
    private func checkCopy(
        _ copy: String, _ delivery: DeliveryRow, _ path: String, size: UInt64, _ sha256: String
    ) async -> CardProof.Verdict? {
        let name = delivery.targetName
        let result = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) -> (CardProof.Verdict?, TargetAnswer?) in
                guard let facts = try FileFacts.of(copy), facts.kind == .regular else {
                    return (.removed("\(name): removed since: \(copy)"), TargetAnswer(.missing))
                }
                guard facts.size == size else {
                    let what = "\(copy) has \(facts.size) bytes instead of \(size)"
                    return (.problem("\(name): \(what)", .deliverAnew), .denies(.differs, what))
                }
                // Where the card lies in the same memory, the allowance is for trying things out.
                let isTrial = allowance.contains(.sameDevice) && FileSystem.same(copy, path)
                if media?.isInMemory(copy) ?? FileSystem.isInMemory(copy), !isTrial {
                    return (
                        .problem(
                            "\(name): the copy \(copy) lies in memory and is lost when the computer stops: no backup",
                            .copyToDisk),
                        nil
                    )
                }
                if let problem = try sharing(copy, facts, with: path, of: name) { return (problem, nil) }
                if try Reread.digest(of: copy, .sha256).digest == sha256 { return (nil, .has) }
                let what = "\(copy) has other bytes than were delivered"
                return (.problem("\(name): \(what)", .deliverAnew), .denies(.differs, what))
            }
        }
        switch result {
        case .success((.removed, _)) where await TargetDisks.isAway(delivery, reader):
            return .removed("\(name): removed since, or its disk is not mounted: \(copy)", isAway: true)
        case .success((let verdict, let word)):
            heard.note(word, of: delivery)
            return verdict
        case .failure(let error):
            let advice = error.advice.map { " " + $0 } ?? ""
            return .problem("\(name): \(error.message)\(advice)", .copyUnreadable)
        }
    }

    /// Counts the place of a copy.
    ///
    /// A folder that stations share is known by its mark, which is read only where more than one of `copies` is wanted.
    func count(_ row: DeliveryRow, in places: inout CopyPlaces, of copies: Int) async {
        var mark: String?
        if copies > 1, let root = row.folderRoot {
            let found = await Result { () async throws(IngestError) in
                try await pool.run { () throws(IngestError) in SharedFolderFile.read(root) }
            }
            mark = try? found.get()
        }
        places.add(row, mark: mark, media)
    }

    /// Whether a copy that nobody asks for here is not there now, or has other bytes than were delivered; nobody may
    /// read it: no.
    func isSpoiled(_ delivery: DeliveryRow, _ digests: Digests) async -> Bool {
        guard let copy = delivery.receipt.path else { return delivery.denial != nil }
        let sha256 = delivery.holdsRendition ? delivery.receipt.sha256 : digests.sha256
        let looked = await Result { () async throws(IngestError) in
            try await pool.run { () throws(IngestError) in
                guard let facts = try FileFacts.of(copy), facts.kind == .regular else { return true }
                return try Reread.digest(of: copy, .sha256).digest != sha256
            }
        }
        return (try? looked.get()) == true
    }

    /// What the copy has in common with the card, so that it is none.
    private func sharing(
        _ copy: String, _ facts: FileFacts, with path: String, of target: String
    ) throws(IngestError) -> CardProof.Verdict? {
        guard let card = try FileFacts.of(path), card.device == facts.device || media?.areShared(by: copy, path) == true
        else { return nil }
        if !allowance.contains(.sameDevice) {
            return .problem("\(target): the copy \(copy) is on the card's own device", .allowSameDevice)
        }
        let isOne = (card.device, card.inode) == (facts.device, facts.inode) || SharedBlocks.areShared(copy, path)
        guard isOne else { return nil }
        let words = "\(target): \(copy) shares its bytes with the card, and is no copy"
        return .problem("\(words); a folder on another disk takes one", .copyToFolder)
    }

    // MARK: At a target elsewhere

    /// Nil when the target has these bytes now: it knows them, or they were read back from it and compared.
    ///
    /// `isConfirmed`: it named their digest when it took them. That counts, as `proven`, where it cannot be asked or
    /// tell now, and never against what it said since.
    private func ask(_ delivery: DeliveryRow, _ job: UploadJob, isConfirmed: Bool) async -> CardProof.Verdict? {
        let name = delivery.targetName
        let (word, silence) = await word(on: delivery, job)
        heard.note(word, of: delivery)
        switch CopyEvidence(isConfirmed: isConfirmed, denial: delivery.denial).standing(word) {
        case .proven: return nil
        case .believed: return .proven
        case .unconfirmed: return .problem(name + silence.words, silence.remedy)
        case .denied(let denial):
            let said = word == nil || word == .silent ? ", as it said at \(denial.date) and has not taken back" : ""
            switch denial.kind {
            case .gone:
                let reason = denial.reason.hasSuffix(".") ? String(denial.reason.dropLast()) : denial.reason
                return .removed("\(name): \(reason): \(Self.place(delivery))\(said)")
            case .differs:
                return .problem(
                    "\(name): it has other bytes than were delivered\(said). \(denial.reason)", .deliverAnew)
            }
        }
    }

    /// What is said of a target that does not say that it has the bytes.
    private struct Silence {
        var words: String, remedy: ProofRemedy
    }

    /// What it says; nil where it was not asked or did not answer, and then, in any case, what is to be said of that.
    private func word(on delivery: DeliveryRow, _ job: UploadJob) async -> (TargetAnswer?, Silence) {
        guard let proofTargets else {
            let words = Self.earlier(delivery) + "; with --pipeline FILE it is asked"
            return (nil, Silence(words: words, remedy: .askTarget))
        }
        let answer = await Result { () async throws(IngestError) -> TargetAnswer? in
            try proofTargets.requireHeard(delivery.target)
            return try await proofTargets.target(of: delivery)?.word(on: delivery, job)
        }
        switch answer {
        case .success(nil):
            let words = ": the pipeline names no such target\(Self.event(delivery)) that could be asked for it"
            return (nil, Silence(words: words, remedy: .nameTarget))
        case .success(let word):
            let words = ": accepted, but it cannot say now that it has these bytes"
            return (word, Silence(words: words, remedy: .sayHowToAsk))
        case .failure(let error):
            proofTargets.note(error, of: delivery)
            let words = error.cause is UntruthfulAnswer ? ": its answer does not count: " : " could not be asked: "
            let advice = error.advice ?? "ask again once it answers."
            return (
                nil,
                Silence(words: words + error.message, remedy: .hearTarget("\(delivery.targetName): \(advice)"))
            )
        }
    }

    /// What its receipt is worth while nobody asks.
    private static func earlier(_ delivery: DeliveryRow) -> String {
        delivery.receipt.verified == .found
            ? ": said once that it has these bytes, and never named their digest"
            : ": accepted, but it never confirmed the bytes"
    }

    static func place(_ delivery: DeliveryRow) -> String {
        delivery.receipt.path ?? delivery.receipt.url
            ?? (delivery.path.isEmpty ? delivery.receipt.id ?? delivery.content.sha256 : delivery.path)
    }

    private static func event(_ delivery: DeliveryRow) -> String {
        delivery.isUnassigned ? "" : delivery.event.map { " for the event \($0)" } ?? ""
    }

    static func undone(_ delivery: DeliveryRow) -> String {
        "\(delivery.targetName): \(delivery.receipt.state.rawValue)\(delivery.receipt.reason.map { ": " + $0 } ?? "")"
    }

    /// Folders of several imports share the name `to`: the folder says which.
    static func label(_ delivery: DeliveryRow) -> String {
        if let path = delivery.receipt.path, path.hasSuffix("/" + delivery.path) {
            return "\(delivery.targetName) (\(path.dropLast(delivery.path.count + 1)))"
        }
        return delivery.isUnassigned || delivery.event == nil
            ? delivery.targetName : "\(delivery.targetName) (event \(delivery.event ?? ""))"
    }

    /// The question that `find` gets, as a delivery of these bytes would be.
    static func question(
        _ entry: SourceEntry, _ path: String, size: UInt64, _ digests: Digests, _ delivery: DeliveryRow
    ) -> UploadJob {
        var asset = Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot)
        asset.digests = digests
        let file = LocalFile(path: path, size: size, ownership: .source)
        var values = TemplateValues()
        values.text["sha256"] = digests.sha256
        values.text["event"] = delivery.isUnassigned ? nil : delivery.event
        return UploadJob(
            asset: asset, file: file, digests: digests, path: delivery.path, name: entry.origin.name, values: values,
            event: delivery.event)
    }
}

extension DeliveryRow {
    /// There is no file at its path now; false for remote copies, and where nobody may look.
    public var isMissing: Bool {
        guard let path = receipt.path else { return false }
        let facts = Result { () throws(IngestError) in try FileFacts.of(path) }
        guard case .success(let found) = facts else { return false }
        return found?.kind != .regular
    }

    /// The bytes that were read were delivered there: nobody has said since that they are gone, and a folder's copy is
    /// at its place, or a remote target has named their digest or shown them.
    ///
    /// Nobody has looked now: no proof.
    var holdsOriginal: Bool {
        let isBelieved = receipt.state == .done && !holdsRendition && denial == nil && !isMissing
        return isBelieved && (receipt.path != nil || receipt.verified.isProof && receipt.verified != .found)
    }

    /// The folder of its target; nil for a remote one.
    public var folderRoot: String? {
        guard let copy = receipt.path, copy.hasSuffix("/" + path) else { return nil }
        return String(copy.dropLast(path.count + 1))
    }
}
