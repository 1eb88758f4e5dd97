import FilmgateCore
import Glibc

/// An open file descriptor, closed when the last reference goes.
///
/// Every call blocks.
final class OpenFile: Sendable {
    let path: String
    let descriptor: Int32

    init(owning descriptor: Int32, _ path: String) { (self.descriptor, self.path) = (descriptor, path) }

    deinit { close(descriptor) }

    /// Opens an ordinary file for reading.
    ///
    /// Never follows a link, never waits for a FIFO's other end.
    static func reading(_ path: String) throws(IngestError) -> (file: OpenFile, facts: FileFacts) {
        let (descriptor, code) = opened(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        if descriptor < 0 { throw .reading(path, code) }
        let file = OpenFile(owning: descriptor, path)
        let facts = try file.facts()
        guard facts.kind == .regular else { throw IngestError(.unreadable, "\(shown(path)) is not an ordinary file.") }
        return (file, facts)
    }

    /// Creates `path` for reading and writing, 0644 less the umask unless said otherwise.
    ///
    /// What a crashed run left there is removed first.
    static func creating(_ path: String, mode: mode_t = 0o644) throws(IngestError) -> OpenFile {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        var (descriptor, code) = opened(path, flags, mode)
        if descriptor < 0, code == EEXIST {
            _ = withCPath(path) { unlink($0) }
            (descriptor, code) = opened(path, flags, mode)
        }
        if descriptor < 0 { throw .writing(path, code) }
        return OpenFile(owning: descriptor, path)
    }

    /// Opens an ordinary file of ours for reading, and for writing at its end.
    static func extending(_ path: String) throws(IngestError) -> OpenFile {
        let (descriptor, code) = opened(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 { throw .reading(path, code) }
        let file = OpenFile(owning: descriptor, path)
        guard try file.facts().kind == .regular else {
            throw IngestError(.unreadable, "\(shown(path)) is not an ordinary file.")
        }
        return file
    }

    private static func opened(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> (descriptor: Int32, code: Int32) {
        while true {
            let (descriptor, code) = withCPath(path) { name in
                let descriptor = open(name, flags, mode)
                return (descriptor, errno)
            }
            if descriptor >= 0 || code != EINTR { return (descriptor, code) }
        }
    }

    func facts() throws(IngestError) -> FileFacts {
        var raw = stat()
        guard fstat(descriptor, &raw) == 0 else { throw .reading(path, errno) }
        return FileFacts(raw)
    }

    /// Cuts what lies behind `size`, and goes on writing there.
    func cut(to size: UInt64) throws(IngestError) {
        guard ftruncate(descriptor, off_t(size)) == 0, lseek(descriptor, off_t(size), SEEK_SET) == off_t(size) else {
            throw .writing(path, errno)
        }
    }

    /// The bytes of a range that is small enough for memory; fewer at the end.
    func bytes(in range: Range<UInt64>) throws(IngestError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count), filled = 0
        while filled < bytes.count {
            let place = off_t(range.lowerBound) + off_t(filled)
            let count = bytes.withUnsafeMutableBytes { all in
                let rest = UnsafeMutableRawBufferPointer(rebasing: all[filled...])
                return pread(descriptor, rest.baseAddress, rest.count, place)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw .reading(path, errno) }
            if count == 0 { break }
            filled += count
        }
        return Array(bytes[..<filled])
    }

    /// Writes all of `bytes` at the current end.
    func write(_ bytes: UnsafeRawBufferPointer, of size: UInt64 = 0) throws(IngestError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                throw .writing(path, count == 0 ? EIO : errno, size: size)
            }
        }
    }

    func write(_ bytes: RawSpan) throws(IngestError) {
        try bytes.withUnsafeBytes { bytes throws(IngestError) in try write(bytes) }
    }

    /// Sets the modification time.
    ///
    /// File systems that keep none are forgiven: the bytes count.
    func setModified(_ nanoseconds: Int64) {
        let omit = (1 << 30) - 2  // UTIME_OMIT, a macro that Swift cannot see
        var fraction = nanoseconds % 1_000_000_000
        if fraction < 0 { fraction += 1_000_000_000 }
        let seconds = (nanoseconds - fraction) / 1_000_000_000
        let times = [timespec(tv_sec: 0, tv_nsec: omit), timespec(tv_sec: Int(seconds), tv_nsec: Int(fraction))]
        _ = futimens(descriptor, times)
    }
}

extension UnsafeRawBufferPointer.SubSequence {
    /// Where the slice begins in memory.
    fileprivate var baseAddress: UnsafeRawPointer? { UnsafeRawBufferPointer(rebasing: self).baseAddress }
}
