import CLinux
public import FilmgateCore
import Glibc

/// Reads a file from its disk, not from memory, to prove what the disk holds.
///
/// Blocks.
public enum Reread {
    /// The digest and length of what the disk holds under `path`: direct I/O, or where the file system has none,
    /// reading after the cached pages were flushed and dropped.
    ///
    /// `notFound`, `unreadable`, `deviceGone`, `cancelled`.
    public static func digest(
        of path: String, _ algorithm: DigestAlgorithm, cancelled: @Sendable () -> Bool = { false }
    ) throws(IngestError) -> (digest: String, size: UInt64) {
        let read = try read(path, [algorithm], forgets: false, cancelled)
        return (read.digests[algorithm] ?? "", read.size)
    }

    /// The SHA-256, and the digests that are wanted beside it, of what the disk holds under `path`, read as `digest`
    /// reads it.
    ///
    /// What memory holds of the file is dropped first: what was misread once is read anew from the disk by everybody
    /// who comes after this, too. `corruptData` where it changed while it was read; else as `digest`.
    public static func digests(
        of path: String, _ others: Set<DigestAlgorithm> = [], cancelled: @Sendable () -> Bool = { false }
    ) throws(IngestError) -> Digests {
        var read = try read(path, others.union([.sha256]), forgets: true, cancelled)
        guard read.size == read.before.size, read.after.unchanged(since: read.before) else {
            throw IngestError(
                .corruptData, "\(shown(path)) changed while it was read.",
                advice: "Try again when nothing writes to it any more.")
        }
        let sha256 = read.digests.removeValue(forKey: .sha256) ?? ""
        return Digests(sha256: sha256, others: read.digests)
    }

    /// Drops what memory holds of a file, so that whoever reads it next reads the disk.
    ///
    /// Best effort: what cannot be opened is told by whoever reads it.
    public static func forget(_ path: String) {
        let opened = Result { () throws(IngestError) in try OpenFile.reading(path).file }
        if let file = try? opened.get() { forget(file) }
    }

    private static func forget(_ file: OpenFile) { _ = posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED) }

    private struct Read {
        var digests: [DigestAlgorithm: String], size: UInt64
        let before: FileFacts, after: FileFacts
    }

    private static func read(
        _ path: String, _ algorithms: Set<DigestAlgorithm>, forgets: Bool, _ cancelled: @Sendable () -> Bool
    ) throws(IngestError) -> Read {
        guard let facts = try FileFacts.of(path) else { throw .reading(path, ENOENT) }
        guard facts.kind == .regular else { throw IngestError(.unreadable, "\(shown(path)) is not an ordinary file.") }
        // File systems refuse direct I/O with many words; what else is wrong with the file, opening it without tells.
        let descriptor = withCPath(path) { fg_open_direct($0) }
        if descriptor >= 0 {
            let file = OpenFile(owning: descriptor, path)
            if forgets { forget(file) }
            if let found = try read(file, algorithms, direct: true, cancelled) { return found }
        }
        let (file, _) = try OpenFile.reading(path)
        try flush(file)
        forget(file)
        guard let found = try read(file, algorithms, direct: false, cancelled) else {
            throw IngestError(.unreadable, "\(shown(path)) cannot be read from its disk.")
        }
        return found
    }

    /// Throws where the disk cannot take what memory still holds: it would be read from there, and count as proof.
    ///
    /// A file system that flushes nothing that is open for reading only does not mind.
    static func flush(
        _ file: OpenFile, by flush: (Int32) -> Int32 = { fdatasync($0) == 0 ? 0 : errno }
    ) throws(IngestError) {
        var code = flush(file.descriptor)
        while code == EINTR { code = flush(file.descriptor) }
        let failure = SystemFailure(code)
        if failure.isOfTheDisk && code != EROFS || code == ENOSPC || code == EDQUOT { throw .writing(file.path, code) }
    }

    /// Nil when direct reading turned out not to work for this file.
    private static func read(
        _ file: OpenFile, _ algorithms: Set<DigestAlgorithm>, direct: Bool, _ cancelled: @Sendable () -> Bool
    ) throws(IngestError) -> Read? {
        let before = try file.facts()
        var hasher = MultiHasher(only: algorithms)
        var size: UInt64 = 0
        do throws(IngestError) {
            size = try BlockReader().blocks(of: file, upTo: before.size, cancelled: cancelled) {
                block throws(IngestError) in
                hasher.update(block)
            }
        } catch {
            if direct, (error.cause as? SystemFailure)?.code == EINVAL { return nil }
            throw error
        }
        return Read(digests: hasher.finishAll(), size: size, before: before, after: try file.facts())
    }
}
