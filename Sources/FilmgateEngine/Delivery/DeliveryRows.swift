import FileKit
import FilmgateCore

/// What deliveries and their assets come to in the ledger.
extension AssetDeliveries {
    /// Its row; none for a delivery that stands for itself: a row of its name would be taken for another shot's file.
    func changes(_ ending: Ending?, run: Int64, at time: Int64) -> [LedgerChange] {
        standsAlone ? [] : [.asset(row(ending, run: run, at: time))]
    }

    /// Its row as things are: on its way while anything is to be done with it, and pending where all that is open waits
    /// for marks.
    ///
    /// That is told at once, and not at the end of the run: one that is killed says nothing more, and nobody broke off
    /// what waits for a person.
    func changes(in queues: DeliveryQueues, run: Int64, at time: Int64) -> [LedgerChange] {
        var known = self
        for target in open {
            let delivery = queues.all[Delivery.ID(content: content, target: target)]
            guard let reason = delivery?.waitsForMarks else { return changes(nil, run: run, at: time) }
            known.receipts[target] = Receipt(state: .pending, reason: reason)
        }
        return known.changes(known.recordedEnding, run: run, at: time)
    }

    /// A file of this run of which nothing but the marks of another one's bytes, the same, is waited for: nobody else
    /// would write it down before the run ends.
    func followsMarks(in queues: DeliveryQueues) -> Bool {
        if isRecorded || open.isEmpty { return false }
        return open.allSatisfy { queues.all[Delivery.ID(content: content, target: $0)]?.waitsForMarks != nil }
    }

    private func row(_ ending: Ending?, run: Int64, at time: Int64) -> AssetRow {
        var row = AssetRow(origin: asset.origin, run: run, kind: asset.kind, shot: asset.shot, at: time)
        (row.content, row.digests, row.media, row.flags) = (content, asset.digests, asset.media, asset.flags)
        (row.wanted, row.ending, row.twin) = (wanted.map(\.identity) + given, ending, twin)
        (row.event, row.photographer) = (event, shot.photographer)
        row.reason = ending.flatMap { Self.reason($0, named) }
        return row
    }
}

extension Delivery {
    /// The rows of all files that wait for it, the first of which it is delivered for; not of those that are another
    /// scheduler's to write down.
    func files(
        _ assets: [AssetID: AssetDeliveries], in queues: DeliveryQueues, run: Int64, at time: Int64
    ) -> [LedgerChange] {
        let files = listeners.compactMap { assets[$0] }.filter { $0.id == listeners.first || !$0.isElsewhere }
        return files.flatMap { $0.changes(in: queues, run: run, at: time) }
    }

    /// Its row, and what its shot is called from now on: whoever sends it, and whenever, adds nothing to that.
    ///
    /// What stood there while its event was not known goes with the first of them, whatever becomes of the delivery:
    /// nobody may assign it a second time.
    func changes(_ receipt: Receipt, bytes: LocalFile, nextTry: Int64? = nil) -> [LedgerChange] {
        let withdrawn: [LedgerChange] =
            replaces.map { [LedgerChange.withdraw(id.content, target: $0, heir: id.target, event: job.event)] } ?? []
        if keepsReceipt, receipt.state != .done { return withdrawn }
        var row = row(receipt, bytes: bytes)
        row.nextTry = nextTry
        return [.delivery(row)] + shotName(of: row) + withdrawn
    }

    /// That it belongs to its event, where it waited for one; what it is called is found out when it is sent.
    func assigned(bytes: LocalFile) -> [LedgerChange] {
        guard let old = inherits?.target, let event = job.event else { return [] }
        let reason = verdict.waiting ?? "it belongs to \(event) and is not sent yet; `filmgate retry` sends it"
        var row = row(Receipt(state: .pending, at: since, reason: reason), bytes: bytes)
        let names = shotName(of: row)
        // Others would keep clear of a name that it may never have.
        row.path = ""
        return [.assigned(row, from: old)] + names
    }

    private func shotName(of row: DeliveryRow) -> [LedgerChange] {
        guard let name, let given = name.shotName(base: row.path), !row.isUnassigned else { return [] }
        return [.shotName(given, shot: name.shot, target: row.target, event: row.event)]
    }

    func row(_ receipt: Receipt, bytes: LocalFile) -> DeliveryRow {
        var row = DeliveryRow(
            content: id.content, target: id.target, targetName: target.name, receipt: receipt, size: job.file.size,
            path: job.path)
        row.receipt.sha256 = receipt.sha256 ?? (receipt.state == .done ? job.digests.sha256 : nil)
        (row.event, row.name) = (job.event, name?.row)
        row.gate = gate
        row.attempts = receipt.state == .excluded ? ended(receipt) : isUnasked ? DeliveryRow.unasked : tries
        if receipt.isFinalThere { return row }
        if let rendition {
            (row.file, row.staged, row.receipt.sha256) = (rendition.path, true, job.digests.sha256)
        } else {
            // While this process goes on, what an earlier run kept whole outlives it, and a `.part` does not.
            (row.file, row.staged) = (bytes.isFleeting ? spooled ?? bytes.path : bytes.path, bytes.ownership == .staged)
        }
        return row
    }

    /// That it may have arrived is remembered until its target was asked, however often that fails.
    private var tries: Int { mayHaveArrived ? max(1, attempts) : attempts }

    /// What a person took back stays so; what marks have ended comes back with them.
    ///
    /// Either way it stays known that it may have arrived there.
    private func ended(_ receipt: Receipt) -> Int {
        if DeliveryRow.isByHand(receipt.reason) { return mayHaveArrived ? tries : 0 }
        return mayHaveArrived ? DeliveryRow.unwantedThere : DeliveryRow.unwanted
    }

    /// The same, and where nobody wants any more what may be there all the same, that is said with it.
    func doubted(_ receipt: Receipt) -> Receipt {
        guard receipt.state == .excluded, let reason = receipt.reason, mayHaveArrived, recheck == nil, !target.isLocal
        else { return receipt }
        var receipt = receipt
        receipt.reason = DeliveryRow.doubted(reason, at: target.name)
        return receipt
    }

    /// What a target is told at the end of a run that it wants to know of.
    func file(_ receipt: Receipt) -> DeliveredFile {
        DeliveredFile(
            path: receipt.path ?? receipt.url ?? job.path, size: job.file.size, digests: job.digests,
            modified: job.asset.origin.modified)
    }

    /// What stands of the target's word after this delivery; one that was only believed leaves it as it is.
    var heard: [LedgerChange] {
        switch word {
        case .has: [.heard(id.content, target: id.target, nil)]
        case .denies: [.heard(id.content, target: id.target, word?.denial)]
        case .silent, nil: []
        }
    }
}

extension Receipt {
    /// Nothing waits there any more, and no bytes are needed for it.
    var isFinalThere: Bool { state == .done || state == .excluded }
}

extension LocalFile {
    /// A staged file that counts as a leftover once this process is gone.
    var isFleeting: Bool { ownership == .staged && path.hasSuffix(".part") }

    /// Staged bytes where they are by now: a run that has ended meanwhile may have given them their whole name.
    var found: LocalFile {
        var file = self
        if ownership == .staged { file.path = StagingArea.find(path, in: []) }
        return file
    }
}

extension DeliveryRow {
    /// The file that was staged for it, where that is there as it was.
    var stagedBytes: LocalFile? {
        guard staged, !holdsRendition, let file, (try? FileFacts.of(file))?.size == size else { return nil }
        return LocalFile(path: file, size: size, ownership: .staged)
    }

    /// With its staged bytes where they are by now, in one of `folders` where the state directory was moved.
    ///
    /// A run that was killed as it ended may have given the file its whole name and not told the ledger.
    func found(in folders: [String]) -> DeliveryRow {
        guard staged, let file else { return self }
        var row = self
        row.file = StagingArea.find(file, in: folders)
        return row
    }

    /// Whether it names that staged file, whole or not yet: names in staging folders are nobody else's.
    func names(staged other: String) -> Bool {
        file.map { StagingArea.whole(StagingArea.name(of: $0)) } == StagingArea.whole(StagingArea.name(of: other))
    }

    /// Whether it is what waits, or what was taken back at its event's `target` before it was ordered anew without one.
    func isReplaced(by waiting: DeliveryRow, at target: PlannedTarget) -> Bool {
        self.target == waiting.target || self.target == target.identity && receipt.state == .excluded
    }
}

extension QueuedDelivery {
    /// Its file was recorded again as another content: the delivery stands for itself, and no file's row is about it.
    var isFileless: Bool { asset.run == 0 && asset.origin.source.isEmpty }
}
