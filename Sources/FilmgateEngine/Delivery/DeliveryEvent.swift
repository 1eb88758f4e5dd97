import FilmgateCore

/// Whose a delivery is that the table does not have yet.
enum DeliveryClaim: Sendable {
    case ours
    /// Another scheduler of this process has the lease.
    case anothers
}

/// What the table of deliveries is told.
indirect enum DeliveryEvent: Sendable {
    /// `claims` are for those deliveries that the table does not have; `isShared`: other schedulers deliver these
    /// bytes, too.
    case submitted(AssetDeliveries, [Delivery], claims: [Delivery.ID: DeliveryClaim], isShared: Bool)
    /// The ledger has been told.
    case recorded(DeliveryStep)
    case delivered(Delivery.ID, DeliveryAttempt.Delivered)
    case failed(Delivery.ID, DeliveryFailure)
    /// The files of a shot at a target, under names that are free there.
    case named(shot: String, [Delivery])
    case unnamed(shot: String, DeliveryFailure)
    /// Not sent: another station has it, or says that it had.
    case withheld(Delivery.ID, WithheldDelivery)
    /// The catalogue may be asked for it again.
    case claimDue(Delivery.ID)
    /// What was made for a target that refused it is in that file for good.
    case kept(Delivery.ID, rendition: LocalFile, Receipt)
    /// The pause of a target after a failure is over.
    case retryDue(String)
    /// A hold of a target may be over: one delivery finds out.
    case probeDue(String)
    /// Somebody wants what waits at the target of that name tried now; nil = at every target.
    ///
    /// `of`: where these wait, and nowhere else; nil = where anything does. With `anyway`, also what another station
    /// may have sent.
    case tryNow(String?, of: Set<ContentKey>? = nil, anyway: Bool = false)
    /// Taken back; the bytes of `keeping` are nowhere else.
    case cancelled(Delivery.ID, keeping: Set<AssetID>)
    /// Somebody marked pictures: what that says of these deliveries.
    case judged([(Delivery.ID, MarkVerdict)])
    /// Another scheduler sends it, under that identity.
    case ceded(Delivery.ID, to: Delivery.ID)
    /// What another scheduler's delivery came to; nil when it was given up.
    case heard(Delivery.ID, Receipt?)
    case stopped
    case windingDown
}

/// Why an attempt came to nothing.
struct DeliveryFailure: Sendable {
    var error: IngestError
    /// When its bytes moved last.
    var moved: ContinuousClock.Instant?
    /// A random number from 0 to 1, for the pause that follows.
    var jitter: Double
    /// The target was only asked what it has: nothing was sent.
    var wasOnlyAsked: Bool
    /// What was made for this try and may have arrived; the delivery's bytes from then on.
    var sent: Rendition?

    /// Within the attempt: with what moved in it.
    init(
        _ error: IngestError, moved: ContinuousClock.Instant? = ProgressSignal.current?.last,
        jitter: Double = .random(in: 0...1), wasOnlyAsked: Bool = false
    ) {
        (self.error, self.moved, self.jitter, self.wasOnlyAsked) = (error, moved, jitter, wasOnlyAsked)
    }

    /// The target may have the bytes all the same.
    ///
    /// Whatever it answered: if it has these very bytes the next time, they are the ones that were sent.
    var mayHaveArrived: Bool {
        !wasOnlyAsked && !isOfTheBytes && error.code != .nameTaken && !(error.cause is ServiceOutage)
            && !(error.cause is SendRightLost)
    }

    /// What the ledger is told of a delivery that waits since then.
    func waiting(since: Int64) -> Receipt { Receipt(state: .pending, at: since, reason: error.message) }

    /// Bytes that we keep cannot be had: neither the file nor the target is to blame.
    var isOfTheBytes: Bool { error.cause is LostBytes }
}

/// What goes on once the ledger has been told.
enum DeliveryStep: Sendable {
    case begin(AssetID, [Delivery.ID])
    case retry(Delivery.ID, IngestError, after: Duration)
    /// That file was the delivery's before other bytes of it were sent.
    case replaced(LocalFile)
    /// The names of the files of that shot.
    case send(shot: String, named: [Delivery.ID])
    case conclude(Delivery.ID, Receipt, [AssetDeliveries])
    case settle([AssetDeliveries])
}

/// What is to be done; where it leads to an event, the table waits for that.
indirect enum DeliveryAction: Sendable {
    /// Leads to `delivered`, `failed` or, at a target that stations share, `withheld`.
    case send(Delivery)
    /// Asks the target for names that are free for these files of one shot: leads to `named` or `unnamed`.
    case findNames([Delivery])
    case rename(Delivery, to: Delivery)
    /// Leads to `recorded` where something goes on then.
    case record([LedgerChange], then: DeliveryStep?)
    /// Leads to that event.
    case wait(until: ContinuousClock.Instant, DeliveryEvent)
    /// Another scheduler has it: leads to `heard`, once for those that have the same bytes.
    case follow(Delivery, isNew: Bool)
    /// Final, and the ledger knows: its lease and its name are given back.
    case release(Delivery, Receipt)
    /// All deliveries of the asset are final, and the ledger knows.
    case settle(AssetDeliveries)
    /// Leads to `kept`.
    case keepRendition(LocalFile, of: Delivery.ID, Receipt)
    case keep(LocalFile)
    /// Removes a staged file, unless it was renamed to that path.
    case discard(LocalFile, takenTo: String)
    /// Removes what an earlier run kept of these bytes, unless another delivery waits for it.
    case discardSpooled(Delivery)
    case giveBack(budget: UInt64)
    case tell(RunEvent)
    /// The target holds what waits there, as the other schedulers see it.
    case noteHeld(String, IngestError?)
    /// It waits for marks, as the other schedulers see it; with nil, no longer.
    case noteWaiting(Delivery.ID, String?)
    /// The same as people are told: for another reason than before, or, with nil, no longer.
    case tellHeld(PlannedTarget, IngestError?)
    /// Something got through to the target.
    case noteAnswer(String)
    /// Bytes arrived changed again and again.
    case noteMismatch
}
