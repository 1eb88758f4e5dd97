import FileKit
import FilmgateCore

/// Targets that take nothing: said once, written down, and asked again after a while.
extension DeliveryScheduler {
    /// One hold, from the first refusal to the next delivery.
    struct Hold: Sendable {
        var reason: String
        var isProbing = false
    }

    static let noEvent = IngestError(
        .unavailable, "No event is set for this file yet.", advice: "Set it with `filmgate assign EVENT`.")

    func holdReason(_ target: String) -> IngestError? { queues[target]?.held }
    func trouble(_ target: String) -> IngestError? { queues[target]?.trouble }

    /// Nothing more is sent there until it is asked again; nobody else waits for it.
    func hold(_ delivery: Delivery, because error: IngestError) {
        let target = delivery.id.target
        queues[target]?.hold(delivery.id, because: error)
        leases.note(held: error, target, by: number)
        releaseWaiting(for: target)
        if holds[target]?.reason != error.description {
            holds[target, default: Hold(reason: "")].reason = error.description
            statistics.hold(target, error)
            hub.post(.held(target: delivery.target.name, reason: error.description))
        }
        noteHeld(at: target)
        report(target)
        // What is wrong with the pipeline itself does not pass.
        if error.code.disposition != .stop { probeLater(target) }
    }

    /// What full folders would have to have room for, beyond what is free there now.
    func noteLack() {
        for (identity, queue) in queues where queue.held?.code == .storageFull {
            guard let root = queue.target.traits.localRoot else { continue }
            let waiting = deliveries.values.filter { $0.id.target == identity }.reduce(UInt64(0)) { $0.addingClamped($1.job.file.size) }
            let free = Result { () throws(IngestError) in try FileSystem.freeBytes(root) }
            let room = (try? free.get()) ?? 0
            if waiting > 0 { statistics.note(lacking: waiting > room ? waiting - room : waiting, at: root) }
        }
    }

    /// Deliveries that have their event now, and whose targets are not at hand: a run that held them for one lets them go.
    func note(_ elsewhere: [UnreachableAssignment]) async {
        for one in elsewhere {
            let content = one.row.content
            await leases.cede(
                Delivery.ID(content: content, target: one.old), to: Delivery.ID(content: content, target: one.row.target), for: number)
            let withdrawn = LedgerChange.withdraw(content, target: one.old, heir: one.row.target, event: one.row.event)
            await record([.delivery(one.row), withdrawn] + (one.shotName.map { [$0] } ?? []))
        }
    }

    private func probeLater(_ target: String) {
        guard holds[target]?.isProbing == false else { return }
        holds[target]?.isProbing = true
        Task { [weak self, pause = backoff.cap] in
            try? await Task.sleep(for: pause)
            await self?.probe(target)
        }
    }

    private func probe(_ target: String) {
        holds[target]?.isProbing = false
        letGo(target)
    }

    /// Sends again now what waits at the target of that name; nil = at every target.
    ///
    /// What waits for its event goes on waiting.
    func tryNow(_ name: String?) {
        for (target, queue) in queues where name == nil || queue.target.name == name { letGo(target) }
    }

    private func letGo(_ target: String) {
        guard event != DeliveryRow.unassigned, !stopped, !isWindingDown else { return }
        queues[target]?.letGo()
        leases.note(held: nil, target, by: number)
        pump(target)
    }

    /// It takes something, or does not answer at all: either way it is no longer held.
    func flows(_ target: String) {
        guard queues[target]?.held == nil, holds[target] != nil else { return }
        holds[target] = nil
        statistics.hold(target, nil)
        if let name = queues[target]?.target.name { hub.post(.released(target: name)) }
        write(queues[target]?.pending ?? [], noted: true, because: nil)
    }

    /// What waits at a held target: known to the ledger, and so to `status` and `assign`, while this goes on.
    ///
    /// `only` is what has just come to those that were written down before.
    func noteHeld(at target: String, only: Delivery.ID? = nil) {
        guard let queue = queues[target], let held = queue.held else { return }
        write(only.map { [$0] } ?? queue.pending, noted: false, because: held)
    }

    private func write(_ waiting: [Delivery.ID], noted: Bool, because held: IngestError?) {
        var changes: [LedgerChange] = []
        for id in waiting {
            guard let delivery = deliveries[id], delivery.isNotedHeld == noted, let owner = delivery.listeners.first,
                let assetDeliveries = open[owner]
            else { continue }
            deliveries[id]?.isNotedHeld = !noted
            let receipt = Receipt(state: held == nil ? .pending : .held, at: delivery.since, reason: held?.description)
            changes += file(assetDeliveries, nil) + written(delivery, receipt, bytes: assetDeliveries.bytes)
        }
        guard !changes.isEmpty else { return }
        unrecorded += 1
        let commit = gather(changes)
        Task {
            await commit.value
            unrecorded -= 1
            wakeIfIdle()
        }
    }
}
