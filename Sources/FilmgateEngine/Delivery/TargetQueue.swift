import FilmgateCore

/// What waits for one target, and whether it may be sent now.
///
/// A plain state machine, of one target's order; `DeliveryQueues` has the deliveries and does what it says.
struct TargetQueue: Sendable {
    let target: PlannedTarget
    private var waiting = DeliveryHeap()
    private var sending: [Delivery.ID: (urgency: DeliveryPriority, failures: Int, number: Int)] = [:]
    private var arrivals = 0, begun = 0
    private(set) var active = 0
    /// Why nothing is sent now: refused, full, not to be trusted.
    private(set) var held: IngestError?
    /// Failures in a row: after the first, one delivery at a time probes until one gets through.
    ///
    /// What was under way side by side when a server died is one failure.
    private(set) var failures = 0
    /// What went wrong last, until something gets through.
    private(set) var trouble: IngestError?
    /// Our own pause after a failure, over as soon as something gets through.
    private var pausedUntil: ContinuousClock.Instant?
    /// What the server asked for (Retry-After, RFC 9110 §10.2.3): what was under way and gets through does not end it.
    private var askedUntil: ContinuousClock.Instant?
    /// Why it is held, as it was told: from the first refusal to the next delivery.
    var toldHold: String?
    /// A time is set at which the hold is tried.
    var isProbing = false
    /// What was refused last, and how many had begun by then; until one that began later gets through.
    private(set) var doubted: (id: Delivery.ID, begun: Int)?
    /// Refused before others got through: that was about these files, and not about the sign-in.
    private var refusedAlone: Set<Delivery.ID> = []

    init(_ target: PlannedTarget, held: IngestError? = nil) { (self.target, self.held) = (target, held) }

    var count: Int { waiting.count }
    /// What waits, in no order.
    var pending: [Delivery.ID] { waiting.items.map(\.id) }
    /// A folder that takes what comes: what waits for it takes moments, also when everything is about to end.
    var isFlowing: Bool { target.isLocal && held == nil && failures == 0 }
    /// What comes now may wait long for it.
    var isFailing: Bool { held != nil || failures > 0 }
    var isIdle: Bool { active == 0 && (count == 0 || held != nil) }

    mutating func append(_ delivery: Delivery) {
        arrivals += 1
        waiting.insert(delivery.id, DeliveryPriority(of: delivery, arrival: arrivals))
    }

    /// The most urgent delivery to send, or nil when there is none, the target is held or it must be left alone.
    mutating func next(at now: ContinuousClock.Instant) -> Delivery.ID? {
        guard held == nil, count > 0, active < (failures > 0 ? 1 : target.parallel) else { return nil }
        for moment in [pausedUntil, askedUntil] { if let moment, now < moment { return nil } }
        guard let (urgency, id) = waiting.removeFirst() else { return nil }
        begun += 1
        sending[id] = (urgency, failures, begun)
        active += 1
        return id
    }

    mutating func succeeded(_ id: Delivery.ID) {
        if let refused = doubted, let number = sending[id]?.number, number > refused.begun {
            refusedAlone.insert(refused.id)
            doubted = nil
        }
        refusedAlone.remove(id)
        ended(id)
        failures = 0
        (pausedUntil, trouble) = (nil, nil)
    }

    /// Ended without saying anything about the target's health.
    mutating func ended(_ id: Delivery.ID) {
        active -= 1
        sending[id] = nil
    }

    /// Which failure in a row it is if this delivery fails now; 1 is the first.
    func failure(of id: Delivery.ID) -> Int {
        sending[id].map { $0.failures == failures } ?? true ? failures + 1 : failures
    }

    /// The target did not answer as it should: the delivery waits again, and everything waits for `delay`.
    ///
    /// `behind` = what has not failed goes first from now on.
    mutating func failed(
        _ id: Delivery.ID, because error: IngestError, retryAfter delay: Duration, now: ContinuousClock.Instant,
        behind: Bool = false
    ) {
        active -= 1
        trouble = error
        failures = failure(of: id)
        pausedUntil = max(pausedUntil ?? now, now + delay)
        if let asked = error.retryAfter { askedUntil = max(askedUntil ?? now, now + asked) }
        putBack(id, behind: behind)
    }

    /// Holds the queue; the delivery stays in it.
    ///
    /// Behind the others where it was refused: one that was not shall find out whether the hold is over.
    mutating func hold(_ id: Delivery.ID, because error: IngestError) {
        active -= 1
        held = held ?? error
        if error.code == .unauthorized, !target.isLocal { doubted = (id, begun) }
        putBack(id, behind: error.code == .unauthorized)
    }

    /// Whether the next one shall tell if everything is refused, or this file alone: one, for a sign-in that is really
    /// refused is shown no bytes of thousands.
    ///
    /// From then on one at a time is sent, until one gets through.
    mutating func doubt(_ id: Delivery.ID, because error: IngestError) -> Bool {
        guard error.code == .unauthorized, !target.isLocal, doubted == nil, held == nil, toldHold == nil, count > 0
        else { return false }
        doubted = (id, begun)
        failures = max(failures, 1)
        return true
    }

    /// Whether a refusal of it now is about it alone, since others got through after the first one.
    func isRefusedAlone(_ id: Delivery.ID, because error: IngestError) -> Bool {
        error.code == .unauthorized && doubted == nil && held == nil && toldHold == nil && refusedAlone.contains(id)
    }

    /// The hold may be over: one delivery at a time finds out.
    ///
    /// Without a hold only the pauses end.
    mutating func letGo() {
        if held != nil { failures = max(failures, 1) }
        held = nil
        (pausedUntil, askedUntil) = (nil, nil)
    }

    /// Does not wait any more; false when it is being sent or not there.
    mutating func remove(_ id: Delivery.ID) -> Bool { waiting.remove(id) }

    mutating func returned(_ id: Delivery.ID, behind: Bool = false) {
        active -= 1
        putBack(id, behind: behind)
    }

    private mutating func putBack(_ id: Delivery.ID, behind: Bool = false) {
        guard var urgency = sending.removeValue(forKey: id)?.urgency else { return }
        if behind {
            arrivals += 1
            urgency.setBack(arrivals)
        }
        waiting.insert(id, urgency)
    }
}
