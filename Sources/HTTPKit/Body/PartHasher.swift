import CryptographyKit
public import FilmgateCore
import Glibc

/// Hashes a file part by part, from front to back: each part by itself and all of them together.
///
/// Blocks for the disk; used by one thread at a time.
public final class PartHasher {
    private let path: String, descriptor: CInt
    private var offset: UInt64 = 0
    private var whole = RunningHash(.sha256)
    /// Also computes the MD5 of each part, for servers that know nothing else.
    private let alsoMD5: Bool

    /// The digests of one part.
    public struct Part: Sendable, Hashable {
        public var sha256: [UInt8]
        /// Lower-case hexadecimal; nil when it was not asked for.
        public var md5: String?
    }

    /// `notFound` or `unreadable` when the file cannot be opened.
    public init(_ path: String, md5: Bool = false) throws(IngestError) {
        (self.path, alsoMD5) = (path, md5)
        descriptor = open(PathBytes.of(path).map(CChar.init(bitPattern:)) + [0], O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw IngestError(
                errno == ENOENT ? .notFound : .unreadable, "Cannot open \(path): \(String(cString: strerror(errno))).")
        }
    }

    deinit { close(descriptor) }

    /// Digests of the next `length` bytes; `corruptData` when the file ends before.
    public func next(_ length: UInt64) throws(IngestError) -> Part {
        var part = RunningHash(.sha256), other = alsoMD5 ? RunningHash(.md5) : nil, left = length
        var buffer = [UInt8](repeating: 0, count: Int(min(1 << 20, max(1, length))))
        while left > 0 {
            let got = pread(descriptor, &buffer, Int(min(UInt64(buffer.count), left)), off_t(offset))
            if got < 0, errno == EINTR { continue }
            guard got > 0 else {
                throw IngestError(.corruptData, "\(path) is shorter than when it was read before; it was not sent.")
            }
            buffer.withUnsafeBytes { bytes in
                let read = UnsafeRawBufferPointer(rebasing: bytes[..<got])
                part.update(read)
                other?.update(read)
                whole.update(read)
            }
            (offset, left) = (offset + UInt64(got), left - UInt64(got))
        }
        return Part(sha256: part.digest(), md5: other.map { Hex.text(of: $0.digest()) })
    }

    /// SHA-256 of everything so far, in lower-case hexadecimal.
    public var total: String { Hex.text(of: whole.digest()) }
}

/// SHA-256 of bytes in memory.
public enum ByteDigest {
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] { RunningHash.digest(of: bytes, .sha256) }
}
