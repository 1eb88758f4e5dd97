import FilmgateCore

/// Other files with the same bytes, and what is not sent this time.
extension PendingDeliveries {
    /// Files that wait for the deliveries of `owner`: they end with them.
    func twins(
        of owner: NamePlanner.PlannedAsset, _ waiting: [(delivery: DeliveryRow, target: PlannedTarget)],
        _ rows: [DeliveryRow]
    ) async throws(IngestError) -> [NamePlanner.PlannedAsset] {
        var filter = AssetFilter(limit: 10_000)
        filter.content = owner.assetDeliveries.content
        let isRefused = waiting.contains { $0.delivery.receipt.state == .failed }
        var planned: [NamePlanner.PlannedAsset] = []
        for row in try await ledger.assets(filter) where row.origin.id != owner.assetDeliveries.asset.id {
            let isOver = ![nil, .pending].contains(row.ending) && !(row.ending == .setAside && isRefused)
            if isOver { continue }
            if let twin = twin(row, of: owner, waiting, rows) { planned.append(twin) }
        }
        return planned
    }

    private func twin(
        _ row: AssetRow, of owner: NamePlanner.PlannedAsset,
        _ waiting: [(delivery: DeliveryRow, target: PlannedTarget)], _ rows: [DeliveryRow]
    ) -> NamePlanner.PlannedAsset? {
        let mine = waiting.filter { row.wanted.contains($0.delivery.target) }.map(\.target)
        var deliveries = owner.deliveries.filter { delivery in mine.contains { $0.identity == delivery.id.target } }
        if deliveries.isEmpty { return nil }
        for index in deliveries.indices { deliveries[index].listeners = [row.origin.id] }
        var asset = Asset(origin: row.origin, kind: row.kind, shot: row.shot)
        (asset.media, asset.flags, asset.digests) = (row.media, row.flags, owner.assetDeliveries.asset.digests)
        // The bytes are the owner's to remove.
        var bytes = owner.assetDeliveries.bytes
        bytes.ownership = .delivered
        asset.file = bytes
        var assetDeliveries = AssetDeliveries(
            asset: asset, content: owner.assetDeliveries.content,
            wanted: mine
                + targets.filter { target in
                    row.wanted.contains(target.identity) && !mine.contains { $0.identity == target.identity }
                }, bytes: bytes, shot: ShotFacts(captured: asset.media?.captured, photographer: row.photographer),
            budget: 0)
        assetDeliveries.isRecorded = true
        assetDeliveries.event = assigning ? event : row.event ?? event
        for other in rows
        where row.wanted.contains(other.target)
            && !waiting.contains(where: { other.isReplaced(by: $0.delivery, at: $0.target) })
        {
            assetDeliveries.note(other)
        }
        return NamePlanner.PlannedAsset(assetDeliveries: assetDeliveries, deliveries: deliveries)
    }

    /// What waits for an event and is of the same shots as `planned`, for which nothing is sent this time: a shot has one
    /// event.
    func rest(
        of planned: [NamePlanner.PlannedAsset], among waiting: [QueuedDelivery], _ given: inout NamesGiven
    ) async throws(IngestError) -> [NamePlanner.PlannedAsset] {
        var known = Set(planned.map(\.assetDeliveries.content)), rest: [NamePlanner.PlannedAsset] = []
        let whole = waiting.wholeShots(of: known)
        for one in waiting where one.delivery.isUnassigned && whole.contains(one.delivery.content) {
            guard known.insert(one.delivery.content).inserted else { continue }
            rest += try await self.planned([one], isSent: false, &given)
        }
        return rest
    }

    /// What waits and is not among `planned`, one ending for each content: nobody may take it for delivered.
    ///
    /// With `only`, of that target alone. `rows`: what waited when that was planned; what came since is nobody's here.
    func untouched(
        _ planned: [NamePlanner.PlannedAsset], only: String?, among rows: [QueuedDelivery]
    ) -> [AssetResult] {
        var sent = Set(planned.map(\.assetDeliveries.content)), left: [AssetResult] = []
        for one in rows where concerns(one.delivery, only) && (!assigning || one.delivery.isUnassigned) {
            guard [Receipt.State.pending, .held].contains(one.delivery.receipt.state),
                sent.insert(one.delivery.content).inserted
            else { continue }
            var asset = Asset(origin: one.asset.origin, kind: one.asset.kind, shot: one.asset.shot)
            (asset.media, asset.flags, asset.digests) = (one.asset.media, one.asset.flags, one.asset.digests)
            asset.receipts[one.delivery.targetName] = one.delivery.receipt
            let reason = "\(one.delivery.targetName): \(obstacle(one.delivery))"
            left.append(AssetResult(asset: asset, ending: .pending, reason: reason))
        }
        return left
    }

    /// What is told of all that is `planned` where nothing can be done with it: it waits for marks, and the ledger says
    /// so; nil where anything can.
    ///
    /// Then there is no run: it would stand in the history among those that did something.
    func idle(_ planned: [NamePlanner.PlannedAsset], among rows: [QueuedDelivery]) -> [AssetResult]? {
        // A run that was killed did not say how these ended.
        if assigning || rows.contains(where: { $0.asset.ending == nil }) { return nil }
        let isIdle = planned.flatMap(\.deliveries).allSatisfy { one in
            one.verdict.waiting != nil && one.notedWaiting == one.verdict.waiting
        }
        guard isIdle else { return nil }
        return planned.map { one in
            var asset = one.assetDeliveries
            for delivery in one.deliveries { asset.receipts[delivery.id.target] = delivery.verdict.receipt }
            return asset.result
        }
    }

    private func obstacle(_ delivery: DeliveryRow) -> String {
        if delivery.isUnassigned, !assigning { return "waits for its event; set it with `filmgate assign EVENT`" }
        if let held = targets.first(where: { $0.name == delivery.targetName })?.target as? HeldTarget {
            return held.reason
        }
        if delivery.holdsRendition { return "what was made for it is gone; the next import of its card makes it again" }
        let place = CardProof.place(of: delivery.target)
        let back = "take it back with `filmgate cancel --target '\(place)'`"
        let accounts = targets.lazy.compactMap { TargetAccount($0, among: targets)?.obstacle(delivery) }
        if let other = accounts.first { return "\(other), or \(back)" }
        return "\(place) is no target of the pipelines used here; name its pipeline with --pipeline, or \(back)"
    }
}
