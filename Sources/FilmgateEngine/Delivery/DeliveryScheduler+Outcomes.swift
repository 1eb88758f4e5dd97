import FilmgateCore

/// What an attempt to deliver led to, and what is done about it.
extension DeliveryScheduler {
    func send(_ delivery: Delivery) async {
        let roots = queues.values.compactMap(\.target.traits.localRoot)
        let result = await Result { () async throws(IngestError) in
            try await delivery.target.health?.pass()
            return try await DeliveryAttempt.deliver(delivery.isUnasked ? try await named(delivery) : delivery, roots: roots)
        }
        tasks.drop(delivery.id)
        let progressMark = progressMarks.drop(delivery.id)
        switch result {
        case .success(let delivered):
            deliveries[delivery.id]?.word = delivered.word
            await succeeded(delivery.id, delivered.receipt)
        case .failure(let error):
            if !(error.cause is ServiceOutage) { await delivery.target.health?.doubt() }
            spend(progressMark, at: delivery.id.target, error)
            await failed(delivery.id, error)
            pump(delivery.id.target)
        }
        wakeIfIdle()
    }

    /// What moved for a delivery that then failed was no progress, or a server that takes all bytes and answers 503 would be tried for ever.
    ///
    /// Only from the first failure on is it waited: the attempt itself may have taken longer than that. A line that breaks is given more
    /// tries, for what got through may count at the next.
    private func spend(_ progressMark: ProgressMark?, at target: String, _ error: IngestError) {
        let failures = queues[target]?.failures ?? 0, most = error.code == .network ? 5 : 0
        guard failures <= most, let last = progressMark?.last else { return }
        lastProgress = max(lastProgress, last)
    }

    private func succeeded(_ id: Delivery.ID, _ receipt: Receipt) async {
        lastProgress = clock.now
        queues[id.target]?.succeeded(id)
        flows(id.target)
        reservations.note(silent: false, id.target)
        // The next one need not wait for the ledger.
        pump(id.target)
        await conclude(id, receipt)
    }

    private func failed(_ id: Delivery.ID, _ error: IngestError) async {
        guard let delivery = deliveries[id] else { return }
        let isLost = error.cause is LostBytes
        // A delivery that has no name yet was not sent, nor one whose bytes cannot be had or whose service is out of order.
        if !delivery.isUnasked, !isLost, !(error.cause is ServiceOutage) {
            deliveries[id]?.attempts += 1
            // Whatever the answer was: if the target has these very bytes the next time, they are the ones that were sent.
            if error.code != .nameTaken { deliveries[id]?.mayHaveArrived = true }
        }
        deliveries[id]?.state = .waiting
        switch error.code.disposition {
        case .retry where isLost && !delivery.lacksBytes:
            // The target is not to blame: what else waits for it goes first.
            deliveries[id]?.lacksBytes = true
            deliveries[id]?.job.asset.receipts[delivery.target.name] = Receipt(state: .pending, reason: error.message)
            queues[id.target]?.returned(id, behind: true)
            releaseWaiting(for: id.target)
        case .retry, .closeDevice:
            await retryLater(delivery, error)
            releaseWaiting(for: id.target)
        case .setAside:
            await refused(delivery, error)
        case .renewThenHold, .pauseTarget, .stop:
            hold(delivery, because: error)
        case .unwind:
            queues[id.target]?.returned(id)
        }
    }

    private func retryLater(_ delivery: Delivery, _ error: IngestError) async {
        let failures = (queues[delivery.id.target]?.failures ?? 0) + 1
        let delay = backoff.delay(attempt: failures, asked: error.retryAfter)
        // Written before it may be sent again: what is written later of this delivery is newer.
        await recordDelay(delivery.id, because: error, delay)
        // A folder may fail for one file alone, and then others get through.
        let isOfOne = delivery.target.isLocal || error.cause is LostBytes
        queues[delivery.id.target]?.failed(delivery.id, because: error, retryAfter: delay, now: clock.now, behind: isOfOne)
        flows(delivery.id.target)
        deliveries[delivery.id]?.job.asset.receipts[delivery.target.name] = Receipt(state: .pending, reason: error.message)
        hub.post(.retrying(target: delivery.target.name, what: delivery.job.name, reason: error.message, after: delay))
        let identity = delivery.id.target
        Task {
            try? await Task.sleep(for: delay)
            self.pump(identity)
        }
    }

    /// Bytes that arrived changed are sent again twice; a name taken by another program gets the next suffix; anything else ends here.
    private func refused(_ delivery: Delivery, _ error: IngestError) async {
        if error.code == .corruptData, delivery.corruptions < 2 {
            deliveries[delivery.id]?.corruptions += 1
            queues[delivery.id.target]?.returned(delivery.id)
        } else if error.code == .nameTaken, delivery.attempts < 100 {
            moveOn(delivery)
            queues[delivery.id.target]?.returned(delivery.id)
        } else {
            if error.code == .corruptData { statistics.mismatch() }
            keepRendition(of: delivery.id)
            queues[delivery.id.target]?.ended(delivery.id)
            lastProgress = clock.now
            await conclude(delivery.id, Receipt(state: .failed, reason: error.description))
        }
    }
}
