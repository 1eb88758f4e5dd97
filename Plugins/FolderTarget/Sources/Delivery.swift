import FileKit
import FilmgateCore
import Glibc

extension FolderStore {
    /// Brings the job's bytes under its name; proven first, named last, so that a name never stands for less.
    func deliver(_ job: UploadJob, cancelled: @Sendable () -> Bool) throws(IngestError) -> Receipt {
        try requireStillThere()
        let receipt: Receipt
        do throws(IngestError) { receipt = try brought(job, cancelled) } catch { throw full(error) ?? error }
        // What was put below the mount point of a disk that went away meanwhile is no copy on that disk.
        try requireStillThere()
        return receipt
    }

    /// Of a full disk a person needs the folder's name, and each file the same words: not the name of its own staged
    /// file.
    private func full(_ error: IngestError) -> IngestError? {
        guard let failure = error.cause as? SystemFailure, [ENOSPC, EDQUOT].contains(failure.code) else { return nil }
        let what =
            failure.code == EDQUOT
            ? "Your quota at \(PathText.shown(root.path)) is used up." : "\(PathText.shown(root.path)) is full."
        return IngestError(.storageFull, what, advice: "Free some room there or choose another disk.", cause: failure)
    }

    private func brought(_ job: UploadJob, _ cancelled: @Sendable () -> Bool) throws(IngestError) -> Receipt {
        let final = try root.resolve(job.path)
        if let facts = try FileFacts.of(final) { return try settled(final, facts, job, cancelled) }
        let folder = root.folder(of: final)
        try DurableFile.makeDirectories(folder)
        try root.requireInside(folder)
        do throws(IngestError) {
            if job.mayTake, job.file.ownership == .staged, FileSystem.same(job.file.path, folder) {
                do throws(IngestError) {
                    try take(job, as: final, cancelled)
                } catch  where (error.cause as? SystemFailure)?.code == EXDEV {
                    try copy(job, to: final, cancelled)
                }
            } else {
                try copy(job, to: final, cancelled)
            }
        } catch  where error.code == .nameTaken {
            guard let facts = try FileFacts.of(final) else { throw error }
            return try settled(final, facts, job, cancelled)
        }
        if let facts = try FileFacts.of(final) { historyWriter?.note(job.path, facts, job.digests) }
        return receipt(final, job, existed: false)
    }

    /// What proves the copy at `final`; `existed`: it stood there before.
    func receipt(_ final: String, _ job: UploadJob, existed: Bool) -> Receipt {
        Receipt(
            state: .done, path: final, sha256: job.digests.sha256, verified: verify == .reread ? .reread : .size,
            at: WallClock.nanoseconds, existed: existed)
    }

    /// The name is in use: fine when it has our bytes already (a run that was cut off), else `nameTaken`.
    private func settled(
        _ final: String, _ facts: FileFacts, _ job: UploadJob, _ cancelled: @Sendable () -> Bool
    ) throws(IngestError) -> Receipt {
        if let receipt = try standing(final, facts, job, cancelled) {
            historyWriter?.note(job.path, facts, job.digests)
            return receipt
        }
        throw IngestError(.nameTaken, "\(PathText.shown(final)) exists already, with other bytes.")
    }

    /// Renames the staged file into place.
    ///
    /// It keeps its staged name on any failure.
    private func take(_ job: UploadJob, as final: String, _ cancelled: @Sendable () -> Bool) throws(IngestError) {
        guard let facts = try FileFacts.of(job.file.path) else {
            throw IngestError(.notFound, "The staged file \(PathText.shown(job.file.path)) is gone.")
        }
        guard facts.kind == .regular, facts.size == job.file.size else {
            throw IngestError(.corruptData, "The staged file \(PathText.shown(job.file.path)) is not what was read.")
        }
        try prove(job.file.path, job.digests, size: job.file.size, cancelled)
        try DurableFile.publish(part: job.file.path, as: final)
    }

    private func copy(_ job: UploadJob, to final: String, _ cancelled: @Sendable () -> Bool) throws(IngestError) {
        let part = try staging().newPart()
        var options = CopyOptions(algorithms: verify == .reread && job.digests[.xxh128] == nil ? [.xxh128] : [])
        // Another target's copy may lie on a file system that keeps whole seconds only.
        if job.file.ownership == .delivered, job.asset.origin.modified != 0 {
            options.modified = job.asset.origin.modified
        }
        let result = try FileCopy.copy(from: job.file.path, toPart: part, options: options, cancelled: cancelled)
        do throws(IngestError) {
            guard result.digests.sha256 == job.digests.sha256, result.size == job.file.size else {
                throw IngestError(
                    .corruptData, "\(PathText.shown(job.file.path)) no longer has the bytes that were read before.")
            }
            var digests = job.digests
            digests.others.merge(result.digests.others) { $1 }
            try prove(part, digests, size: result.size, cancelled)
            try DurableFile.publish(part: part, as: final)
        } catch {
            FileSystem.remove(part)
            throw error
        }
    }

    /// Reads `part` back from the disk and compares; with XXH128 where it is known, which the disk and not the
    /// processor limits.
    private func prove(
        _ part: String, _ digests: Digests, size: UInt64, _ cancelled: @Sendable () -> Bool
    ) throws(IngestError) {
        guard verify == .reread else { return }
        let algorithm: DigestAlgorithm = digests[.xxh128] == nil ? .sha256 : .xxh128
        let found = try Reread.digest(of: part, algorithm, cancelled: cancelled)
        guard found.size == size, found.digest == digests[algorithm] else {
            throw IngestError(
                .corruptData, "The disk gave back other bytes than were written to \(PathText.shown(part)).",
                advice: "Do not trust this disk: check its cable and its health, and deliver elsewhere.")
        }
    }
}
