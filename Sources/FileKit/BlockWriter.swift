import CLinux
import FilmgateCore
import Glibc

/// Writes a new file of known size, block by block.
///
/// The body of a larger file goes past the page cache where that is known to work well: a third of the processor time
/// of a buffered write, and a card of 64 GB does not push out everything else that this machine has in memory. The head
/// stays cached: it holds the metadata that the next step reads.
final class BlockWriter {
    private let file: OpenFile, size: UInt64
    /// The file is never longer than what has been written; else room for all of it may be part of it from the start.
    private let grows: Bool
    private var offset: UInt64 = 0
    private var isDirect = false

    /// Below this many bytes a file is written through the cache.
    static let threshold: UInt64 = 3 << 20
    /// What memory addresses, offsets and lengths must be multiples of; no disk asks for more.
    private static let alignment = 4096
    private static let ext4: UInt64 = 0xEF53, xfs: UInt64 = 0x5846_5342

    init(_ file: OpenFile, size: UInt64, grows: Bool = false) {
        (self.file, self.size, self.grows) = (file, size, grows)
    }

    func write(_ block: UnsafeRawBufferPointer) throws(IngestError) {
        if offset == UInt64(BufferPool.blockSize), size >= Self.threshold { try goDirect() }
        let even = isDirect ? block.count & ~(Self.alignment - 1) : 0
        if even > 0 { try direct(UnsafeRawBufferPointer(rebasing: block[..<even])) }
        if even < block.count {
            // The last bytes, or a source that reads in odd pieces: through the cache from here on.
            finish()
            try file.write(UnsafeRawBufferPointer(rebasing: block[even...]), of: size)
        }
        offset += UInt64(block.count)
    }

    /// Ends writing past the cache.
    func finish() {
        if isDirect { _ = fg_set_direct(file.descriptor, 0) }
        isDirect = false
    }

    private func goDirect() throws(IngestError) {
        let kind = withCPath(file.path) { fg_fs_type($0) }
        guard kind == Self.ext4 || kind == Self.xfs, fg_set_direct(file.descriptor, 1) == 0 else { return }
        isDirect = true
        // The room is taken in one piece, and a full disk says so now.
        // What a camera announces may be any number.
        let room = off_t(clamping: size)
        let code = grows ? fg_reserve(file.descriptor, room) : posix_fallocate(file.descriptor, 0, room)
        if code == ENOSPC || code == EDQUOT || code == EFBIG { throw .writing(file.path, code, size: size) }
    }

    private func direct(_ block: UnsafeRawBufferPointer) throws(IngestError) {
        do throws(IngestError) {
            try file.write(block, of: size)
        } catch {
            guard (error.cause as? SystemFailure)?.code == EINVAL else { throw error }
            finish()
            guard lseek(file.descriptor, off_t(offset), SEEK_SET) >= 0 else {
                throw .writing(file.path, errno, size: size)
            }
            try file.write(block, of: size)
        }
    }
}
