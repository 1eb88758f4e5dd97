import FileKit
import FilmgateCore
import Glibc

/// An original, open for reading.
final class SourceFile {
    let size: UInt64
    private let descriptor: Int32, path: String

    init(_ path: String) throws(IngestError) {
        let descriptor = withCPath(path) { open($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        var facts = stat()
        guard descriptor >= 0, fstat(descriptor, &facts) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            throw IngestError(.unreadable, "\(PathText.shown(path)) cannot be read to stamp it.")
        }
        (self.descriptor, self.path, size) = (descriptor, path, UInt64(facts.st_size))
    }

    deinit { close(descriptor) }

    /// At most `limit` bytes; fewer where the file ends or cannot be read further.
    func beginning(_ limit: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: min(limit, Int(size))), filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled, off_t(filled))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            filled += count
        }
        return filled == bytes.count ? bytes : Array(bytes[..<filled])
    }

    /// Passes all bytes from `offset` on, block by block.
    func pass(from offset: UInt64, to input: StampInput) throws(IngestError) {
        var at = offset, block = [UInt8](repeating: 0, count: 1 << 20)
        while at < size {
            let count = pread(descriptor, &block, block.count, off_t(at))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw IngestError(.unreadable, "\(PathText.shown(path)) cannot be read to stamp it.")
            }
            try input.take(count == block.count ? block : Array(block[..<count]))
            at += UInt64(count)
        }
    }
}
