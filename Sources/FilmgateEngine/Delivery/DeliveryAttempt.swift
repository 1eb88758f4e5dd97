import FileKit
import FilmgateCore

/// Carries one delivery to its target, once.
///
/// What a failure means is the scheduler's business.
enum DeliveryAttempt {
    /// What came of it: the receipt, and what the target said of these bytes on the way.
    struct Delivered: Sendable {
        var receipt: Receipt, word = TargetAnswer.silent
        /// Of the bytes that were sent, where others were made for it than before.
        var size: UInt64?
        /// The copy that a station has delivered before, in place of this try.
        var foreign: ForeignCopy?
        /// What becomes of it instead where these bytes are the last ones here; nil where the target itself has spoken.
        var ifLast: WithheldDelivery?
    }

    /// One try, and what is to be told of it.
    static func carry(_ delivery: Delivery, roots: [String]) async -> DeliveryEvent {
        var isAsked = false
        let end = await delivery.target.trying { () async throws(IngestError) in
            let found = try await lookUp(delivery)
            isAsked = true
            return try await send(delivery, found, roots: roots)
        }
        switch end {
        case .success(let delivered): return .delivered(delivery.id, delivered)
        case .failure(let error):
            if !isAsked, let outstanding = error.cause as? AnswerOutstanding {
                return .withheld(delivery.id, WithheldDelivery(.pending, error.message, again: outstanding.again))
            }
            return .failed(delivery.id, DeliveryFailure(error, wasOnlyAsked: !isAsked))
        }
    }

    /// Asks whether the target has it already, and sends it where it has not.
    ///
    /// `roots` are those of all folders that the run delivers to.
    static func deliver(_ delivery: Delivery, roots: [String] = []) async throws(IngestError) -> Delivered {
        try await send(delivery, try await lookUp(delivery), roots: roots)
    }

    /// Sends what is not there by what was found.
    private static func send(
        _ delivery: Delivery, _ found: Standing, roots: [String]
    ) async throws(IngestError) -> Delivered {
        // A folder that keeps a history of what was delivered is told of what it has already, too.
        let isTold = delivery.adopted != nil && delivery.target.isLocal && delivery.target.traits.listsDeliveries
        if let existing = found.receipt, !isTold {
            return Delivered(receipt: existing, word: found.word, size: found.size)
        }
        let gone = try await missing(delivery.job, roots)
        // A folder that was given the file itself may have it under its name though its disk failed before it could say
        // so.
        if let gone, !delivery.mayHaveArrived || !delivery.target.isLocal { throw gone }
        // Long questions, or a process that stood still: another station may have begun with it.
        try SendRight.current?.check()
        var receipt: Receipt
        do throws(IngestError) { receipt = try await delivery.target.target.upload(delivery.job) } catch {
            if let gone, error.code == .notFound { throw gone }
            guard error.cause is SystemFailure, let lost = await LostBytes.error(delivery.job.file, error, roots: roots)
            else {
                throw error
            }
            throw lost
        }
        receipt.reason = receipt.reason ?? found.remark
        // Sent before, and the answer to that was lost or doubtful: what the target says it had already came from
        // there.
        if delivery.mayHaveArrived, !delivery.target.isLocal || gone != nil { receipt.existed = false }
        return Delivered(receipt: receipt, word: receipt.existed && !receipt.verified.isProof ? .silent : .has)
    }

    /// What a target has of a delivery before it is sent anything.
    private struct Standing {
        var receipt: Receipt?, remark: String?, word = TargetAnswer.silent
        /// Of the bytes that it has, where those are not the ones that would be sent now.
        var size: UInt64?
    }

    /// For a dry run: the receipt that the target would give, without being sent anything; a target that cannot be
    /// asked has nothing.
    ///
    /// `isTaken` says whether other bytes were promised a name.
    static func rehearse(_ delivery: Delivery, isTaken: (String) -> Bool) async -> Receipt {
        let result = await Result { () async throws(IngestError) in try await lookUp(delivery) }
        let found = (try? result.get()) ?? Standing()
        if let existing = found.receipt { return existing }
        var job = delivery.job, suffix = delivery.name?.suffix ?? 1
        // What stands at a name that was given before is asked about only now, as in sending.
        for _ in 0..<100 where delivery.target.isLocal {
            let place = job
            let answer = await Result { () async throws(IngestError) in
                try await delivery.target.target.occupancy(of: place.path, for: place)
            }
            if case .success(.same(var receipt)) = answer {
                receipt.reason = receipt.reason ?? found.remark
                return receipt
            }
            guard isTaken(job.path) || (try? answer.get()) == .other else { break }
            guard let name = delivery.name else { break }
            suffix += 1
            job.path = name.path(event: job.event, suffix: suffix)
        }
        let path = delivery.target.traits.localRoot.map { $0 + "/" + job.path }
        // What stands for the address that only a delivery gets: the name there, which can be looked at beforehand.
        let name = path == nil && delivery.target.traits.layout != nil && !job.path.isEmpty ? job.path : nil
        return Receipt(state: .done, path: path, id: name, sha256: job.digests.sha256, reason: found.remark)
    }

    private static func lookUp(_ delivery: Delivery) async throws(IngestError) -> Standing {
        if let adopted = delivery.adopted {
            return Standing(
                receipt: adopted, word: delivery.target.isLocal || adopted.verified.isProof ? .has : .silent)
        }
        var remark: String?
        if let earlier = delivery.recheck {
            let (found, isKnown) = try await standing(earlier, delivery)
            remark = Self.remark(found, earlier)
            if isEnough(found, isKnown, delivery) {
                var receipt = earlier.receipt
                receipt.existed = true
                // The target has spoken by now: it is no other station's word any more.
                if found == .equal, receipt.verified == .hearsay { receipt.verified = .none }
                receipt.reason = found == .cannotTell ? believed : remark.map { $0 + "; " + unmended }
                return Standing(receipt: receipt, word: TargetAnswer(found))
            }
        }
        if let before = try await foundBefore(delivery) { return before }
        guard !delivery.target.isLocal, var found = try await delivery.target.target.find(delivery.job) else {
            return Standing(remark: remark)
        }
        // Our own earlier attempt got through and only its answer was lost: that is a delivery, not a duplicate.
        found.existed = !delivery.mayHaveArrived
        if delivery.corruptions > 0 {
            found.reason =
                found.reason
                ?? "its answer to an earlier try named other bytes; asked for these, it says that it has them"
        }
        found.reason = found.reason ?? remark
        return Standing(receipt: found, word: found.verified.isProof ? .has : .silent)
    }

    /// What an earlier run sent, where other bytes have been made since: a second picture beside it would be one too
    /// many.
    private static func foundBefore(_ delivery: Delivery) async throws(IngestError) -> Standing? {
        guard let sent = delivery.sentBefore, !delivery.target.isLocal else { return nil }
        var job = delivery.job
        (job.digests, job.file.size) = (Digests(sha256: sent.sha256), sent.size)
        job.values.text.merge(["sha256": sent.sha256, "size": String(sent.size)]) { $1 }
        guard var found = try await delivery.target.target.find(job) else { return nil }
        (found.existed, found.sha256) = (false, found.sha256 ?? sent.sha256)
        return Standing(receipt: found, word: found.verified.isProof ? .has : .silent, size: sent.size)
    }

    /// Whether what a target has of an earlier delivery is left at that.
    ///
    /// A remote one that cannot say is believed, unless it has denied the copy before: sending again might make a
    /// second asset. So would it where a gallery that gives files its own names shows other bytes, unless it says by
    /// the digest that it has not these: many show a rendering of what they were sent.
    private static func isEnough(_ found: Verification, _ isKnown: Bool?, _ delivery: Delivery) -> Bool {
        switch found {
        case .equal: true
        case .missing, .discarded: false
        case .differs: !delivery.target.isLocal && delivery.target.traits.layout == nil && isKnown == nil
        case .cannotTell: !delivery.target.isLocal && delivery.recheck?.denial == nil
        }
    }

    static let believed = "delivered before; the target cannot say whether it is still there"
    private static let unmended = "it is not sent again beside that one: where it has to be, remove it there first"

    /// What became of an earlier delivery; a target that cannot tell by its receipt may by the digest.
    ///
    /// Only by that of what was delivered: another stamp makes other bytes, which it never had.
    private static func standing(_ row: DeliveryRow, _ delivery: Delivery) async throws(IngestError) -> (
        Verification, isKnown: Bool?
    ) {
        let target = delivery.target.target, sha256 = row.receipt.sha256 ?? delivery.job.digests.sha256
        let found = try await target.verify(row.receipt, size: row.size, sha256: sha256)
        // Bytes at the address of earlier take no denial back while it says by their digest that it has them not.
        var isOpen = found == .cannotTell || row.denial != nil && found == .equal
        if case .differs = found { isOpen = true }
        guard isOpen, sha256 == delivery.job.digests.sha256, let isKnown = try await target.knows(delivery.job) else {
            return (found, nil)
        }
        if case .differs = found { return (found, isKnown) }
        return (isKnown ? .equal : .missing, isKnown)
    }

    /// What a person should know of a copy that was delivered before.
    private static func remark(_ found: Verification, _ row: DeliveryRow) -> String? {
        let copy = DeliveryCheck.place(row)
        return switch found {
        case .differs(let why): "the copy \(copy) is not what was delivered there: \(why)"
        case .missing: "the copy \(copy) had been removed"
        case .discarded(let why): "the copy \(copy) had been moved to the trash: \(why)"
        case .equal, .cannotTell: nil
        }
    }

    /// A delivered copy or a spooled file may have been removed or edited since: say so instead of sending other bytes.
    ///
    /// Returns what is to be said where it is not there; throws where it is not what it was, or cannot be had now.
    private static func missing(_ job: UploadJob, _ roots: [String]) async throws(IngestError) -> IngestError? {
        let answer = Result { () throws(IngestError) in try FileFacts.of(job.file.path) }
        switch answer {
        case .failure(let error):
            throw await LostBytes.error(job.file, error, roots: roots) ?? error
        case .success(nil):
            return await LostBytes.error(job.file, nil, roots: roots)
                ?? IngestError(
                    .notFound,
                    job.file.path.isEmpty
                        ? "No copy of \(job.name) is kept that could be sent."
                        : "\(job.file.path) is gone before it could be sent.",
                    advice:
                        "If its disk is away, connect it and run `filmgate retry --failed`; else import its card again with --again. What a watched folder or a camera still has is taken by the next run."
                )
        case .success(let facts?):
            guard facts.size == job.file.size else {
                throw IngestError(
                    .rejected,
                    "\(job.file.path) has changed since it was ingested: \(facts.size) bytes now, \(job.file.size) then."
                )
            }
            return nil
        }
    }
}

extension LocalFile {
    /// Removes the file where it is a staged one.
    ///
    /// One that was renamed to `copy` is the delivered copy by now, and stays.
    func discard(unlessTakenTo copy: String = "") {
        if ownership == .staged, path != copy { FileSystem.remove(path) }
    }
}
