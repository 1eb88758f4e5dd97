import FileKit
import FilmgateCore

/// Deliveries that earlier runs left waiting, made ready to be sent again.
struct PendingDeliveries: Sendable {
    let ledger: any LedgerReader
    let targets: [PlannedTarget]
    let event: String?
    /// Takes what waits for an event, and only that, to `event`; else everything but that.
    var assigning = false
    /// Targets at which something may wait for marks by the pipeline of today; nil: as it was ordered, where no rules
    /// are at hand.
    var gated: Set<String>?
    /// Of the run that sends them.
    var reservations = NameReservations()
    /// What this station is called.
    var station = ""
    /// Staging folders: what waits may lie there where the path that the ledger has leads nowhere any more.
    var staging: [String] = []
    /// These alone; nil = all that waits.
    var contents: Set<ContentKey>?

    /// The asset of each file, with each of the waiting deliveries of its bytes; `only` limits them to one target's
    /// name.
    ///
    /// Of files with the same bytes the latest goes first: the others wait for its deliveries.
    ///
    /// `rows`: only those; nil = all that the ledger has.
    func planned(
        _ states: Set<Receipt.State>, only: String?, among rows: [QueuedDelivery]? = nil
    ) async throws(IngestError) -> [NamePlanner.PlannedAsset] {
        let waiting = if let rows { rows } else { try await ledger.queue(states) }
        var order: [ContentKey] = [], byContent: [ContentKey: [QueuedDelivery]] = [:]
        for one in waiting where concerns(one.delivery, only) && one.delivery.isUnassigned == assigning {
            if byContent[one.delivery.content] == nil { order.append(one.delivery.content) }
            byContent[one.delivery.content, default: []].append(one)
        }
        var result: [NamePlanner.PlannedAsset] = [], given = NamesGiven()
        for content in order {
            result += try await planned(byContent[content] ?? [], &given)
        }
        return assigning ? result + (try await rest(of: result, among: waiting, &given)) : result
    }

    /// Identities of the targets that `planned` would send something to; gives no names.
    func awaited(_ states: Set<Receipt.State>, only: String?) async throws(IngestError) -> Set<String> {
        var awaited: Set<String> = []
        for one in try await ledger.queue(states)
        where concerns(one.delivery, only) && one.delivery.isUnassigned == assigning {
            if let target = taker(of: one.delivery) { awaited.insert(target.identity) }
        }
        return awaited
    }

    /// The target that a waiting delivery can be sent to now.
    private func taker(of delivery: DeliveryRow) -> PlannedTarget? {
        guard let target = target(of: delivery) else { return nil }
        // Made for this target and gone with a crash: the next reading makes it again.
        if delivery.holdsRendition, (try? FileFacts.of(delivery.found(in: staging).file ?? "")) == nil { return nil }
        return target
    }

    /// `isSent`: false for one that is only given to its event.
    func planned(
        _ waiting: [QueuedDelivery], isSent: Bool = true, _ given: inout NamesGiven
    ) async throws(IngestError) -> [NamePlanner.PlannedAsset] {
        var mine: [(one: QueuedDelivery, target: PlannedTarget)] = []
        for var one in waiting where isSent {
            guard let target = taker(of: one.delivery) else { continue }
            one.delivery = one.delivery.found(in: staging)
            mine.append((one, target))
        }
        guard let first = isSent ? mine.first?.one : waiting.first else { return [] }
        let content = first.delivery.content
        let rows = try await ledger.deliveries(of: content).map { $0.found(in: staging) }
        var asset = Asset(origin: first.asset.origin, kind: first.asset.kind, shot: first.asset.shot)
        (asset.media, asset.flags) = (first.asset.media, first.asset.flags)
        try await names.learn(rows, of: asset, &given)
        let digests = first.asset.digests ?? Digests(sha256: content.sha256)
        asset.digests = digests
        // What was staged for one of them goes with it; a folder's copy that another one waits in may have been changed.
        let own = mine.lazy.compactMap(\.0.delivery.stagedBytes).first
        let bytes = own ?? bytes((mine.map(\.0.delivery) + rows).filter { !$0.holdsRendition }, of: asset.origin)
        asset.file = bytes
        let wanted = targets.filter { target in
            first.asset.wanted.contains(target.identity) || mine.contains { $0.1.identity == target.identity }
        }
        var assetDeliveries = AssetDeliveries(
            asset: asset, content: content, wanted: wanted, bytes: bytes,
            shot: ShotFacts(captured: asset.media?.captured, photographer: first.asset.photographer), budget: 0,
            isRecorded: true)
        assetDeliveries.event = assigning ? event : first.asset.event ?? event
        assetDeliveries.standsAlone = first.isFileless
        // Its bytes stay where they wait.
        if !isSent { assetDeliveries.bytes.ownership = .delivered }
        let others = try await elsewhere(rows, of: asset, but: Set(mine.map { $0.0.delivery.target }), &given)
        for row in rows where !mine.contains(where: { row.isReplaced(by: $0.one.delivery, at: $0.target) }) {
            assetDeliveries.note(others.first { $0.old == row.target }?.row ?? row)
        }
        assetDeliveries.keep(first.asset.wanted, but: Set(mine.map { $0.0.delivery.target }), others)
        var deliveries: [Delivery] = []
        for (one, target) in mine {
            deliveries.append(try await delivery(one.delivery, to: target, asset, of: first.asset, &given))
        }
        var owner = NamePlanner.PlannedAsset(assetDeliveries: assetDeliveries, deliveries: deliveries)
        owner.elsewhere = others
        return [owner] + (try await twins(of: owner, mine.map { ($0.one.delivery, $0.target) }, rows))
    }

    private func delivery(
        _ row: DeliveryRow, to target: PlannedTarget, _ asset: Asset, of first: AssetRow, _ given: inout NamesGiven
    ) async throws(IngestError) -> Delivery {
        let event = assigning ? event : row.event ?? event
        let digests = asset.digests ?? Digests(sha256: row.content.sha256)
        let bytes = asset.file ?? LocalFile(path: row.file ?? "", size: row.size, ownership: .delivered)
        let values = ShotValues(
            event: event, photographer: first.photographer, profile: ResolvedProfile(), volumeLabel: "",
            station: station)
        let rendition = row.holdsRendition ? LocalFile(path: row.file ?? "", size: row.size, ownership: .staged) : nil
        let called = try await names.name(row, of: asset, at: target.identity, &given)
        let job = UploadJob(
            asset: asset, file: rendition ?? bytes,
            digests: rendition == nil ? digests : Digests(sha256: row.receipt.sha256 ?? ""), path: called?.path ?? "",
            name: asset.origin.name,
            values: values.values(
                for: asset, primary: nil, captured: asset.media?.captured, counter: called?.name.number), event: event,
            mayTake: rendition == nil ? bytes.ownership == .staged : target.isLocal)
        let id = Delivery.ID(content: row.content, target: target.identity)
        var delivery = Delivery(id: id, job: job, target: target, listeners: [asset.id])
        (delivery.mayHaveArrived, delivery.known) = (row.attempts > 0, row.receipt.state)
        if row.receipt.at > 0 { delivery.since = row.receipt.at }
        delivery.name = called?.name
        delivery.isUnasked = called != nil && (assigning || row.attempts == DeliveryRow.unasked)
        delivery.rendition = rendition
        if let own = row.stagedBytes, own.path != bytes.path { delivery.spooled = own.path }
        if let gate = row.gate, gated?.contains(target.identity) ?? true {
            delivery.gate = gate
            delivery.judge(by: try await ledger.marks(of: [gate.sha256]))
            delivery.notedWaiting = row.receipt.reason == delivery.verdict.waiting ? row.receipt.reason : nil
        }
        if row.target != target.identity { delivery.replaces = row.target }
        if assigning { delivery.inherits = Delivery.ID(content: row.content, target: row.target) }
        return delivery
    }

    /// Whether it is among those that are meant; `only`: the name of their target.
    ///
    /// A target that has another name in the file by now is the same one all the same.
    func concerns(_ delivery: DeliveryRow, _ only: String?) -> Bool {
        if let contents, !contents.contains(delivery.content) { return false }
        return only == nil || delivery.targetName == only
            || targets.contains { $0.name == only && $0.identity == delivery.target }
    }

    /// With its event a target may be another one: the same place for that event, never another place of the same name.
    private func target(of delivery: DeliveryRow) -> PlannedTarget? {
        if let same = targets.first(where: { $0.identity == delivery.target }) { return same }
        if assigning { return targets.first { $0.isHeir(of: delivery, for: event) } }
        // `assign` noted it for its event without the pipeline at hand, which would have said that the place is the
        // same for every event, or by which id the gallery knows it.
        guard let name = delivery.event else { return nil }
        return targets.first { target in
            let base =
                target.isLocal
                ? (target.isOneByEvent ? nil : target.identity)
                : (name == target.event ? target.identityWithoutEvent : nil)
            return base.map { PlannedTarget.identity($0, for: name) == delivery.target } == true
        }
    }

    /// Where the bytes are: waiting in the spool, delivered to a folder, or else still at their source.
    ///
    /// A disk that does not answer holds up what is on it, and nothing else: it is as if the bytes were not there, and
    /// whoever sends them says so.
    private func bytes(_ rows: [DeliveryRow], of origin: Origin) -> LocalFile {
        let size = origin.size
        for row in rows {
            // Its own file may be another card's by now.
            let isOther = row.file == origin.absolutePath && !Cancellation.isThere(origin)
            if let file = row.file, !isOther, (try? FileFacts.of(file)) != nil {
                return LocalFile(path: file, size: size, ownership: row.staged ? .staged : .delivered)
            }
            if row.receipt.state == .done, let path = row.receipt.path, (try? FileFacts.of(path)) != nil {
                return LocalFile(path: path, size: size, ownership: .delivered)
            }
        }
        // Ended between a folder's taking it and the ledger's hearing of it: whoever reads it there compares its
        // digest.
        for row in rows {
            guard let root = targets.first(where: { $0.identity == row.target })?.traits.localRoot, !row.path.isEmpty
            else { continue }
            let path = root + "/" + row.path
            if let facts = try? FileFacts.of(path), facts.kind == .regular, facts.size == size {
                return LocalFile(path: path, size: size, ownership: .delivered)
            }
        }
        // No copy of ours is left, and the card is still there, or the folder: whoever sends it compares its digest, too.
        if origin.root.hasPrefix("/"), Cancellation.isThere(origin) {
            return LocalFile(path: origin.absolutePath, size: size, ownership: .source)
        }
        return LocalFile(path: rows.first?.file ?? "", size: size, ownership: .delivered)
    }
}
