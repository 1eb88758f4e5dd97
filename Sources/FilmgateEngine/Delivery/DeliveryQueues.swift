import FilmgateCore

/// The deliveries of a run in the queues of their targets: which is sent and when, and what follows from a failure.
///
/// A plain state machine. What it comes to is in `effects`, for the table that knows the assets.
struct DeliveryQueues: Sendable {
    private(set) var effects: [Effect] = []
    private(set) var all: [Delivery.ID: Delivery] = [:]
    private var queues: [String: TargetQueue] = [:]
    private var questions = NameQuestions()
    /// Deliveries that are final, and of which the ledger is being told.
    private var concluding = 0
    private(set) var isStopped = false, isWindingDown = false
    /// When something was finished last, or moved for what was tried.
    private(set) var lastProgress: ContinuousClock.Instant
    /// Nothing is sent while the event is not known.
    private let isUnassigned: Bool
    private let backoff: Backoff
    var now: Moment

    /// A ledger that does not keep up slows the sending down.
    private static let mostConcluding = 64

    init(_ targets: [PlannedTarget], event: String?, backoff: Backoff, at now: Moment) {
        (self.backoff, self.now, lastProgress) = (backoff, now, now.instant)
        isUnassigned = event == DeliveryRow.unassigned
        let held = isUnassigned ? DeliveryScheduler.noEvent : nil
        for target in targets { queues[target.identity] = TargetQueue(target, held: held) }
    }

    subscript(_ target: String) -> TargetQueue? { queues[target] }
    var targets: Dictionary<String, TargetQueue>.Values { queues.values }

    /// Nothing more moves by itself once what is under way is done.
    var isIdle: Bool {
        queues.values.allSatisfy { $0.isIdle || isWindingDown && $0.active == 0 && !$0.isFlowing }
    }

    mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    mutating func handle(_ event: DeliveryEvent) {
        switch event {
        case .delivered(let id, let delivered): succeeded(id, delivered)
        case .failed(let id, let failure): failed(id, failure)
        case .named(let shot, let named): rename(named, of: shot)
        case .unnamed(let shot, let failure): for id in questions.end(of: shot) { failed(id, failure) }
        case .recorded(.retry(let id, let error, let delay)): retry(id, error, after: delay)
        case .recorded(.send(let shot, let named)): begin(shot, named)
        case .recorded(.replaced(let file)): act(.discard(file, takenTo: ""))
        case .retryDue(let target): pump(target)
        case .probeDue(let target):
            queues[target]?.isProbing = false
            letGo(target)
        case .tryNow(let name, let contents, _):
            let meant = contents.map { some in Set(all.keys.filter { some.contains($0.content) }.map(\.target)) }
            for (target, queue) in queues
            where (name == nil || queue.target.name == name) && meant?.contains(target) != false { letGo(target) }
        case .stopped: isStopped = true
        case .windingDown: isWindingDown = true
        default: break
        }
    }

    private mutating func act(_ action: DeliveryAction) { effects.append(.act(action)) }

    mutating func report(_ target: String) {
        guard let queue = queues[target] else { return }
        act(.tell(.queue(target: queue.target.name, waiting: queue.count, sending: queue.active)))
    }

    // MARK: In and out

    mutating func add(_ delivery: Delivery) {
        all[delivery.id] = delivery
        if delivery.isUnasked { questions.add(delivery.id, of: delivery.shotKey) }
    }

    mutating func change(_ id: Delivery.ID, _ change: (inout Delivery) -> Void) {
        // In place: a copy beside it would be copied to its last part by the first change.
        if let place = all.index(forKey: id) { change(&all.values[place]) }
    }

    mutating func effect(_ effect: Effect) { effects.append(effect) }

    mutating func noteProgress() { lastProgress = now.instant }

    /// Into the queue of its target; one that waits for marks stays out of it.
    mutating func enqueue(_ id: Delivery.ID) {
        guard let delivery = all[id] else { return }
        guard delivery.verdict == .takes else { return gate(id) }
        all[id]?.state = .waiting
        queues[id.target]?.append(delivery)
        if let held = queues[id.target]?.held { note([id], held: held) }
        pump(id.target)
    }

    /// Out of its queue, where nobody has begun with it; nil where it is not.
    mutating func withdraw(_ id: Delivery.ID) -> Delivery? {
        if all[id]?.isGated == true || all[id]?.isWithheld == true { return all[id] }
        guard case .waiting = all[id]?.state, queues[id.target]?.remove(id) == true else { return nil }
        return all[id]
    }

    /// It is final; it stays here until the ledger knows.
    mutating func settle(_ id: Delivery.ID, _ receipt: Receipt) {
        if all[id]?.isGated == true { act(.noteWaiting(id, nil)) }
        all[id]?.state = .settled(receipt)
        concluding += 1
    }

    /// The ledger knows of its end: forgets the delivery and returns it; nil where it is not there.
    mutating func settled(_ id: Delivery.ID) -> Delivery? {
        concluding -= 1
        if concluding == Self.mostConcluding - 1 { for target in queues.keys { pump(target) } }
        return forget(id)
    }

    mutating func forget(_ id: Delivery.ID) -> Delivery? {
        guard let delivery = all.drop(id) else { return nil }
        questions.forget(id, of: delivery.shotKey)
        return delivery
    }

    mutating func forgetAll() { all = [:] }

    // MARK: Sending

    /// Starts what the target's queue lets through now.
    mutating func pump(_ target: String) {
        guard !isStopped, !isWindingDown || queues[target]?.isFlowing == true else { return }
        while concluding < Self.mostConcluding, let id = queues[target]?.next(at: now.instant) { start(id) }
        report(target)
    }

    /// Under a name that its target was asked about; where its shot is being asked about, it waits for the answer.
    private mutating func start(_ id: Delivery.ID) {
        guard let delivery = all[id] else { return }
        if isStopped { return putBack(id) }
        if delivery.verdict != .takes {
            putAside(id)
            return gate(id)
        }
        guard delivery.isUnasked || delivery.isRenamed else {
            all[id]?.state = .sending
            return act(.send(delivery))
        }
        all[id]?.state = .naming
        if delivery.isRenamed { return questions.wait(for: id, of: delivery.shotKey) }
        guard let group = questions.ask(for: id, of: delivery.shotKey) else { return }
        act(.findNames(group.compactMap { all[$0] }))
    }

    /// Not sent, for no fault of its target's; in no queue from now on.
    mutating func putAside(_ id: Delivery.ID) {
        queues[id.target]?.ended(id)
        effects.append(.pump(id.target))
    }

    private mutating func putBack(_ id: Delivery.ID, behind: Bool = false) {
        all[id]?.state = .waiting
        queues[id.target]?.returned(id, behind: behind)
    }

    /// The ledger knows the names before anything is sent under them.
    private mutating func rename(_ named: [Delivery], of shot: String) {
        var rows: [Row] = []
        for one in named {
            // One that was taken back meanwhile has its last row.
            guard let old = all[one.id], !old.isSettled else { continue }
            var new = old
            (new.name, new.job.path, new.adopted) = (one.name, one.job.path, one.adopted)
            (new.isUnasked, new.isRefused, new.isRenamed) = (false, false, true)
            all[one.id] = new
            questions.forget(one.id, of: shot)
            act(.rename(old, to: new))
            rows.append(Row(id: new.id, receipt: Receipt(state: .pending, at: new.since)))
        }
        effects.append(.write(rows, then: .send(shot: shot, named: rows.map(\.id))))
    }

    /// The ledger knows the names: those that waited for that are sent, or asked about.
    private mutating func begin(_ shot: String, _ named: [Delivery.ID]) {
        for id in named { all[id]?.isRenamed = false }
        for id in questions.end(of: shot) { start(id) }
    }

    // MARK: Outcomes

    private mutating func succeeded(_ id: Delivery.ID, _ delivered: DeliveryAttempt.Delivered) {
        noteProgress()
        change(id) { ($0.word, $0.foreign) = (delivered.word, delivered.foreign) }
        if let size = delivered.size { all[id]?.job.file.size = size }
        queues[id.target]?.succeeded(id)
        flows(id.target)
        act(.noteAnswer(id.target))
        // The next one need not wait for the ledger.
        pump(id.target)
        effects.append(.ended(id, delivered.receipt))
    }

    private mutating func failed(_ id: Delivery.ID, _ failure: DeliveryFailure) {
        guard let delivery = all[id] else { return }
        noteMoved(failure, at: id.target)
        all[id]?.count(failure)
        if let sent = failure.sent, let old = all[id]?.take(sent) {
            effects.append(.write([Row(id: id, receipt: failure.waiting(since: delivery.since))], then: .replaced(old)))
        }
        switch failure.error.code.disposition {
        case .retry where failure.isOfTheBytes && !delivery.lacksBytes:
            // The target is not to blame: what else waits for it goes first.
            all[id]?.lacksBytes = true
            all[id]?.noteTrouble(failure.error)
            putBack(id, behind: true)
            unblock(id.target)
        case .retry, .closeDevice: retryLater(id, failure)
        case .setAside: refused(id, failure.error)
        case .renewThenHold where queues[id.target]?.isRefusedAlone(id, because: failure.error) == true:
            effects.append(.withhold(id, .refused(failure.error)))
        case .renewThenHold where queues[id.target]?.doubt(id, because: failure.error) == true:
            all[id]?.noteTrouble(failure.error)
            putBack(id, behind: true)
        case .renewThenHold, .pauseTarget, .stop: hold(id, because: failure.error)
        case .unwind: putBack(id)
        }
        effects.append(.pump(id.target))
    }

    /// What moved for a delivery that then failed was no progress, or a server that takes all bytes and answers 503
    /// would be tried for ever.
    ///
    /// Only from the first failure on is it waited: the attempt itself may have taken longer than that. A line that
    /// breaks is given more tries, for what got through may count at the next.
    private mutating func noteMoved(_ failure: DeliveryFailure, at target: String) {
        let failures = queues[target]?.failures ?? 0, most = failure.error.code == .network ? 5 : 0
        if failures <= most, let last = failure.moved { lastProgress = max(lastProgress, last) }
    }

    /// Written before it may be sent again: what is written later of this delivery is newer.
    private mutating func retryLater(_ id: Delivery.ID, _ failure: DeliveryFailure) {
        let attempt = queues[id.target]?.failure(of: id) ?? 1
        let delay = backoff.delay(attempt: attempt, asked: failure.error.retryAfter, jitter: failure.jitter)
        all[id]?.state = .failing
        let receipt = failure.waiting(since: all[id]?.since ?? 0)
        let row = Row(id: id, receipt: receipt, nextTry: now.wall + Int64(delay.inSeconds * 1_000_000_000))
        effects.append(.write([row], then: .retry(id, failure.error, after: delay)))
    }

    private mutating func retry(_ id: Delivery.ID, _ error: IngestError, after delay: Duration) {
        guard let delivery = all[id] else { return }
        all[id]?.state = .waiting
        all[id]?.noteTrouble(error)
        // A folder may fail for one file alone, and then others get through.
        let isOfOne = delivery.target.isLocal || error.cause is LostBytes
        queues[id.target]?.failed(id, because: error, retryAfter: delay, now: now.instant, behind: isOfOne)
        flows(id.target)
        let (name, what) = (delivery.target.name, delivery.job.name)
        act(.tell(.retrying(target: name, what: what, reason: error.message, after: delay)))
        act(.wait(until: now.instant + delay, .retryDue(id.target)))
        unblock(id.target)
        effects.append(.pump(id.target))
    }

    /// Bytes that arrived changed are sent again twice; a name taken by another program gets the next suffix; anything
    /// else ends here.
    private mutating func refused(_ id: Delivery.ID, _ error: IngestError) {
        guard let delivery = all[id] else { return }
        if error.code == .corruptData, delivery.corruptions < 2 {
            all[id]?.corruptions += 1
            return putBack(id)
        }
        // `attempts` counts this one, too.
        if error.code == .nameTaken, delivery.attempts <= 100 {
            putBack(id)
            return moveOn(delivery)
        }
        if error.code == .corruptData { act(.noteMismatch) }
        queues[id.target]?.ended(id)
        noteProgress()
        effects.append(.ended(id, Receipt(state: .failed, reason: error.description)))
    }

    /// The name was taken since it was chosen: the files of the shot that were not sent yet move on together.
    private mutating func moveOn(_ refused: Delivery) {
        let shot = refused.shotKey, key = refused.job.asset.shot.key
        all[refused.id]?.isRefused = true
        for (id, other) in all where id.target == refused.id.target && other.job.asset.shot.key == key {
            guard other.isAtRest, id == refused.id || other.hasFreeName, other.shotKey == shot else { continue }
            all[id]?.isUnasked = true
            questions.add(id, of: shot)
        }
    }

    /// A folder that is held or fails must not keep the other targets waiting.
    private mutating func unblock(_ target: String) {
        for id in queues[target]?.pending ?? [] { effects.append(.unblock(id)) }
    }

    // MARK: Holds

    /// Nothing more is sent there until it is tried again; nobody else waits for it.
    private mutating func hold(_ id: Delivery.ID, because error: IngestError) {
        let target = id.target
        all[id]?.state = .waiting
        queues[target]?.hold(id, because: error)
        act(.noteHeld(target, error))
        unblock(target)
        guard let queue = queues[target], let held = queue.held else { return }
        if queue.toldHold != error.description {
            queues[target]?.toldHold = error.description
            act(.tellHeld(queue.target, error))
        }
        note(queue.pending, held: held)
        report(target)
        // What is wrong with the pipeline itself does not pass.
        guard error.code.disposition != .stop, !queue.isProbing else { return }
        queues[target]?.isProbing = true
        act(.wait(until: now.instant + backoff.cap, .probeDue(target)))
    }

    /// What waits for its event goes on waiting.
    private mutating func letGo(_ target: String) {
        guard !isUnassigned, !isStopped, !isWindingDown else { return }
        queues[target]?.letGo()
        act(.noteHeld(target, nil))
        pump(target)
    }

    /// It takes something, or does not answer at all: either way it is no longer held.
    private mutating func flows(_ target: String) {
        guard let queue = queues[target], queue.held == nil, queue.toldHold != nil else { return }
        queues[target]?.toldHold = nil
        act(.tellHeld(queue.target, nil))
        note(queue.pending, held: nil)
    }

    /// What waits at a held target: known to the ledger, and so to `status` and `assign`, while this goes on.
    private mutating func note(_ waiting: [Delivery.ID], held: IngestError?) {
        var rows: [Row] = []
        for id in waiting {
            if let receipt = all[id]?.noteHeld(held) { rows.append(Row(id: id, receipt: receipt)) }
        }
        if !rows.isEmpty { effects.append(.write(rows, withAsset: true)) }
    }
}
