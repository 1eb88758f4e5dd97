import FilmgateCore

/// Deliveries that wait for a person: in no queue, and nothing moves them but marks.
extension DeliveryQueues {
    /// What its marks say now.
    ///
    /// One that waits in a queue leaves it, and comes back when its mark does; what is refused is left to the table.
    mutating func judge(_ id: Delivery.ID, _ verdict: MarkVerdict) {
        guard let delivery = all[id] else { return }
        change(id) { $0.verdict = verdict }
        switch (delivery.state, verdict) {
        case (.waiting, .waits): if withdraw(id) != nil { gate(id) }
        case (.gated, .waits): gate(id)
        case (.gated, .takes):
            effect(.act(.noteWaiting(id, nil)))
            note(id, nil)
            enqueue(id)
        default: break
        }
    }

    /// It waits from now on, or ends as not wanted; it is in no queue any more.
    mutating func gate(_ id: Delivery.ID) {
        guard let delivery = all[id] else { return }
        switch delivery.verdict {
        case .takes: return
        case .refuses(let reason): effect(.ended(id, Receipt(state: .excluded, at: now.wall, reason: reason)))
        case .waits(let reason):
            change(id) { $0.state = .gated }
            effect(.act(.noteWaiting(id, reason)))
            note(id, reason)
            effect(.unblock(id))
        }
        report(id.target)
    }

    /// Written down as waiting for that, or with nil, for its turn.
    private mutating func note(_ id: Delivery.ID, _ reason: String?) {
        guard let delivery = all[id], delivery.notedWaiting != reason else { return }
        change(id) { ($0.notedWaiting, $0.isNotedHeld) = (reason, false) }
        let row = Row(id: id, receipt: Receipt(state: .pending, at: delivery.since, reason: reason))
        effect(.write([row], withAsset: true))
    }
}
