import FilmgateCore

/// One content for one target, the unit of delivery: however many files of this run have these bytes, it is sent once.
struct Delivery: Sendable {
    struct ID: Hashable, Sendable { var content: ContentKey, target: String }

    /// From its name to its row in the ledger.
    enum State: Sendable {
        /// In no queue yet: what goes over a network is written down in the ledger first.
        case planned
        /// Waits until a folder has the bytes.
        case deferred
        /// Waits until somebody marks the picture; in no queue.
        case gated
        /// Another station has it, or may have: waits until the catalogue is asked again; or it is refused alone; in no
        /// queue.
        case withheld
        /// In the queue of its target.
        case waiting
        /// The target is being asked for a name that is free there.
        case naming
        case sending
        /// A try failed, and the ledger is being told.
        case failing
        /// Final, and the ledger is being told.
        indirect case settled(Receipt)
    }

    var id: ID
    @CopyOnWriteBox var job: UploadJob
    let target: PlannedTarget
    var state: State = .planned
    var attempts = 0
    /// Nanoseconds since 1970: how long it waits already, over all runs; 0 until it is submitted.
    var since: Int64 = 0
    /// Digest refusals so far: bytes that keep arriving changed are set aside.
    var corruptions = 0
    /// The first is the asset that it is delivered for; later ones have the same bytes.
    var listeners: [AssetID]
    /// Sent before and perhaps received: ask the target before sending again.
    var mayHaveArrived = false
    /// What the ledger had of it when it was planned; nil where it was planned for a file that was read.
    var known: Receipt.State?
    /// A spooled file of an earlier run, of no use once this is delivered.
    var spooled: String?
    /// The target's identity before the event was known, where this was written down as unassigned.
    var replaces: String?
    /// Found at its name already, byte for byte: only to be written down.
    @IndirectOptional var adopted: Receipt?
    /// Delivered once but to be checked (`--again`).
    @IndirectOptional var recheck: DeliveryRow?
    /// The target said that it no longer has that: it is sent again.
    var isMissed = false
    /// Other bytes that an earlier run made for this target and that may have arrived there: it is asked for them.
    @IndirectOptional var sentBefore: SentBytes?
    /// What the target said of these bytes while they were carried there.
    @IndirectOptional var word: TargetAnswer?
    /// The target could not be asked yet what stands at the name: that comes before sending.
    var isUnasked = false
    /// The ledger does not know its new name yet: nothing is sent before that.
    var isRenamed = false
    /// Its name was taken when it was sent: it needs the next one.
    var isRefused = false
    /// The disk that its bytes are on did not give them.
    var lacksBytes = false
    /// Other bytes than the asset's, made for this target: a staged file that is this delivery's alone.
    var rendition: LocalFile?

    /// Where it waited for its event: whoever has it there leaves it to this one.
    var inherits: ID?
    /// Written down as held.
    var isNotedHeld = false
    /// What it asks of the marks of its picture, and what they say; nil where no mark matters.
    @IndirectOptional var gate: MarkGate?
    var verdict = MarkVerdict.takes
    /// Written down as the reason why it waits for marks.
    var notedWaiting: String?

    /// What another station does with it or says of it, as it was told last.
    @IndirectOptional var withheld: WithheldDelivery?
    /// How often the catalogue was asked for it in vain.
    var withheldTries = 0
    /// The copy that a station has delivered before, in place of the last try.
    @IndirectOptional var foreign: ForeignCopy?
    /// A person said to send it although another station may have.
    var goesAnyway = false

    /// The primary of its shot where that goes to the same target, and stations share some target: whoever sends it
    /// there sends this one, too.
    @IndirectOptional var lead: ContentKey?

    /// How its path was made; nil for targets without names.
    @IndirectOptional var name: NameParts?

    /// What its shot's deliveries at the same target have in common.
    var shotKey: String { "\(id.target)\u{1F}\(name?.shot ?? NamePlanner.shotKey(job.asset))" }

    /// Its name may be given to the whole shot anew: nothing was sent, and the target has nothing of it.
    var hasFreeName: Bool { attempts <= 0 && adopted == nil && recheck == nil && !mayHaveArrived }

    /// Whether the ledger has become final about it since it was planned: `row` is what it has now.
    ///
    /// What was taken back before that, and is to be sent all the same, was ordered anew.
    func isEnded(by row: DeliveryRow) -> Bool {
        switch row.receipt.state {
        case .done: recheck.map { $0.receipt != row.receipt } ?? true
        case .excluded: known.map { $0 != .excluded && replaces == nil || row.receipt.at > since } ?? false
        case .pending, .held, .failed: false
        }
    }

    /// It was delivered before, and its target has not said that the copy is gone.
    ///
    /// Whatever becomes of this try, the ledger keeps that receipt, or a later run would send it a second time. A folder
    /// is looked at, whatever is said.
    var keepsReceipt: Bool { !target.isLocal && recheck.map { $0.denial == nil && !isMissed } ?? false }

    /// That receipt, as what was there before.
    var keptReceipt: Receipt? {
        guard keepsReceipt, var receipt = recheck?.receipt else { return nil }
        (receipt.existed, receipt.reason) = (true, nil)
        return receipt
    }

    /// The ledger is told before it is sent; `always`: also where that is to a folder that takes it at once.
    func isRecordedFirst(_ always: Bool) -> Bool {
        !keepsReceipt && (always || !target.isLocal || verdict != .takes)
    }

    /// Nobody reads its bytes or asks for its name now.
    var isAtRest: Bool {
        switch state {
        case .planned, .deferred, .gated, .withheld, .waiting, .failing: true
        case .naming, .sending, .settled: false
        }
    }

    /// In its queue, until somebody marks the picture, or until the catalogue is asked again; nobody has begun with it.
    var isWaiting: Bool {
        switch state {
        case .waiting, .gated, .withheld: true
        default: false
        }
    }

    /// Nobody has begun with it, so that it may end here.
    var canBeCancelled: Bool { isWaiting || isDeferred }

    var isDeferred: Bool { if case .deferred = state { true } else { false } }
    var isSettled: Bool { if case .settled = state { true } else { false } }

    /// Another file of the same bytes waits for it, or the same one again.
    mutating func add(listener: AssetID) { if !listeners.contains(listener) { listeners.append(listener) } }

    /// Others deliver its bytes, too: they are not its to move.
    ///
    /// `file`: where those have them, where it is to read them there.
    mutating func share(_ file: LocalFile? = nil) {
        guard rendition == nil else { return }
        (job.mayTake, job.file) = (false, file ?? job.file)
    }

    /// Its asset has been read again: what an earlier run kept of it is of use until this is delivered.
    mutating func keep(spooled file: LocalFile) {
        if file.ownership == .staged, !file.isFleeting { spooled = spooled ?? file.path }
    }

    /// A try came to nothing.
    mutating func count(_ failure: DeliveryFailure) {
        if failure.wasOnlyAsked { return }
        if keepsReceipt { (isMissed, isNotedHeld) = (true, false) }
        // One that has no name yet was not sent, nor one whose bytes cannot be had or whose service is out of order.
        let cause = failure.error.cause
        guard !isUnasked, !(cause is LostBytes), !(cause is ServiceOutage) else { return }
        attempts += 1
        if failure.mayHaveArrived { mayHaveArrived = true }
    }

    /// As the ledger is to know it while its target is held, or with nil, again when it is not; nil where it does.
    mutating func noteHeld(_ held: IngestError?) -> Receipt? {
        guard isNotedHeld != (held != nil) else { return nil }
        isNotedHeld = held != nil
        return Receipt(state: held == nil ? .pending : .held, at: since, reason: held?.description)
    }

    /// Why it waits still, for the end of the run.
    mutating func noteTrouble(_ error: IngestError) {
        let stands = keepsReceipt ? " It was delivered before, and that stands; `import --again` asks anew." : ""
        job.asset.receipts[target.name] = Receipt(state: .pending, reason: error.message + stands)
    }
}

/// Bytes that were sent, and whose answer was lost.
struct SentBytes: Sendable, Hashable { var sha256: String, size: UInt64 }
