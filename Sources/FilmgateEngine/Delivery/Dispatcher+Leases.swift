import FilmgateCore

/// Several dispatchers in one process: a run, and the jobs that are handed to it.
extension Dispatcher {
    /// Makes itself known to the others; once, before anything is submitted.
    nonisolated func introduce() {
        let holder = DeliveryLeases.Holder(
            tryNow: { [weak self] target in await self?.tryNow(target) },
            cede: { [weak self] old, new, heir in await self?.cede(old, to: new, of: heir) },
            cancel: { [weak self] id in await self?.cancel(id) ?? false })
        leases.introduce(number, holder)
    }

    /// Another dispatcher has that delivery: what it comes to counts for this asset, too.
    func follow(_ parcel: Parcel) {
        book.releaseName(of: parcel)
        if followed[parcel.id] != nil { return followed[parcel.id]?.listeners.append(contentsOf: parcel.listeners) ?? () }
        followed[parcel.id] = parcel
        Task { await self.heard(parcel.id, await leases.outcome(of: parcel.id)) }
    }

    /// Another dispatcher delivered it after the ledger had been asked.
    func wasDelivered(_ parcel: Parcel, _ consignment: inout Consignment) -> Bool {
        guard parcel.recheck == nil, var receipt = leases.delivered(parcel.id) else { return false }
        if !consignment.isRecorded { receipt.existed = true }
        consignment.receipts[parcel.id.target] = receipt
        return true
    }

    /// Bytes that others deliver, too, are not ours to move.
    func share(_ own: inout [Parcel], _ consignment: inout Consignment) {
        guard consignment.isRecorded, leases.isTaken(consignment.content, except: number) else { return }
        consignment.bytes.ownership = .delivered
        for index in own.indices where own[index].rendition == nil {
            own[index].job.mayTake = false
            parcels[own[index].id]?.job.mayTake = false
        }
    }

    /// What waits and is not sent becomes somebody else's, under its event's identity; its asset waits for that.
    private func cede(_ old: Parcel.ID, to new: Parcel.ID, of heir: Int) {
        guard let parcel = parcels[old], case .waiting = parcel.state, queues[old.target]?.remove(old) == true else { return }
        parcels.drop(old)
        leases.pass(old, by: number, to: new, of: heir)
        let moved = parcel.under(new)
        for asset in parcel.listeners {
            guard var consignment = open[asset] else { continue }
            consignment.bytes.ownership = .delivered
            consignment.isRecorded = true
            if consignment.open.remove(old.target) != nil { consignment.open.insert(new.target) }
            consignment.otherNames[new.target] = parcel.target.name
            if old.target != new.target {
                consignment.wanted.removeAll { $0.identity == old.target }
                consignment.given.append(new.target)
            }
            consignment.hasParcels = consignment.wanted.contains { parcels[Parcel.ID(content: old.content, target: $0.identity)] != nil }
            open[asset] = consignment
        }
        follow(moved)
        report(old.target)
    }

    /// The other dispatcher's delivery is final, or was given up.
    private func heard(_ id: Parcel.ID, _ answer: Receipt?) async {
        var receipt = answer
        if receipt == nil {
            let rows = await Result { () async throws(IngestError) in try await ledger.deliveries(of: id.content) }
            receipt = (try? rows.get())?.first { $0.target == id.target && $0.receipt.state == .done }?.receipt
        }
        guard let parcel = followed.drop(id) else { return }
        lastProgress = ContinuousClock().now
        var finished: [Consignment] = []
        for asset in parcel.listeners {
            guard var consignment = open[asset] else { continue }
            consignment.open.remove(parcel.id.target)
            consignment.receipts[parcel.id.target] = receipt ?? Receipt(state: .pending, reason: "another job could not send it yet")
            // A file of its own with the same bytes: what it needs was there before it.
            if !consignment.isRecorded, receipt?.state == .done { consignment.receipts[parcel.id.target]?.existed = true }
            open[asset] = consignment
            if consignment.open.isEmpty, let last = open.drop(asset) { finished.append(last) }
        }
        unrecorded += 1
        let rows = finished.filter { !$0.isElsewhere }.flatMap(ended)
        if !rows.isEmpty { await record(rows) }
        unrecorded -= 1
        for consignment in finished { told(consignment) }
        wakeIfIdle()
    }
}
