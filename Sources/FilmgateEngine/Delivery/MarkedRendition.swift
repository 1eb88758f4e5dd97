import FileKit
import FilmgateCore

/// Lets what was made of a frame before somebody marked it say what was marked, just before it is sent.
///
/// Only of deliveries that wait for marks: nothing else is made twice. Nor are those once they may have arrived: the
/// target is asked for the bytes that it was sent, and others would be a second picture there. Of what was under way
/// when this process was killed nobody knows which bytes it had.
struct MarkedRendition: Sendable {
    let stages: [any Stage]
    let ledger: any LedgerReader

    /// `carry` to be called later, with bytes from where they are then.
    func sending(_ roots: [String], _ latest: LatestRows) -> ClaimedAttempt.Send {
        latest.reservations.answers.watching { delivery in
            await carry(latest.substitute(for: delivery) ?? delivery, roots: roots)
        }
    }

    /// One try, as `DeliveryAttempt.carry`, which does it where nothing is to be made anew: for nearly all deliveries.
    func carry(_ delivery: Delivery, roots: [String]) async -> DeliveryEvent {
        guard let made = await made(delivery) else { return await DeliveryAttempt.carry(delivery, roots: roots) }
        var marked = delivery
        (marked.job.file, marked.job.digests) = (made.file, made.digests)
        switch await DeliveryAttempt.carry(marked, roots: roots) {
        case .delivered(let id, var delivered):
            // The table knows the digest of what was made first.
            delivered.receipt.sha256 = delivered.receipt.sha256 ?? made.digests.sha256
            delivered.size = delivered.size ?? made.file.size
            if delivered.receipt.path != made.file.path { FileSystem.remove(made.file.path) }
            return .delivered(id, delivered)
        case .failed(let id, var failure) where failure.mayHaveArrived && !delivery.target.isLocal:
            failure.sent = made
            return .failed(id, failure)
        case let event:
            FileSystem.remove(made.file.path)
            return event
        }
    }

    /// What its file is called beside that of the rendition.
    static func name(beside rendition: String) -> String {
        StagingArea.whole(rendition) + ".marked.part"
    }

    /// Nil where nothing is to be said, or it cannot be: then it is sent as it was made.
    private func made(_ delivery: Delivery) async -> Rendition? {
        guard let gate = delivery.gate, let rendition = delivery.rendition else { return nil }
        // A folder has one file under one name, whichever bytes it was given first.
        if delivery.mayHaveArrived, !delivery.target.isLocal { return nil }
        let read = await Result { () async throws(IngestError) in try await ledger.marks(of: [gate.sha256]) }
        guard case .success(let marks) = read, let mark = marks[gate.sha256], !mark.isEmpty else { return nil }
        let path = Self.name(beside: rendition.path)
        let asset = delivery.job.asset, digests = delivery.target.traits.digests
        for stage in stages where stage.traits.stamps {
            let made = await Result { () async throws(IngestError) in
                try await stage.marked(rendition, of: asset, as: mark, newFile: path, digests: digests)
            }
            if case .success(let marked?) = made { return marked }
        }
        return nil
    }
}

extension Delivery {
    /// What was sent is its bytes from now on; returns the file that they were in before, which nobody needs once the
    /// ledger knows.
    mutating func take(_ sent: Rendition) -> LocalFile? {
        let old = rendition
        (rendition, job.file, job.digests) = (sent.file, sent.file, sent.digests)
        return old
    }
}
