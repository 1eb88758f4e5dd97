import FileKit
import FilmgateCore

/// One object on its way from a camera into staging: gone on with where an earlier try was cut off, when the camera
/// still means the same bytes.
struct CameraTransfer: Sendable {
    let origin: Origin
    let session: any SourceSession
    let area: StagingArea
    let stager: Stager

    private struct Begun: Sendable {
        var writer: PartWriter, journal: PartJournal
        var offset: UInt64 { writer.count }
    }

    func run() async throws(IngestError) -> (LocalFile, Digests) {
        do throws(IngestError) { return try await transfer() } catch {
            // The camera came back with another file of that name, or with one that cannot be told from it: the whole
            // of it is read.
            guard error.cause is OtherBytes else { throw error }
            await stager.tell(origin, "begun anew: \(error.message)")
            return try await transfer()
        }
    }

    private func transfer() async throws(IngestError) -> (LocalFile, Digests) {
        let begun = try await begin()
        do throws(IngestError) {
            if begun.offset < origin.size {
                let sink = CheckpointSink(begun.writer, begun.journal, stager.checkpoints, stager.pool)
                try await session.fetch(origin, from: begun.offset, into: sink)
            }
            return try await finish(begun)
        } catch {
            await leave(begun, error)
            throw error
        }
    }

    private func finish(_ begun: Begun) async throws(IngestError) -> (LocalFile, Digests) {
        let modified = origin.modified
        let (size, digests) = try await stager.pool.run { () throws(IngestError) in
            begun.journal.close()
            return try begun.writer.finish(modified: modified)
        }
        guard size == origin.size else {
            throw IngestError(
                .corruptData, "\(origin.name): the source promised \(origin.size) bytes and sent \(size).")
        }
        if begun.journal.isOpen {
            try? begun.journal.checkpoint(PartJournal.Checkpoint(offset: size, sha256: digests.sha256))
            stager.partialFiles.keep(begun.journal)
        }
        var file = LocalFile(path: begun.journal.part, size: size, ownership: .staged)
        file.mayHoldZeros = begun.writer.mayHoldZeros
        return (file, digests)
    }

    /// Where the camera is gone the bytes stay for its return; what is wrong with them goes.
    private func leave(_ begun: Begun, _ error: IngestError) async {
        let isWorthIt =
            begun.offset >= stager.checkpoints.bytes
            && [Disposition.closeDevice, .retry, .unwind].contains(error.code.disposition)
        // Also when this task has been cancelled: what came is worth most then.
        let checkpoint = await Task { [pool = stager.pool] in
            try? await pool.run { () throws(IngestError) -> PartJournal.Checkpoint? in
                defer { begun.journal.close() }
                return isWorthIt ? begun.journal.checkpoint(begun.writer) : nil
            }
        }.value
        if let checkpoint = checkpoint ?? nil {
            stager.partialFiles.put(begun.journal, at: checkpoint)
        } else {
            begun.journal.remove()
            FileSystem.remove(begun.journal.part)
        }
        if error.code == .storageFull { stager.partialFiles.clear() }
    }

    private func begin() async throws(IngestError) -> Begun {
        let identity = PartJournal.identity(of: origin)
        if let old = stager.partialFiles.take(identity), let begun = try await goOn(old) { return begun }
        let part = area.newPart()
        return Begun(
            writer: try PartWriter(part, algorithms: stager.digests, size: origin.size),
            journal: PartJournal(for: part, identity: identity)
        )
    }

    /// Nil when the transfer has to begin anew.
    private func goOn(_ old: StagingArea.Unfinished) async throws(IngestError) -> Begun? {
        let algorithms = stager.digests, cancelled = stager.cancelled, size = origin.size
        let area = stager.areas.first { Paths.relative(old.part, to: $0.directory) != nil } ?? area
        let taken = try? await stager.pool.run { () throws(IngestError) -> Begun? in
            guard old.checkpoint.offset <= size, let (part, journal) = try area.adopt(old) else { return nil }
            do throws(IngestError) {
                let writer = try PartWriter(
                    resuming: part, at: old.checkpoint, algorithms: algorithms, cancelled: { cancelled.isSet })
                return Begun(writer: writer, journal: journal)
            } catch {
                // Stopped while it was read: the next run finds it.
                if error.code == .cancelled { return nil }
                journal.remove()
                FileSystem.remove(part)
                return nil
            }
        }
        guard let taken = taken ?? nil else { return nil }
        do throws(IngestError) {
            if try await isSame(taken) {
                await stager.tell(origin, "resumed at \(taken.offset) of \(size) bytes")
                return taken
            }
        } catch  where error.code.disposition != .setAside {
            await leave(taken, error)
            throw error
        } catch {
            // What is wrong with the proof need not be wrong with the file.
        }
        await stager.tell(
            origin, "begun anew: the camera's bytes are others than those that had come before, or cannot be compared")
        taken.journal.remove()
        FileSystem.remove(taken.journal.part)
        return nil
    }

    /// The camera is asked for what has to be equal before a transfer goes on.
    private func isSame(_ begun: Begun) async throws(IngestError) -> Bool {
        // A camera that is asked for a file's very end may take it as fetched.
        let end = min(begun.offset, max(1, origin.size) - 1)
        let pieces = try await stager.pool.run { () throws(IngestError) in
            try ResumeProof.pieces(before: end) { range throws(IngestError) in try begun.writer.bytes(in: range) }
        }
        guard let pieces else { return false }
        let device = session as? any RangeReadingSession
        for piece in pieces {
            guard let theirs = try await device?.bytes(of: origin, in: piece.range), theirs == piece.bytes else {
                return false
            }
        }
        return true
    }
}
