import FilmgateCore

/// An asset that waits for its deliveries.
struct AssetDeliveries: Sendable {
    @CopyOnWriteBox var asset: Asset
    var content: ContentKey
    var wanted: [PlannedTarget]
    /// Where the bytes are now; changes when a folder target has taken them.
    var bytes: LocalFile
    /// Staged bytes that a folder has taken over while another target was still reading them; removed at the end.
    var obsolete: LocalFile?
    /// By the target's identity: targets of several pipelines may share a name.
    var receipts: [String: Receipt] = [:]
    /// Those that the ledger keeps although this run could not confirm them.
    var kept: [String: Receipt] = [:]
    /// Identities of the targets that still owe a receipt.
    var open: Set<String> = []
    /// What targets are called that are not among those wanted now, by identity.
    var otherNames: [String: String] = [:]
    /// Those of them that have it, or will, for the event that somebody said before.
    var given: [String] = []
    /// Deliveries that start once a folder target holds the bytes.
    var later: [Delivery.ID] = []
    var twin: String?
    /// The station that delivered it to one of its targets in place of this one.
    var otherStation: String?
    var event: String?
    var shot: ShotFacts
    /// Bytes taken from the budget that are not given back yet.
    var budget: UInt64
    /// Comes from the ledger: where all of it is another's to deliver, its row is the other's too.
    var isRecorded = false
    var hasDeliveries = false
    /// A delivery whose file is another content by now: nothing is written down of a file.
    var standsAlone = false
    var isElsewhere: Bool { isRecorded && !hasDeliveries }
    var id: AssetID { asset.id }
    /// Where its bytes are, as long as these are its own to remove.
    var stagedBytes: LocalFile? { bytes.ownership == .staged ? bytes : nil }
    /// A file that was made here, which no source has.
    var isMade: Bool { asset.flags.contains(AssetFlag.made) }

    /// What the ledger knows of a target that none of these deliveries is for.
    mutating func note(_ row: DeliveryRow) {
        (receipts[row.target], otherNames[row.target]) = (row.receipt, row.targetName)
        receipts[row.target]?.existed = true
    }

    /// A station had delivered it before.
    mutating func note(_ copy: ForeignCopy) {
        twin = twin ?? copy.twin
        if !copy.isOwn { otherStation = copy.station }
    }

    /// The targets that the file was for, and that are not at hand now: it is still for them.
    mutating func keep(_ targets: [String], but mine: Set<String>, _ elsewhere: [UnreachableAssignment]) {
        for target in targets where !mine.contains(target) && !wanted.contains(where: { $0.identity == target }) {
            given.append(elsewhere.first { $0.old == target }?.row.target ?? target)
        }
    }

    /// It was given to that event, or to none, before: nobody is asked for one again, since that could be another.
    mutating func give(_ row: DeliveryRow) {
        note(row)
        given.append(row.target)
        guard row.receipt.state != .done else { return }
        let taken = row.event.map { "it was given to the event \($0)" } ?? "it was taken without an event"
        let words = "\(taken) before and is not there yet"
        receipts[row.target]?.existed = false
        receipts[row.target]?.state = row.receipt.state == .failed ? .failed : .pending
        receipts[row.target]?.reason = row.receipt.reason.map { "\(words): \($0)" } ?? words
    }

    /// With its receipts for `new` deliveries taken off: what could not have its name when it was planned is asked about
    /// once more before it is sent, and what the target says then is written down of the delivery.
    func asking(about new: [Delivery]) -> AssetDeliveries {
        var asset = self
        for delivery in new where asset.receipts[delivery.id.target]?.state == .failed {
            asset.receipts[delivery.id.target] = nil
        }
        return asset
    }

    /// Another file of this run with the same bytes came to that before.
    mutating func adopt(_ receipt: Receipt, keeping old: Receipt? = nil, at target: String, twin path: String?) {
        receipts[target] = receipt
        kept[target] = old
        if receipt.state == .done { receipts[target]?.existed = true }
        twin = twin ?? path
    }

    /// Another scheduler's delivery to that target is final; nil: it was given up.
    mutating func hear(_ receipt: Receipt?, of target: String) {
        open.remove(target)
        receipts[target] = receipt ?? Receipt(state: .pending, reason: "another job could not send it yet")
        // A file of its own with the same bytes: what it needs was there before it.
        if !isRecorded, receipt?.state == .done { receipts[target]?.existed = true }
    }

    /// What the ledger has of a delivery by now, where that was not final when it was heard of last.
    ///
    /// What it keeps although this run could not confirm it stays as this run found it.
    mutating func refresh(_ row: DeliveryRow) {
        guard let known = receipts[row.target], kept[row.target] == nil,
            ![.done, row.receipt.state].contains(known.state)
        else { return }
        receipts[row.target] = row.receipt
        // A file of its own: what it needs was there before its end.
        if !isRecorded, row.receipt.state == .done { receipts[row.target]?.existed = true }
    }

    /// Another scheduler sends `delivery` from now on, as `new`; `has` says which are still to be sent here.
    mutating func cede(_ delivery: Delivery, to new: Delivery.ID, has: (Delivery.ID) -> Bool) {
        let old = delivery.id
        bytes.ownership = .delivered
        // The ledger may name it, and whoever has the delivery removes it.
        obsolete = nil
        isRecorded = true
        if open.remove(old.target) != nil { open.insert(new.target) }
        otherNames[new.target] = delivery.target.name
        if old.target != new.target {
            wanted.removeAll { $0.identity == old.target }
            given.append(new.target)
        }
        hasDeliveries = wanted.contains { has(Delivery.ID(content: old.content, target: $0.identity)) }
    }

    /// The same file was handed over before, and something of it waits still: it has one ending, with all of that.
    ///
    /// What was read is for the targets of today; what comes from the ledger alone only adds deliveries to that.
    ///
    /// Returns the earlier ones that have bytes of their own from now on.
    mutating func join(_ earlier: AssetDeliveries) -> [Delivery.ID] {
        let other = isRecorded ? self : earlier, apart = isRecorded ? [] : earlier.open
        if isRecorded { self = earlier } else { obsolete = earlier.bytes.isFleeting ? earlier.bytes : earlier.obsolete }
        let known = Set(wanted.map(\.identity) + given)
        let waiting = other.wanted.filter { other.open.contains($0.identity) }
        for target in waiting.flatMap({ [$0.identity, $0.name] }) { receipts[target] = nil }
        wanted += waiting.filter { !known.contains($0.identity) }
        given += other.given.filter { other.open.contains($0) && !known.contains($0) }
        open.formUnion(other.open)
        later += other.later
        for target in other.wanted.map(\.identity) where !open.contains(target) {
            guard let receipt = other.receipts[target] else { continue }
            let isNews = receipt.state == .done && !receipt.existed
            if isNews || receipts[target] == nil { receipts[target] = receipt }
        }
        otherNames.merge(other.otherNames) { mine, _ in mine }
        kept.merge(other.kept) { mine, _ in mine }
        (twin, otherStation) = (twin ?? other.twin, otherStation ?? other.otherStation)
        budget = budget.addingClamped(other.budget)
        isRecorded = isRecorded && other.isRecorded
        hasDeliveries = hasDeliveries || other.hasDeliveries
        return apart.map { Delivery.ID(content: content, target: $0) }
    }

    /// Nothing but staged bytes is left of it once nobody wants it at that target.
    func isLastCopy(but target: String) -> Bool {
        bytes.ownership == .staged && open == [target]
            && !receipts.values.contains { $0.state == .done && !$0.isHearsay }
    }

    /// The receipts by the targets' names; where several have one name, all but the first say which they are.
    var named: [String: Receipt] {
        var result: [String: Receipt] = [:]
        for (identity, receipt) in receipts.sorted(by: { $0.key < $1.key }) {
            let name = wanted.first { $0.identity == identity }?.name ?? otherNames[identity] ?? identity
            result[result[name] == nil ? name : "\(name) (\(CardProof.place(of: identity)))"] = receipt
        }
        return result
    }
}

/// What the settlement must say about an asset that only its shot knows.
struct ShotFacts: Sendable {
    var captured: CivilTime?
    var photographer: String?
}

extension AssetDeliveries {
    /// How it ends by what is known of it at each target: exactly one ending.
    var ending: Ending { Self.ending(receipts) }

    /// Nobody needs its bytes any more, with what is `told` of it at its end.
    ///
    /// No delivery of its own waits for them, or none any more; but the next run may by the ledger's word, and what
    /// another job took back it may have left them for.
    func isOver(_ told: AssetDeliveries?) -> Bool {
        if !hasDeliveries || !isUnfinished { return true }
        return told.map { $0.receipts.values.allSatisfy { $0.state == .done } } ?? false
    }

    /// Something keeps it from its end, as far as is known here.
    var isUnfinished: Bool { [.setAside, .pending].contains(ending) }

    /// Has the ledger look how files of these bytes stand by what it has of their deliveries now.
    func followed(run: Int64, at time: Int64) -> LedgerChange {
        .followed(content, twin: asset.origin.absolutePath, run: run, at: time)
    }

    /// The same for the ledger, which goes on by the receipts that it keeps.
    var recordedEnding: Ending { kept.isEmpty ? ending : Self.ending(receipts.merging(kept) { $1 }) }

    private static func ending(_ receipts: [String: Receipt]) -> Ending {
        var (failed, waiting, now, before) = (false, false, false, false)
        for receipt in receipts.values {
            switch receipt.state {
            case .failed: failed = true
            case .pending, .held: waiting = true
            case .done where receipt.existed: before = true
            case .done: now = true
            case .excluded: break
            }
        }
        return failed ? .setAside : waiting ? .pending : now ? .delivered : before ? .duplicate : .filtered
    }

    /// What is told of it at its end.
    var result: AssetResult {
        var settled = asset
        settled.receipts = named
        let ending = ending, reason = Self.reason(ending, settled.receipts)
        var result = AssetResult(asset: settled, ending: ending, reason: reason, twin: twin)
        (result.captured, result.photographer) = (shot.captured, shot.photographer)
        (result.content, result.event) = (content, event == DeliveryRow.unassigned ? nil : event)
        result.station = otherStation
        result.isSent = receipts.values.contains { $0.state == .done && !$0.existed }
        for (name, receipt) in settled.receipts where receipt.state == .excluded {
            if DeliveryRow.isByHand(receipt.reason) { result.takenBack.append(name) }
            if receipt.reason?.contains(DeliveryRow.seenRemoved) == true { result.seenRemoved.append(name) }
        }
        return result
    }

    static func reason(_ ending: Ending, _ receipts: [String: Receipt]) -> String? {
        let states: Set<Receipt.State> =
            switch ending {
            case .setAside: [.failed]
            case .pending: [.pending, .held]
            case .filtered: [.excluded]
            // What was found in place of an earlier copy.
            case .delivered, .duplicate: [.done]
            case .alreadySeen: []
            }
        let told = receipts.sorted { $0.key < $1.key }.filter {
            states.contains($0.value.state) && $0.value.reason != DeliveryAttempt.believed
        }
        // Whoever waits is told why, also where the ledger of an earlier run has no word for it.
        let isWaiting = ending == .pending
        let reasons = told.compactMap { name, receipt in
            (receipt.reason ?? (isWaiting ? Receipt.notSent : nil)).map { "\(name): \($0)" }
        }
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }
}
