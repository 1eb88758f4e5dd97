import FilmgateCore

@testable import FilmgateEngine

/// How a run of the table comes to its end.
extension DeliveryWorld {
    private var isBusy: Bool { !attempts.isEmpty || !questions.isEmpty || !records.isEmpty }

    mutating func finishWork() {
        while isBusy {
            commit(atMost: 8)
            finishAttempt(well: 90)
            answerQuestion(well: 90)
        }
    }

    /// Everything works again: what was submitted must end by itself.
    mutating func drain() {
        tell("drain")
        var rounds = 0
        while model.faults.isEmpty {
            finishWork()
            while !followed.isEmpty { hear() }
            if isBusy { continue }
            if model.unsettled.isEmpty, table.queues.all.isEmpty { break }
            rounds += 1
            if rounds > 400 { return model.fault("the drain does not end") }
            if let next = timers.map(\.time).min() {
                pass(max(.zero, next - now.instant))
            } else if let gated = table.queues.all.values.first(where: \.isGated)?.id {
                let isWaiting = table.isIdle(areOthersHeld: true) || table.queues.targets.contains { !$0.isIdle }
                model.expect(isWaiting, "a mark is waited for")
                verdicts[gated] = .takes
                handle(.judged([(gated, .takes)]))
            } else if table.queues.targets.contains(where: { $0.held != nil }) {
                tryNow()
            } else {
                let left = table.queues.all.values.map { "\($0.id.content.rawValue) for \($0.id.target), \($0.state)" }
                let files = model.unsettled.map(\.rawValue)
                return model.fault("nothing is under way, and these wait for ever: \(left), \(files)")
            }
        }
        model.checkEnd()
        model.expect(table.isIdle(areOthersHeld: true), "all is done, and the run is not idle")
        model.expect(table.assets.isEmpty && table.followed.isEmpty, "something is left of what is done")
        model.expect(taken == 0, "\(taken) bytes of the budget are never given back")
    }

    /// What is under way is finished, the rest is left to the next run: each file still has one ending.
    mutating func leave(windingDown: Bool) {
        tell(windingDown ? "wind down" : "stop")
        (isWindingDown, isStopped) = (windingDown, !windingDown)
        handle(windingDown ? .windingDown : .stopped)
        finishWork()
        // A folder that asked for a pause is given what waits for it when that is over.
        while !table.isIdle(areOthersHeld: true), let next = timers.map(\.time).min(), model.faults.isEmpty {
            pass(max(.zero, next - now.instant))
            finishWork()
        }
        model.expect(table.isIdle(areOthersHeld: true), "nothing is under way, and the run is not idle")
        var left = UnfinishedDeliveries(table)
        left.follow { _ in nil }
        model.expect(Set(left.assets.keys) == model.unsettled, "what has no ending is not what is left")
        let ended = left.assets.values.filter { $0.ending != .pending && $0.ending != .setAside }
        model.expect(ended.isEmpty, "\(ended.map(\.asset.origin.name)) are left, and have ended")
        for id in left.deliveries.keys { model.expect(model.leases[id]?.end == nil, "\(id) has ended and is left") }
    }

    /// The process is gone; the next one finds what the ledger has, and reads from the card what it has not.
    mutating func crash() {
        tell("crash")
        let lost = model.unsettled
        model.crash()
        (attempts, questions, records, timers, followed, refused, begun) = ([], [], [], [], [], [], [])
        (gone, taken, verdicts, doubted) = ([], 0, [:], [])
        table = DeliveryTable(Self.targets, run: 2, event: nil, backoff: Self.backoff, at: now)
        for asset in Self.assets.prefix(fresh) where lost.contains(asset.id) {
            let content = contents[asset.id] ?? ContentKey(rawValue: "")
            let rows = Self.targets.compactMap { model.rows[Delivery.ID(content: content, target: $0.identity)] }
            submit(asset, content, isRecorded: !rows.isEmpty)
        }
    }
}
