import FilmgateCore

/// One content for one target, the unit of delivery: however many files of this run have these bytes, it is sent once.
struct Delivery: Sendable {
    struct ID: Hashable, Sendable { var content: ContentKey, target: String }
    enum State: Sendable {
        case waiting, sending
        indirect case settled(Receipt)
    }

    let id: ID
    @CopyOnWriteBox var job: UploadJob
    let target: PlannedTarget
    var state: State = .waiting
    var attempts = 0
    /// Nanoseconds since 1970: how long it waits already, over all runs.
    var since = WallClock.nanoseconds
    /// Digest refusals so far: bytes that keep arriving changed are set aside.
    var corruptions = 0
    /// The first is the asset that it is delivered for; later ones have the same bytes.
    var listeners: [AssetID]
    /// Sent before and perhaps received: ask the target before sending again.
    var mayHaveArrived = false
    /// A spooled file of an earlier run, of no use once this is delivered.
    var spooled: String?
    /// The target's identity before the event was known, where this was written down as unassigned.
    var replaces: String?
    /// Found at its name already, byte for byte: only to be written down.
    @IndirectOptional var adopted: Receipt?
    /// Delivered once but to be checked (`--again`).
    @IndirectOptional var recheck: DeliveryRow?
    /// What the target said of these bytes while they were carried there.
    @IndirectOptional var word: TargetAnswer?
    /// The target could not be asked yet what stands at the name: that comes before sending.
    var isUnasked = false
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

    /// How its path was made; nil for targets without names.
    @IndirectOptional var name: NameParts?

    /// What its shot's deliveries at the same target have in common.
    var shotKey: String { "\(id.target)\u{1F}\(name?.shot ?? NamePlanner.shotKey(job.asset))" }
}

extension Delivery {
    /// The same under another identity.
    func under(_ id: ID) -> Delivery {
        var other = Delivery(id: id, job: job, target: target, listeners: listeners)
        (other.since, other.attempts, other.spooled) = (since, attempts, spooled)
        return other
    }
}

/// An asset that waits for its deliveries.
struct AssetDeliveries: Sendable {
    @CopyOnWriteBox var asset: Asset
    var content: ContentKey
    var wanted: [PlannedTarget]
    /// Where the bytes are now; changes when a folder target has taken them.
    var bytes: LocalFile
    /// Staged bytes that a folder has taken over while another target was still reading them; removed at the end.
    var obsolete: LocalFile?
    /// By the target's identity: targets of several pipelines may share a name.
    var receipts: [String: Receipt] = [:]
    /// Identities of the targets that still owe a receipt.
    var open: Set<String> = []
    /// What targets are called that are not among those wanted now, by identity.
    var otherNames: [String: String] = [:]
    /// Those of them that have it, or will, for the event that somebody said before.
    var given: [String] = []
    /// Remote targets that start once a folder target holds the bytes.
    var later: [Delivery] = []
    var twin: String?
    var event: String?
    var shot: ShotFacts
    /// Bytes taken from the budget that are not given back yet.
    var budget: UInt64
    /// Comes from the ledger: where all of it is another's to deliver, its row is the other's too.
    var isRecorded = false
    var hasDeliveries = false
    /// A delivery whose file is another content by now: nothing is written down of a file.
    var standsAlone = false
    var isElsewhere: Bool { isRecorded && !hasDeliveries }

    /// What the ledger knows of a target that none of these deliveries is for.
    mutating func note(_ row: DeliveryRow) {
        (receipts[row.target], otherNames[row.target]) = (row.receipt, row.targetName)
        receipts[row.target]?.existed = true
    }

    /// The targets that the file was for, and that are not at hand now: it is still for them.
    mutating func keep(_ targets: [String], but mine: Set<String>, _ elsewhere: [UnreachableAssignment]) {
        for target in targets where !mine.contains(target) && !wanted.contains(where: { $0.identity == target }) {
            given.append(elsewhere.first { $0.old == target }?.row.target ?? target)
        }
    }

    /// It was given to that event before: nobody is asked for one again, since that could be another.
    mutating func give(_ row: DeliveryRow) {
        note(row)
        given.append(row.target)
        guard row.receipt.state != .done else { return }
        let words = "it was given to the event \(row.event ?? "") before and is not there yet"
        receipts[row.target]?.existed = false
        receipts[row.target]?.state = row.receipt.state == .failed ? .failed : .pending
        receipts[row.target]?.reason = row.receipt.reason.map { "\(words): \($0)" } ?? words
    }

    /// The receipts by the targets' names; where several have one name, all but the first say which they are.
    var named: [String: Receipt] {
        var result: [String: Receipt] = [:]
        for (identity, receipt) in receipts.sorted(by: { $0.key < $1.key }) {
            let name = wanted.first { $0.identity == identity }?.name ?? otherNames[identity] ?? identity
            result[result[name] == nil ? name : "\(name) (\(CardProof.place(of: identity)))"] = receipt
        }
        return result
    }
}

/// What the settlement must say about an asset that only its shot knows.
struct ShotFacts: Sendable {
    var captured: CivilTime?
    var photographer: String?
}
