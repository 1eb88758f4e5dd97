import FileKit
import FilmgateCore

/// Brings an asset's bytes into staging, hashing on the way; in a dry run it only reads and hashes.
struct Stager: Sendable {
    /// Staging directories in order of preference; when one is full the next is tried.
    let areas: [StagingArea]
    /// True where a disk that cannot be written to is passed over like a full one: other targets must not suffer with
    /// the one that is on it.
    var passesOver = false
    let digests: Set<DigestAlgorithm>
    let dryRun: Bool
    let pool: BlockingPool
    let hub: EventHub
    let cancelled: CancelToken
    /// Transfers from cameras that were cut off.
    let partialFiles: PartialFiles
    var checkpoints = CheckpointSink.Rule()
    /// Tells the ledger what is worth knowing about an object's transfer.
    var tell: @Sendable (Origin, String) async -> Void = { _, _ in }

    /// The bytes of `origin`, staged and durable, with their digests.
    ///
    /// `unreadable`, `corruptData`, `storageFull`, `deviceGone`, `cancelled`.
    func stage(_ origin: Origin, from session: any SourceSession) async throws(IngestError) -> (LocalFile, Digests) {
        guard let source = session.localPath(origin) else { return try await fetch(origin, from: session) }
        if dryRun || session.traits.inPlace {
            let read = try await pool.run { () throws(IngestError) in
                try FileCopy.hash(path: source, algorithms: digests, cancelled: { cancelled.isSet }, progress: report)
            }
            guard read.size == origin.size, read.before.modified == origin.modified else { throw Self.changed(source) }
            return (file(source, read, .source), read.digests)
        }
        return try await firstWithRoom { area throws(IngestError) in
            let part = area.newPart()
            let copy = try FileCopy.copy(
                from: source, toPart: part, options: CopyOptions(algorithms: digests), cancelled: { cancelled.isSet },
                progress: report)
            guard copy.size == origin.size, copy.before.modified == origin.modified else {
                FileSystem.remove(part)
                throw Self.changed(source)
            }
            return (file(part, copy, .staged), copy.digests)
        }
    }

    private func file(_ path: String, _ read: CopyResult, _ ownership: LocalFile.Ownership) -> LocalFile {
        var file = LocalFile(path: path, size: read.size, ownership: ownership)
        file.mayHoldZeros = read.mayHoldZeros
        return file
    }

    private func fetch(_ origin: Origin, from session: any SourceSession) async throws(IngestError) -> (
        LocalFile, Digests
    ) {
        guard let area = areas.first else { throw IngestError(.unavailable, "A dry run does not read from cameras.") }
        return try await CameraTransfer(origin: origin, session: session, area: area, stager: self).run()
    }

    private func firstWithRoom<Value: Sendable>(
        _ body: @escaping @Sendable (StagingArea) throws(IngestError) -> Value
    ) async throws(IngestError) -> Value {
        for area in areas.dropLast() {
            do throws(IngestError) {
                return try await pool.run { () throws(IngestError) in try body(area) }
            } catch {
                guard error.code == .storageFull || passesOver && error.code == .unavailable else { throw error }
            }
        }
        let last = areas[areas.count - 1]
        return try await pool.run { () throws(IngestError) in try body(last) }
    }

    private static func changed(_ path: String) -> IngestError {
        IngestError(
            .corruptData, "\(path) changed after it was listed.", advice: "Import again when nothing writes to it.")
    }

    private func report(_ bytes: UInt64) { hub.post(.read(bytes: bytes)) }
}
