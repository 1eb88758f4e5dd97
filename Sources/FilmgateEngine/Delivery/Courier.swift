import FileKit
import FilmgateCore

/// Carries one parcel to its target, once.
///
/// What a failure means is the dispatcher's business.
enum Courier {
    static func deliver(_ parcel: Parcel) async throws(IngestError) -> Receipt {
        if let existing = try await lookUp(parcel) { return existing }
        try await check(parcel.job)
        return try await parcel.target.target.upload(parcel.job)
    }

    /// For a dry run: the receipt that the target would give without being sent anything; a target that cannot be asked has nothing.
    static func existing(_ parcel: Parcel) async -> Receipt? {
        let result = await Result { () async throws(IngestError) in try await lookUp(parcel) }
        return (try? result.get()) ?? nil
    }

    private static func lookUp(_ parcel: Parcel) async throws(IngestError) -> Receipt? {
        if let adopted = parcel.adopted { return adopted }
        if let earlier = parcel.recheck, try await isStillThere(earlier, parcel) {
            var receipt = earlier.receipt
            receipt.existed = true
            return receipt
        }
        guard !parcel.target.isLocal, var found = try await parcel.target.target.find(parcel.job) else { return nil }
        // Our own earlier attempt got through and only its answer was lost: that is a delivery, not a duplicate.
        found.existed = !parcel.mayHaveArrived
        return found
    }

    private static func isStillThere(_ row: DeliveryRow, _ parcel: Parcel) async throws(IngestError) -> Bool {
        let sha256 = row.receipt.sha256 ?? parcel.job.digests.sha256
        let found = try await parcel.target.target.verify(row.receipt, size: row.size, sha256: sha256)
        // A remote target that cannot say is believed: sending again might make a second asset.
        return parcel.target.isLocal ? found == .equal : found != .missing
    }

    /// A delivered copy or a spooled file may have been removed or edited since: say so instead of sending other bytes.
    private static func check(_ job: UploadJob) async throws(IngestError) {
        guard let size = try FileFacts.of(job.file.path)?.size else {
            throw IngestError(
                .notFound, "\(job.file.path) is gone before it could be sent.", advice: "Import the card again with --again to send it.")
        }
        guard size == job.file.size else {
            throw IngestError(.rejected, "\(job.file.path) has changed since it was ingested: \(size) bytes now, \(job.file.size) then.")
        }
    }

    /// Removes a staged file that was copied rather than renamed into place.
    static func discardIfStill(_ bytes: LocalFile, takenTo path: String) {
        if bytes.ownership == .staged, bytes.path != path { FileSystem.remove(bytes.path) }
    }

    /// `a/b.jpg` → `a/b-2.jpg` → `a/b-3.jpg`; a sidecar goes with its primary (`b.cr3.xmp` → `b-2.cr3.xmp`), a clip tree as a whole.
    static func nextName(after path: String, of shot: ShotPlace? = nil) -> String {
        if let inner = shot?.innerPath.map({ "/" + SafeName.path($0) }), path.hasSuffix(inner), path.utf8.count > inner.utf8.count {
            return increased(String(path.dropLast(inner.count)), ending: "") + inner
        }
        let folder = path.utf8.lastIndex(of: 0x2F).map { String(path[...$0]) } ?? ""
        let name = FileName(String(path.dropFirst(folder.count)))
        var (stem, ending) = (name.stem, name.ext.isEmpty ? "" : "." + name.ext)
        if let primary = shot?.sidecarOf.map({ "." + $0 }), stem.hasSuffix(primary) {
            (stem, ending) = (String(stem.dropLast(primary.count)), primary + ending)
        }
        return increased(folder + stem, ending: ending)
    }

    private static func increased(_ stem: String, ending: String) -> String {
        var stem = stem, number = 2
        if let dash = stem.utf8.lastIndex(of: 0x2D), let last = Int(stem[stem.utf8.index(after: dash)...]), (2...999).contains(last) {
            (stem, number) = (String(stem[..<dash]), last + 1)
        }
        return stem + "-\(number)" + ending
    }
}
