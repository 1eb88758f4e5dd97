import FilmgateCore
import Glibc

/// Reads an open file from its start, block by block, through patience with a failing card.
struct BlockReader: Sendable {
    /// What lengths of reads past the cache must be multiples of.
    private static let page = 4096
    /// Milliseconds to wait before each further try of a block that gave an input/output error.
    var waits: [UInt32] = [50, 200, 800]
    /// `pread`; tests put a failing card here.
    ///
    /// Returns the count, or a negative errno.
    var read: @Sendable (Int32, UnsafeMutableRawBufferPointer, UInt64) -> Int = { descriptor, block, offset in
        let count = pread(descriptor, block.baseAddress, block.count, off_t(offset))
        return count < 0 ? -Int(errno) : count
    }

    /// Passes the bytes of `file` to `body` in order, until its end or `size` bytes were read, and returns their count.
    ///
    /// At most `step` bytes at once: what is only hashed stays in the processor's cache with small ones.
    func blocks(
        of file: OpenFile, upTo size: UInt64, step: Int = BufferPool.blockSize, cancelled: @Sendable () -> Bool,
        _ body: (UnsafeRawBufferPointer) throws(IngestError) -> Void
    ) throws(IngestError) -> UInt64 {
        try BufferPool.shared.withBlock { block throws(IngestError) in
            let block = UnsafeMutableRawBufferPointer(rebasing: block[..<min(step, block.count)])
            var offset: UInt64 = 0
            let progressSignal = ProgressSignal.current
            while offset < size {
                if cancelled() { throw IngestError(.cancelled, "Stopped while reading \(shown(file.path)).") }
                // One byte more than is left, so that a file that grew is found out; and no more pages than that:
                // reading past the cache keeps all that it is given in memory.
                let pages = (size - offset) / UInt64(Self.page) + 1
                let left = pages < UInt64(block.count / Self.page) ? Int(pages) * Self.page : block.count
                let count = try next(
                    of: file, at: offset, into: UnsafeMutableRawBufferPointer(rebasing: block[..<left]))
                if count == 0 { break }
                try body(UnsafeRawBufferPointer(rebasing: block[..<count]))
                offset += UInt64(count)
                progressSignal?.note()
            }
            return offset
        }
    }

    private func next(
        of file: OpenFile, at offset: UInt64, into block: UnsafeMutableRawBufferPointer
    ) throws(IngestError) -> Int {
        var tries = 0
        while true {
            let count = read(file.descriptor, block, offset)
            if count >= 0 { return count }
            let code = Int32(-count)
            if code == EINTR { continue }
            guard code == EIO, tries < waits.count else { throw .reading(file.path, code) }
            usleep(waits[tries] * 1000)
            tries += 1
        }
    }
}
