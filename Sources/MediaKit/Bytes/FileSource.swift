public import FilmgateCore
import Glibc

/// A file on disk, read with `pread`; owns its descriptor.
///
/// May be used from several threads.
public final class FileSource: ByteSource, Sendable {
    private let descriptor: Int32
    public let size: UInt64

    /// Opens `path` for reading without waiting (a FIFO is refused, not waited for).
    ///
    /// Names that are not UTF-8 are written as `PathText` of FileKit does. `notFound`, `unreadable`.
    public init(path: String) throws(IngestError) {
        let (opened, error) = PathBytes.with(path) { (open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), errno) }
        guard opened >= 0 else {
            throw IngestError(
                error == ENOENT ? .notFound : .unreadable, "Cannot open \(path): \(String(cString: strerror(error))).")
        }
        var facts = stat()
        guard fstat(opened, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw IngestError(.unreadable, "\(path) is not an ordinary file.")
        }
        (descriptor, size) = (opened, UInt64(max(0, facts.st_size)))
    }

    deinit { close(descriptor) }

    public func read(at offset: UInt64, count: Int) -> [UInt8]? {
        guard offset < size, count > 0 else { return [] }
        let wanted = Int(min(UInt64(count), size - offset))
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            while filled < wanted {
                guard let start = buffer.baseAddress else { return }
                let got = pread(descriptor, start + filled, wanted - filled, off_t(offset) + off_t(filled))
                if got > 0 {
                    filled += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    failed = true; return
                }
            }
        }
        return failed ? nil : bytes
    }
}

/// Gives a path to C as bytes.
///
/// A byte that is not part of valid UTF-8 stands in the text as the scalar U+10FF00 + byte.
enum PathBytes {
    static func with<Result>(_ path: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        guard path.unicodeScalars.contains(where: { $0.value == 0 || $0.value >= 0x10FF80 }) else {
            return path.withCString(body)
        }
        var bytes: [CChar] = []
        for scalar in path.unicodeScalars {
            if scalar.value == 0 { return "".withCString(body) }
            if scalar.value >= 0x10FF80 {
                bytes.append(CChar(bitPattern: UInt8(scalar.value & 0xFF)))
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar).map { $0.map { CChar(bitPattern: $0) } } ?? [])
            }
        }
        return (bytes + [0]).withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map(body) ?? "".withCString(body)
        }
    }
}
