import FilmgateCore

/// What an attempt to deliver led to, and what is done about it.
extension Dispatcher {
    func send(_ parcel: Parcel) async {
        let roots = queues.values.compactMap(\.target.traits.localRoot)
        let result = await Result { () async throws(IngestError) in
            try await parcel.target.health?.pass()
            return try await Courier.deliver(parcel.isUnasked ? try await named(parcel) : parcel, roots: roots)
        }
        tasks.drop(parcel.id)
        let motion = motions.drop(parcel.id)
        switch result {
        case .success(let delivered):
            parcels[parcel.id]?.word = delivered.word
            await succeeded(parcel.id, delivered.receipt)
        case .failure(let error):
            if !(error.cause is ServiceOutage) { await parcel.target.health?.doubt() }
            spend(motion, at: parcel.id.target, error)
            await failed(parcel.id, error)
            pump(parcel.id.target)
        }
        wakeIfIdle()
    }

    /// What moved for a delivery that then failed was no progress, or a server that takes all bytes and answers 503 would be tried for ever.
    ///
    /// Only from the first failure on is it waited: the attempt itself may have taken longer than that. A line that breaks is given more
    /// tries, for what got through may count at the next.
    private func spend(_ motion: Motion?, at target: String, _ error: IngestError) {
        let failures = queues[target]?.failures ?? 0, most = error.code == .network ? 5 : 0
        guard failures <= most, let last = motion?.last else { return }
        lastProgress = max(lastProgress, last)
    }

    private func succeeded(_ id: Parcel.ID, _ receipt: Receipt) async {
        lastProgress = clock.now
        queues[id.target]?.succeeded(id)
        flows(id.target)
        book.note(silent: false, id.target)
        // The next one need not wait for the ledger.
        pump(id.target)
        await conclude(id, receipt)
    }

    private func failed(_ id: Parcel.ID, _ error: IngestError) async {
        guard let parcel = parcels[id] else { return }
        let isLost = error.cause is LostBytes
        // A parcel that has no name yet was not sent, nor one whose bytes cannot be had or whose service is out of order.
        if !parcel.isUnasked, !isLost, !(error.cause is ServiceOutage) {
            parcels[id]?.attempts += 1
            // Whatever the answer was: if the target has these very bytes the next time, they are the ones that were sent.
            if error.code != .nameTaken { parcels[id]?.mayHaveArrived = true }
        }
        parcels[id]?.state = .waiting
        switch error.code.disposition {
        case .retry where isLost && !parcel.lacksBytes:
            // The target is not to blame: what else waits for it goes first.
            parcels[id]?.lacksBytes = true
            parcels[id]?.job.asset.receipts[parcel.target.name] = Receipt(state: .pending, reason: error.message)
            queues[id.target]?.returned(id, behind: true)
            releaseWaiting(for: id.target)
        case .retry, .closeDevice:
            await retryLater(parcel, error)
            releaseWaiting(for: id.target)
        case .setAside:
            await refused(parcel, error)
        case .renewThenHold, .pauseTarget, .stop:
            hold(parcel, because: error)
        case .unwind:
            queues[id.target]?.returned(id)
        }
    }

    private func retryLater(_ parcel: Parcel, _ error: IngestError) async {
        let failures = (queues[parcel.id.target]?.failures ?? 0) + 1
        let delay = backoff.delay(attempt: failures, asked: error.retryAfter)
        // Written before it may be sent again: what is written later of this delivery is newer.
        await recordDelay(parcel.id, because: error, delay)
        // A folder may fail for one file alone, and then others get through.
        let isOfOne = parcel.target.isLocal || error.cause is LostBytes
        queues[parcel.id.target]?.failed(parcel.id, because: error, retryAfter: delay, now: clock.now, behind: isOfOne)
        flows(parcel.id.target)
        parcels[parcel.id]?.job.asset.receipts[parcel.target.name] = Receipt(state: .pending, reason: error.message)
        hub.post(.retrying(target: parcel.target.name, what: parcel.job.name, reason: error.message, after: delay))
        let identity = parcel.id.target
        Task {
            try? await Task.sleep(for: delay)
            self.pump(identity)
        }
    }

    /// Bytes that arrived changed are sent again twice; a name taken by another program gets the next suffix; anything else ends here.
    private func refused(_ parcel: Parcel, _ error: IngestError) async {
        if error.code == .corruptData, parcel.corruptions < 2 {
            parcels[parcel.id]?.corruptions += 1
            queues[parcel.id.target]?.returned(parcel.id)
        } else if error.code == .nameTaken, parcel.attempts < 100 {
            moveOn(parcel)
            queues[parcel.id.target]?.returned(parcel.id)
        } else {
            if error.code == .corruptData { tally.mismatch() }
            keepRendition(of: parcel.id)
            queues[parcel.id.target]?.ended(parcel.id)
            lastProgress = clock.now
            await conclude(parcel.id, Receipt(state: .failed, reason: error.description))
        }
    }
}
