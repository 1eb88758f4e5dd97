import FileKit
import FilmgateCore
import Glibc
import Synchronization

/// The work of the folder target; everything blocks for the disk.
final class FolderStore: Sendable {
    let root: FolderRoot
    let verify: FolderTarget.Config.Proof
    let historyWriter: MHLHistoryWriter?
    private let area = Mutex<StagingArea?>(nil)
    private struct Place {
        /// Where its disk is mounted.
        var disk: String?
        var wasThere = false
    }
    private let place = Mutex(Place())

    init(root: FolderRoot, verify: FolderTarget.Config.Proof, historyWriter: MHLHistoryWriter?) {
        (self.root, self.verify, self.historyWriter) = (root, verify, historyWriter)
    }

    /// What a disk that is gone says of a file is no word about the file: that waits until the disk is back.
    ///
    /// A disk that works, and only has not got one file, is believed.
    func onDisk<Value>(_ body: () throws(IngestError) -> Value) throws(IngestError) -> Value {
        do throws(IngestError) { return try body() } catch {
            guard [.unreadable, .deviceGone, .notFound].contains(error.code), isGone || !works else { throw error }
            throw IngestError(
                .unavailable, error.message,
                advice:
                    "Check that the disk of \(PathText.shown(root.path)) is connected and mounted; what waits is sent when it is back.",
                cause: error.cause)
        }
    }

    /// The folder that was there, not one of its name on the disk below: it is not made anew where its own disk was
    /// taken out.
    func requireStillThere() throws(IngestError) {
        guard isGone else { return }
        throw IngestError(
            .unavailable, "\(PathText.shown(root.path)) is gone.",
            advice:
                "Mount its disk again; what waits is sent then. If the folder was removed on purpose, create it again, empty."
        )
    }

    /// A disk that is mounted there meanwhile is as good as the one before; one that went away leaves the folder on the
    /// disk above.
    private var isGone: Bool {
        // Looked at under the lock: what was seen before another delivery made the folder would make it one that was
        // there and is gone.
        place.withLock { place in
            let disk = FileSystem.mountPoint(of: root.path), isThere = (try? FileFacts.of(root.path)) != nil
            let before = place.disk ?? disk
            guard let disk, let before, disk == before || disk.hasPrefix(before == "/" ? before : before + "/") else {
                return true
            }
            if place.wasThere, !isThere { return true }
            place = Place(disk: disk, wasThere: isThere)
            return false
        }
    }

    private var works: Bool {
        let isStaging = (try? FileFacts.of(root.staging))?.kind == .directory
        return FileSystem.works(at: isStaging ? root.staging : root.path)
    }

    func check() throws(IngestError) {
        let place = FileSystem.existing(root.path)
        guard try FileFacts.of(FileSystem.canonical(place))?.kind == .directory else {
            throw IngestError(
                .misconfigured, "\(PathText.shown(place)) is a file, not a folder.",
                advice: "Name a folder, or move that file out of the way; a folder that is missing is made.")
        }
        // Such as an unmounted disk's mount point that only root may write to.
        guard FileSystem.isWritable(place) else {
            let what = PathText.shown(place)
            if FileSystem.isReadOnly(place) {
                throw IngestError(
                    .misconfigured, "\(what) lies on a file system that is mounted read-only.",
                    advice: "Mount it for writing. A disk with errors, or with its switch on lock, is mounted so.")
            }
            throw IngestError(
                .misconfigured, "\(what) is not writable for you.",
                advice:
                    "If a disk belongs there, mount it; else change the folder's owner or mode, or name another one.")
        }
        try historyWriter?.check()
        guard FileSystem.keepsFiles(place) else {
            throw IngestError(
                .misconfigured, "\(PathText.shown(place)) is the kernel's own and keeps no files.",
                advice: "Name a folder on a disk.")
        }
        // Last: a full disk passes, and other targets need not wait for it.
        guard try FileSystem.freeBytes(place) > 0 else {
            throw IngestError(
                .storageFull, "No room is left at \(PathText.shown(place)).",
                advice: "Free some or choose another disk.")
        }
    }

    func occupancy(of path: String, for job: UploadJob, cancelled: @Sendable () -> Bool) throws(IngestError)
        -> Occupancy
    {
        try requireStillThere()
        let final = try root.resolve(path)
        guard let facts = try FileFacts.of(final) else {
            return historyWriter?.isSpoken(for: path, not: job.digests) == true ? .other : .free
        }
        return try standing(final, facts, job, cancelled).map { .same($0) } ?? .other
    }

    func verify(_ receipt: Receipt, size: UInt64, sha256: String, cancelled: @Sendable () -> Bool) throws(IngestError)
        -> Verification
    {
        guard let path = receipt.path else { return .cannotTell }
        guard let facts = try FileFacts.of(path) else { return .missing }
        guard facts.kind == .regular else { return .differs("It is no longer an ordinary file.") }
        guard facts.size == size else { return .differs("It has \(facts.size) bytes instead of \(size).") }
        let found = try Reread.digest(of: path, .sha256, cancelled: cancelled)
        return found.digest == sha256 && found.size == size
            ? .equal : .differs("Its bytes are not those that were delivered.")
    }

    func finishRun(_ delivered: [DeliveredFile]) throws(IngestError) {
        if let area = area.withLock({ $0.take() }) { area.removeIfEmpty() } else { sweep() }
        try historyWriter?.commit(delivered)
    }

    /// The receipt for what stands at `final` already, when it has the job's bytes; nil when it has others or cannot be
    /// read.
    func standing(
        _ final: String, _ facts: FileFacts, _ job: UploadJob, _ cancelled: @Sendable () -> Bool
    ) throws(IngestError) -> Receipt? {
        guard facts.kind == .regular, facts.size == job.file.size else { return nil }
        do throws(IngestError) {
            guard try digest(of: final, cancelled) == job.digests.sha256 else { return nil }
        } catch {
            if error.code == .cancelled || !works { throw error }
            return nil
        }
        try DurableFile.settle(final)
        return receipt(final, job, existed: true)
    }

    private func digest(of path: String, _ cancelled: @Sendable () -> Bool) throws(IngestError) -> String {
        switch verify {
        case .reread: try Reread.digest(of: path, .sha256, cancelled: cancelled).digest
        case .size: try FileCopy.hash(path: path, cancelled: cancelled).digests.sha256
        }
    }

    /// The staging area, made when the first copy needs it; what crashed runs left there goes.
    func staging() throws(IngestError) -> StagingArea {
        try area.withLock { area throws(IngestError) in
            if let area { return area }
            try root.requireInside(root.staging)
            let made = try StagingArea(root.staging)
            made.removeLeftovers()
            area = made
            return made
        }
    }

    /// Removes what a crashed run left, when this one had no need for a staging area.
    private func sweep() {
        guard (try? FileFacts.of(root.staging))?.kind == .directory, let area = try? StagingArea(root.staging) else {
            return
        }
        area.removeLeftovers()
        area.removeIfEmpty()
    }
}
