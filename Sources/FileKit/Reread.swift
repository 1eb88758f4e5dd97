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
        guard let facts = try FileFacts.of(path) else { throw .reading(path, ENOENT) }
        guard facts.kind == .regular else { throw IngestError(.unreadable, "\(shown(path)) is not an ordinary file.") }
        let (descriptor, code) = withCPath(path) { name in
            let descriptor = fg_open_direct(name)
            return (descriptor, errno)
        }
        if descriptor >= 0 {
            if let found = try read(OpenFile(owning: descriptor, path), algorithm, direct: true, cancelled) {
                return found
            }
        } else if code != EINVAL {
            throw .reading(path, code)
        }
        let (file, _) = try OpenFile.reading(path)
        try flush(file)
        _ = posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
        return try read(file, algorithm, direct: false, cancelled) ?? (digest: "", size: 0)
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
        _ file: OpenFile, _ algorithm: DigestAlgorithm, direct: Bool, _ cancelled: @Sendable () -> Bool
    ) throws(IngestError) -> (digest: String, size: UInt64)? {
        let expected = try file.facts().size
        var hasher = MultiHasher(only: [algorithm])
        var size: UInt64 = 0
        do throws(IngestError) {
            size = try BlockReader().blocks(of: file, upTo: expected, cancelled: cancelled) {
                block throws(IngestError) in
                hasher.update(block)
            }
        } catch {
            if direct, (error.cause as? SystemFailure)?.code == EINVAL { return nil }
            throw error
        }
        return (hasher.finishAll()[algorithm] ?? "", size)
    }
}
