import FilmgateCore

/// One asset while its names are being chosen.
struct Draft: Sendable {
    @CopyOnWriteBox var asset: Asset
    var content: ContentKey
    var file: LocalFile
    var digests: Digests
    var wanted: [PlannedTarget] = []
    /// Deliveries to the event that somebody said before, made or under way.
    var given: [DeliveryRow] = []
    /// Final already: excluded, or delivered in an earlier run.
    var receipts: [String: Receipt] = [:]
    var awaitsRating = false
    /// Per target, for which marks it may wait; and what they are now.
    var gates: [String: MarkGate] = [:], mark = PictureMark()
    /// Path per target that must still be sent.
    var paths: [String: String] = [:]
    /// Per target, the parts of that path; none where the target has no names.
    var names: [String: NameParts] = [:]
    var rechecks: [String: DeliveryRow] = [:]
    var resumed: Set<String> = []
    /// Per target, what may have arrived there, where that is not what it would be sent now.
    var sentBefore: [String: SentBytes] = [:]
    var spooled: [String: String] = [:]
    var unnamed: Set<String> = []
    /// Targets that could not be asked what stands at the name.
    var unasked: Set<String> = []
    /// Per target, the identity under which it was written down as unassigned.
    var replaced: [String: String] = [:]
    /// Per target, the delivery that waits for its event, perhaps in another run of this process.
    var inherited: [String: Delivery.ID] = [:]
    /// The same bytes stand at the chosen name already, though the ledger did not know: nothing to send, only to write
    /// down.
    var adopted: [String: Receipt] = [:]
    var captured: CivilTime?
    var photographer: String?
    var twin: String?

    init(asset: Asset, content: ContentKey, file: LocalFile, digests: Digests) {
        (self.asset, self.content, self.file, self.digests) = (asset, content, file, digests)
    }

    /// What the ledger says of this content at `target` decides whether it is sent, checked, sent again under its old
    /// name, or named anew.
    mutating func add(_ row: DeliveryRow?, for target: PlannedTarget, again: Bool, event: String?) {
        if let row, row.mayHaveArrived { resumed.insert(target.name) }
        guard let row, row.receipt.state != .excluded else {
            unnamed.insert(target.name)
            return
        }
        if row.receipt.state == .done, !again {
            var receipt = row.receipt
            receipt.existed = true
            // What was said of the delivery, such as that an older copy had been removed, is not true of the copy that
            // it made; that nobody but another station says that it is there still is.
            if !receipt.isHearsay { receipt.reason = nil }
            receipts[target.name] = receipt
            return
        }
        if row.receipt.state == .done { rechecks[target.name] = row }
        if row.staged, let file = row.file { spooled[target.name] = file }
        note(sent: row, to: target)
        if row.attempts == DeliveryRow.unasked { unasked.insert(target.name) }
        let nameless = row.path.isEmpty && target.traits.layout != nil
        if nameless || (row.isUnassigned && event != row.event) { return _ = unnamed.insert(target.name) }
        paths[target.name] = row.path
        if target.traits.layout != nil { names[target.name] = NameParts(row, of: asset) }
    }

    /// Bytes that a lost answer leaves in doubt are asked for, whatever has been made since.
    private mutating func note(sent row: DeliveryRow, to target: PlannedTarget) {
        let sha256 = row.receipt.sha256 ?? row.content.sha256
        guard row.receipt.state != .done, row.mayHaveArrived, sha256 != bytes(for: target).digests.sha256 else {
            return
        }
        sentBefore[target.name] = SentBytes(sha256: sha256, size: row.size)
    }

    /// The event is known now: what waited without one at this target goes there under its own identity.
    mutating func replace(_ row: DeliveryRow?, for target: PlannedTarget) {
        if let row { inherited[target.name] = Delivery.ID(content: row.content, target: row.target) }
        guard let row, row.target != target.identity else { return }
        replaced[target.name] = row.target
        if row.staged, let file = row.file { spooled[target.name] = file }
    }

    /// What that target gets: the original, or what was made of it.
    func bytes(for target: PlannedTarget) -> (file: LocalFile, digests: Digests) {
        asset.renditions[target.name].map { ($0.file, $0.digests) } ?? (file, digests)
    }

    func planned(budget: UInt64, event: String?, values: ShotValues, lead: Asset?) -> NamePlanner.PlannedAsset {
        var assetDeliveries = AssetDeliveries(
            asset: asset, content: content, wanted: wanted, bytes: file, shot: ShotFacts(), budget: budget)
        for (name, receipt) in receipts {
            assetDeliveries.receipts[wanted.first { $0.name == name }?.identity ?? name] = receipt
        }
        (assetDeliveries.twin, assetDeliveries.event) = (twin, given.first.map(\.event) ?? event)
        for row in given { assetDeliveries.give(row) }
        assetDeliveries.shot = ShotFacts(captured: captured, photographer: photographer)
        let shared = values.values(for: asset, primary: lead, captured: captured, counter: nil)
        let deliveries = wanted.filter { paths[$0.name] != nil }.map { target in
            let (file, digests) = bytes(for: target), rendition = asset.renditions[target.name]
            var filled = shared
            filled.counter = names[target.name].flatMap(\.number)
            if rendition != nil { filled.text.merge(["sha256": digests.sha256, "size": String(file.size)]) { $1 } }
            var sent = asset
            sent.renditions = [:]
            let job = UploadJob(
                asset: sent, file: file, digests: digests, path: paths[target.name] ?? "", name: asset.origin.name,
                values: filled, event: event,
                mayTake: file.ownership == .staged && (rendition == nil || target.isLocal))
            var delivery = Delivery(
                id: Delivery.ID(content: content, target: target.identity), job: job, target: target,
                listeners: [asset.id])
            delivery.name = names[target.name]
            delivery.recheck = rechecks[target.name]
            delivery.adopted = adopted[target.name]
            delivery.rendition = rendition?.file
            delivery.spooled = spooled[target.name]
            delivery.replaces = replaced[target.name]
            delivery.inherits = inherited[target.name]
            delivery.mayHaveArrived = resumed.contains(target.name)
            delivery.sentBefore = sentBefore[target.name]
            delivery.isUnasked = unasked.contains(target.name)
            delivery.gate = gates[target.name]
            delivery.judge(by: delivery.gate.map { [$0.sha256: mark] } ?? [:])
            return delivery
        }
        return NamePlanner.PlannedAsset(
            assetDeliveries: assetDeliveries, deliveries: deliveries, awaitsRating: awaitsRating)
    }
}

extension Draft {
    var isMade: Bool { asset.flags.contains(AssetFlag.made) }
    /// Made for targets that all have one.
    var isLeftOut: Bool { isMade && wanted.isEmpty && receipts.isEmpty }

    /// The target is asked for its name once more before it is sent.
    mutating func leaveOpen(at target: PlannedTarget) {
        unasked.insert(target.name)
        adopted[target.name] = nil
    }

    /// Nothing of it goes to that target.
    mutating func leaveOut(_ target: PlannedTarget) {
        wanted.removeAll { $0.name == target.name }
        unnamed.remove(target.name)
    }
}
