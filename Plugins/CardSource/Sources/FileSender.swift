import FileKit
import FilmgateCore
import Glibc

/// Sends a file's bytes into a sink.
struct FileSender {
    private let path: String, promised: UInt64
    private static let block = 1 << 20

    /// `promised` = the size that the listing named.
    init(_ path: String, promised: UInt64) { (self.path, self.promised) = (path, promised) }

    /// Blocks for the disk.
    ///
    /// `corruptData` when the file ends early.
    func send(from start: UInt64, into sink: any ByteSink, cancelled: () -> Bool) throws(IngestError) {
        let descriptor = withCPath(path) { open($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .reading(path, errno) }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.block, alignment: 4096)
        defer { buffer.deallocate() }
        var offset = start
        while offset < promised {
            if cancelled() { throw IngestError(.cancelled, "Stopped while reading \(PathText.shown(path)).") }
            let wanted = Int(min(UInt64(buffer.count), promised - offset))
            let count = pread(descriptor, buffer.baseAddress, wanted, off_t(offset))
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw .reading(path, errno) }
            if count == 0 { break }
            try sink.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes)
            offset += UInt64(count)
        }
        guard offset == promised else {
            throw IngestError(
                .corruptData, "\(PathText.shown(path)) ends at byte \(offset), but \(promised) were listed.")
        }
    }
}
