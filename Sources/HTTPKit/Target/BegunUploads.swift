public import FilmgateCore
import Glibc
import Synchronization

/// Which uploads were begun at a server and under what name it knows them: asked about after a restart, before anything
/// is begun anew.
///
/// One line per upload in a file of the state directory, written before the bytes are sent; the last line of an upload
/// counts. Lines of uploads that begin together, or are expected to, are flushed to the disk together. Of those that
/// ended only the latest thousands are kept, so neither memory nor the file grows for ever.
public final class BegunUploads: Sendable {
    fileprivate struct Upload {
        /// `last`: its last byte may have left, and no answer to it is known.
        enum Stage: String { case open = "", last, end }
        var place: String, stage = Stage.open
        /// Counts up from line to line.
        var number = 0
    }
    fileprivate struct State {
        var known: [String: Upload]?, ended = 0, number = 0
        /// They have ended, and the file still says that their last byte may have left: see `finish`.
        var unwritten: [String: Upload] = [:]
        var next = Batch(), isWriting = false
    }
    /// What is to be written next, whether that has to survive a power cut, and who waits for it.
    fileprivate struct Batch {
        var uploads: [String: Upload] = [:]
        var isDurable = false, waiting: [CheckedContinuation<IngestError?, Never>] = []
    }
    private let file: String, most: Int
    private let state = Mutex(State())

    /// `key`: the target's identity; each has a file of its own.
    ///
    /// `most`: how many that ended are kept.
    public init(state: String, name: String, key: String, most: Int = 8192) {
        self.most = most
        file = "\(state)/\(name)-\(Hex.text(of: ByteDigest.sha256(Array(key.utf8)).prefix(8))).begun"
    }

    /// The server's name for the upload of these bytes; nil when none was begun.
    ///
    /// Blocks briefly for a small file the first time.
    public func place(of sha256: String) throws(IngestError) -> String? { upload(sha256)?.place }

    /// Whether the last byte of it may have left, and no answer to it is known.
    public func mayBeWhole(_ sha256: String) -> Bool { upload(sha256)?.stage == .last }

    private func upload(_ sha256: String) -> Upload? {
        state.withLock { state in
            if state.known == nil { state.read(file, most) }
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
        let before = upload(sha256), stage = mayBeWhole ? Upload.Stage.last : .open
        if before?.place == place, before?.stage == stage { return }
        // That an answer has come may be lost in a power cut: then the server is asked once more.
        let isNews = before?.place != place || before?.stage == .end || mayBeWhole
        let failure = await written { state in
            state.next.uploads[sha256] = Upload(place: place, stage: stage)
            state.next.isDurable = state.next.isDurable || isNews
            state.unwritten[sha256] = nil
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

    /// The target has what was begun there, by its receipt: it is forgotten once thousands have ended after it.
    ///
    /// Does nothing for what was not begun at that place. Returns at once; written beside what is noted next, and only
    /// by `finish` where its last byte may have left.
    public func end(_ sha256: String, _ place: String) {
        state.withLock { state in
            guard let known = state.known?[sha256], known.place == place, known.stage != .end else { return }
            let ended = Upload(place: place, stage: .end)
            state.remember(sha256, ended)
            if known.stage == .last {
                state.unwritten[sha256] = state.known?[sha256]
                state.writeOldest(most / 8)
            } else if state.next.uploads[sha256] == nil {
                state.next.uploads[sha256] = ended
            }
            state.forget(most)
        }
    }

    /// Writes down what has ended: where it is wanted again, the process after this one begins it anew.
    ///
    /// Called once the ledger has the receipts: a process that is killed before that leaves nobody else who knows that
    /// the bytes may have arrived.
    public func finish() async {
        guard state.withLock({ !$0.unwritten.isEmpty }) else { return }
        // What cannot be written is asked for once more.
        _ = await written { $0.writeOldest(0) }
    }

    /// Returns when what `change` adds is on the disk, or says why it is not.
    private func written(_ change: @Sendable (inout State) -> Void) async -> IngestError? {
        await withCheckedContinuation { continuation in
            let begins = state.withLock { state in
                change(&state)
                state.next.waiting.append(continuation)
                defer { state.isWriting = true }
                return !state.isWriting
            }
            if begins { BlockingThread.run { self.writeAll() } }
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
            let result = Result { () throws(IngestError) in try BegunFile.append(next.uploads, next.isDurable, to: file)
            }
            var failure: IngestError?
            switch result {
            case .success:
                state.withLock { state in
                    for (sha256, upload) in next.uploads where upload.stage != .end { state.remember(sha256, upload) }
                }
            case .failure(let error): failure = error
            }
            for one in next.waiting { one.resume(returning: failure) }
        }
    }
}

extension BegunUploads.State {
    fileprivate mutating func remember(_ sha256: String, _ upload: BegunUploads.Upload) {
        number += 1
        var upload = upload
        upload.number = number
        let before = known?.updateValue(upload, forKey: sha256)
        ended += (upload.stage == .end ? 1 : 0) - (before?.stage == .end ? 1 : 0)
    }

    /// Where more than `most` ends are not written, the older half of them is written beside what comes next: so many
    /// uploads later the ledger knows of them.
    fileprivate mutating func writeOldest(_ most: Int) {
        guard unwritten.count > most else { return }
        let oldest = unwritten.sorted { $0.value.number < $1.value.number }.dropLast(most / 2)
        for (sha256, upload) in oldest {
            if next.uploads[sha256] == nil { next.uploads[sha256] = upload }
            unwritten[sha256] = nil
        }
    }

    /// Where more than `most` have ended, the newest half of so many stay.
    fileprivate mutating func forget(_ most: Int) {
        guard ended > most, let all = known else { return }
        let numbers = all.values.filter { $0.stage == .end }.map(\.number).sorted()
        let kept = max(1, most / 2), first = numbers[numbers.count - kept]
        known = all.filter { $0.value.stage != .end || $0.value.number >= first }
        ended = kept
    }

    /// What the file says; one that is long for what it says is written anew.
    fileprivate mutating func read(_ file: String, _ most: Int) {
        known = [:]
        var lines = 0, size = 0
        BegunFile.read(file) { sha256, upload, bytes in
            (lines, size) = (lines + (bytes == BegunFile.separator.utf8.count ? 0 : 1), size + bytes)
            if let upload { remember(sha256, upload) }
        }
        forget(most)
        guard lines > 4 * most, let known, lines > 2 * known.count else { return }
        BegunFile.rewrite(file, known.sorted { $0.value.number < $1.value.number }, ifOf: size)
    }
}

/// The lines on the disk.
private enum BegunFile {
    /// Stands before whatever is appended: a line that a power cut or a full disk tore says nothing with it, and what
    /// follows stands in lines of its own.
    static let separator = " . . .\n"

    /// `use`: of each line the digest, the upload, nil for a line that says nothing, and its length in bytes.
    static func read(_ file: String, _ use: (String, BegunUploads.Upload?, Int) -> Void) {
        guard let stream = fopen(file, "re") else { return }
        defer { fclose(stream) }
        var line: UnsafeMutablePointer<CChar>?, room = 0
        defer { free(line) }
        while case let count = getline(&line, &room, stream), count > 0, let line {
            let words = String(cString: line).split(whereSeparator: { $0 == " " || $0 == "\n" })
            // Else it was torn.
            let stage = words.count == 3 ? BegunUploads.Upload.Stage(rawValue: String(words[2])) : .open
            guard (2...3).contains(words.count), let stage, line[count - 1] == 0x0A else {
                use("", nil, count)
                continue
            }
            use(String(words[0]), BegunUploads.Upload(place: String(words[1]), stage: stage), count)
        }
    }

    static func append(
        _ uploads: [String: BegunUploads.Upload], _ isDurable: Bool, to file: String
    ) throws(IngestError) {
        let bytes = Array((separator + uploads.map { line($0.key, $0.value) }.joined()).utf8)
        let descriptor = locked(file)
        defer { close(descriptor) }
        guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count,
            !isDurable || fdatasync(descriptor) == 0
        else {
            throw IngestError(.storageFull, "Cannot write \(file): \(String(cString: strerror(errno))).")
        }
    }

    /// In the place of the file, all at once; where that fails, or somebody has written to it since, it stays as it is.
    static func rewrite(_ file: String, _ lines: [(key: String, value: BegunUploads.Upload)], ifOf size: Int) {
        let old = locked(file)
        defer { close(old) }
        var facts = stat()
        guard old >= 0, fstat(old, &facts) == 0, Int(facts.st_size) == size else { return }
        let bytes = Array(lines.map { line($0.key, $0.value) }.joined().utf8), fresh = file + ".new"
        let descriptor = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let isWritten =
            descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count && fdatasync(descriptor) == 0
        if !isWritten || rename(fresh, file) != 0 { unlink(fresh) }
    }

    private static func line(_ sha256: String, _ upload: BegunUploads.Upload) -> String {
        "\(sha256) \(upload.place)\(upload.stage == .open ? "" : " \(upload.stage.rawValue)")\n"
    }

    /// Open for appending, by nobody else until it is closed; negative where it cannot be.
    private static func locked(_ file: String) -> CInt {
        while true {
            let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return descriptor }
            // File systems without locks grant it to everyone.
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            var own = stat(), there = stat()
            if fstat(descriptor, &own) == 0, stat(file, &there) == 0, own.st_ino == there.st_ino { return descriptor }
            // Another file stands in its place meanwhile.
            close(descriptor)
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
