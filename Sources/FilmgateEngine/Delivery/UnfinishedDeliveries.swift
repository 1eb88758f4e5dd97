import FileKit
import FilmgateCore

/// What is left of a run that ends: it stays in the ledger as pending or held, and says why.
struct UnfinishedDeliveries: Sendable {
    private(set) var deliveries: [Delivery.ID: Delivery]
    private(set) var assets: [AssetID: AssetDeliveries]
    private let followed: [Delivery.ID: [AssetID]]
    /// Files that were kept for them, and that the ledger does not name yet.
    private(set) var unknown: Set<String> = []

    init(_ table: DeliveryTable, _ answers: TargetAnswers = TargetAnswers()) {
        (deliveries, assets, followed) = (table.queues.all, table.assets, table.followed)
        for (id, delivery) in deliveries {
            let queue = table.queues[id.target], told = delivery.job.asset.receipts[delivery.target.name]?.reason
            let withheld = delivery.isWithheld ? delivery.withheld?.receipt : nil
            let waiting = delivery.verdict.waiting ?? withheld?.reason
            let isHeld = withheld?.state == .held || queue?.held != nil && waiting == nil
            let turn = answers.isAwaited(id.target) ? "no answer from it yet" : Receipt.notSent
            let reason = waiting ?? queue?.held?.description ?? told ?? queue?.trouble?.message ?? turn
            note(isHeld ? .held : .pending, reason, at: id.target, delivery.listeners, since: delivery.since)
        }
    }

    private mutating func note(
        _ state: Receipt.State, _ reason: String, at target: String, _ listeners: [AssetID], since: Int64 = 0
    ) {
        let receipt = Receipt(state: state, at: since, reason: reason)
        for asset in listeners { assets[asset]?.receipts[target] = receipt }
    }

    /// What other schedulers go on with; `held` says why one sends nothing now.
    ///
    /// `waiting`: for which mark it waits there.
    mutating func follow(held: (Delivery.ID) -> String?, waiting: (Delivery.ID) -> String? = { _ in nil }) {
        for (id, listeners) in followed {
            if let reason = waiting(id) {
                note(.pending, reason, at: id.target, listeners)
                continue
            }
            let held = held(id), reason = held ?? "the run that holds this state goes on trying"
            note(held == nil ? .pending : .held, reason, at: id.target, listeners)
        }
    }

    /// What would have to have room in folders that are full.
    static func lacking(_ queues: DeliveryQueues) -> [String: UInt64] {
        let waiting = queues.all.values.filter { queues[$0.id.target]?.held?.code == .storageFull }
        let sizes = waiting.compactMap { one in one.target.traits.localRoot.map { ($0, one.job.file.size) } }
        return Dictionary(sizes) { $0.addingClamped($1) }.filter { $1 > 0 }
    }

    /// Gives what only this process has of their bytes a name by which it outlives that.
    mutating func keepBytes(_ keep: (LocalFile) -> LocalFile) {
        let owners = Set(deliveries.values.filter { $0.rendition == nil }.compactMap(\.listeners.first))
        for (id, asset) in assets where asset.bytes.isFleeting {
            if owners.contains(id) {
                let whole = named(asset.bytes, keep)
                assets[id]?.bytes = whole
            } else {
                // Another file of the same bytes needs none of its own.
                FileSystem.remove(asset.bytes.path)
            }
        }
        for (id, delivery) in deliveries {
            guard let rendition = delivery.rendition else { continue }
            let whole = named(rendition, keep)
            deliveries[id]?.rendition = whole
        }
    }

    private mutating func named(_ file: LocalFile, _ keep: (LocalFile) -> LocalFile) -> LocalFile {
        let whole = keep(file)
        if whole.path != file.path { unknown.insert(whole.path) }
        return whole
    }

    /// The rows of one of them; nil where its asset is not there.
    func changes(of delivery: Delivery, run: Int64, at time: Int64) -> [LedgerChange]? {
        guard let asset = delivery.listeners.first.flatMap({ assets[$0] }),
            let receipt = asset.receipts[delivery.id.target]
        else { return nil }
        let own = delivery.keepsReceipt ? [] : asset.changes(.pending, run: run, at: time)
        return own + delivery.changes(receipt, bytes: asset.bytes)
    }

    /// The row of one of their assets: what was delivered before, and could not be asked about, the ledger has as it
    /// was.
    func changes(of asset: AssetDeliveries, run: Int64, at time: Int64) -> [LedgerChange] {
        var asset = asset
        for target in asset.wanted.map(\.identity) {
            let delivery = deliveries[Delivery.ID(content: asset.content, target: target)]
            if let receipt = delivery?.keptReceipt { asset.kept[target] = receipt }
        }
        let rows = asset.changes(asset.recordedEnding, run: run, at: time)
        return asset.isUnfinished ? rows + [asset.followed(run: run, at: time)] : rows
    }

    /// The ledger names the file that it waits in.
    mutating func isKnown(_ delivery: Delivery) {
        guard !delivery.keepsReceipt,
            let file = delivery.rendition ?? delivery.listeners.first.flatMap({ assets[$0]?.bytes })
        else { return }
        unknown.remove(file.path)
    }
}

extension StagingArea {
    /// A `.part` counts as a leftover once this process is gone: gives it a name of its own, or says why it cannot.
    static func kept(_ file: LocalFile) -> (file: LocalFile, error: IngestError?) {
        guard file.path.hasSuffix(".part") else { return (file, nil) }
        var file = file
        do throws(IngestError) { file.path = try keep(file.path) } catch {
            var error = error
            // No source is lost with the disk that these bytes are on.
            if error.code != .storageFull { error.code = .unavailable }
            return (file, error)
        }
        return (file, nil)
    }
}
