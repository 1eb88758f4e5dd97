public import FilmgateCore
import Glibc
import Synchronization

/// Which uploads were begun at a server and under what name it knows them: asked about after a restart, before anything
/// is begun anew.
///
/// One line per upload in a file of the state directory, written before the bytes are sent; the last line of an upload
/// counts. Lines of uploads that begin together, or are expected to, are flushed to the disk together.
public final class BegunUploads: Sendable {
    private struct Upload { var place: String, mayBeWhole = false }
    private struct State {
        var known: [String: Upload]?
        var next = Batch(), isWriting = false
    }
    /// What is to be written next, whether that has to survive a power cut, and who waits for it.
    private struct Batch {
        var uploads: [String: Upload] = [:]
        var isDurable = false, waiting: [CheckedContinuation<IngestError?, Never>] = []
    }
    private let file: String
    private let state = Mutex(State())

    /// `key`: the target's identity; each has a file of its own.
    public init(state: String, name: String, key: String) {
        file = "\(state)/\(name)-\(Hex.text(of: ByteDigest.sha256(Array(key.utf8)).prefix(8))).begun"
    }

    /// The server's name for the upload of these bytes; nil when none was begun.
    ///
    /// Blocks briefly for a small file the first time.
    public func place(of sha256: String) throws(IngestError) -> String? { upload(sha256)?.place }

    /// Whether the last byte of it may have left, and no answer to it is known.
    public func mayBeWhole(_ sha256: String) -> Bool { upload(sha256)?.mayBeWhole ?? false }

    private func upload(_ sha256: String) -> Upload? {
        state.withLock { state in
            if state.known == nil { state.known = Self.read(file) }
            return state.known?[sha256]
        }
    }

    /// Remembers, on disk before it returns where it is news.
    ///
    /// `mayBeWhole`: its last byte is about to leave.
    public func note(_ sha256: String, _ place: String, mayBeWhole: Bool = false) async throws(IngestError) {
        guard !place.contains("\n"), !place.contains(" ") else {
            throw IngestError(.rejected, "The server gave an upload an address with a space or a line break in it.")
        }
        let before = upload(sha256)
        if before?.place == place, before?.mayBeWhole == mayBeWhole { return }
        // That an answer has come may be lost in a power cut: then the server is asked once more.
        let isNews = before?.place != place || mayBeWhole
        let failure = await withCheckedContinuation { continuation in
            let begins = state.withLock { state in
                state.next.uploads[sha256] = Upload(place: place, mayBeWhole: mayBeWhole)
                state.next.isDurable = state.next.isDurable || isNews
                state.next.waiting.append(continuation)
                defer { state.isWriting = true }
                return !state.isWriting
            }
            if begins { BlockingThread.run { self.writeAll() } }
        }
        if let failure { throw failure }
    }

    /// Soon `note` will be called with these: they are written beside what is noted before, and then cost no flush of
    /// their own.
    ///
    /// Does nothing where the upload is known by another place. Blocks as `place(of:)` does.
    public func expect(_ sha256: String, _ place: String) {
        guard !place.contains("\n"), !place.contains(" "), upload(sha256) == nil else { return }
        state.withLock { state in
            guard state.next.uploads[sha256] == nil else { return }
            state.next.uploads[sha256] = Upload(place: place)
            state.next.isDurable = true
        }
    }

    /// Until nobody waits any more.
    private func writeAll() {
        while true {
            let next = state.withLock { state -> Batch? in
                guard !state.next.waiting.isEmpty else {
                    state.isWriting = false
                    return nil
                }
                defer { state.next = Batch() }
                return state.next
            }
            guard let next else { return }
            let result = Result { () throws(IngestError) in try Self.append(next, to: file) }
            var failure: IngestError?
            switch result {
            case .success: state.withLock { $0.known?.merge(next.uploads) { $1 } }
            case .failure(let error): failure = error
            }
            for one in next.waiting { one.resume(returning: failure) }
        }
    }

    private static func read(_ file: String) -> [String: Upload] {
        guard let stream = fopen(file, "re") else { return [:] }
        defer { fclose(stream) }
        var table: [String: Upload] = [:], line: UnsafeMutablePointer<CChar>?, room = 0
        defer { free(line) }
        while getline(&line, &room, stream) > 0, let line {
            let words = String(cString: line).split(whereSeparator: { $0 == " " || $0 == "\n" })
            // Else a power cut tore the line, and the next one stands in the same.
            guard words.count == 2 || (words.count == 3 && words[2] == "last") else { continue }
            table[String(words[0])] = Upload(place: String(words[1]), mayBeWhole: words.count == 3)
        }
        return table
    }

    private static func append(_ batch: Batch, to file: String) throws(IngestError) {
        var text = ""
        for (sha256, upload) in batch.uploads {
            text += "\(sha256) \(upload.place)\(upload.mayBeWhole ? " last" : "")\n"
        }
        let bytes = Array(text.utf8)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count,
            !batch.isDurable || fdatasync(descriptor) == 0
        else {
            throw IngestError(.storageFull, "Cannot write \(file): \(String(cString: strerror(errno))).")
        }
    }
}

/// Slices of a file whose whole is known only by one digest.
public enum PartDigests {
    private static let pool = BlockingPool(width: 2)

    /// The slice with its own digest, after all of the file was found to be what was promised; `corruptData` when it is
    /// not.
    public static func slice(_ job: UploadJob, offset: UInt64, length: UInt64) async throws(IngestError) -> FileSlice {
        let digest = try await pool.run { () throws(IngestError) in
            let hasher = try PartHasher(job.file.path)
            if offset > 0 { _ = try hasher.next(offset) }
            let part = try hasher.next(length)
            if offset + length < job.file.size { _ = try hasher.next(job.file.size - offset - length) }
            guard hasher.total == job.digests.sha256 else {
                throw IngestError(
                    .corruptData, "\(job.file.path) no longer holds the bytes that were read before; it was not sent.")
            }
            return Hex.text(of: part.sha256)
        }
        return FileSlice(path: job.file.path, offset: offset, length: length, of: job.file.size, sha256: digest)
    }
}
