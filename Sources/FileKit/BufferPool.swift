import Glibc
import Synchronization

/// Page-aligned memory for blocks on their way, kept for reuse: as many as ever were in use at once, however many files pass.
final class BufferPool: Sendable {
    /// Bytes per block.
    static let blockSize = 1 << 20
    static let shared = BufferPool()

    // Addresses as numbers: a raw pointer is not Sendable, and nobody else holds these.
    private let free = Mutex<[UInt]>([])

    /// Lends a block for the time of `body`; its contents are whatever the last user left.
    func withBlock<Value, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let block = take()
        defer { give(block) }
        return try body(UnsafeMutableRawBufferPointer(start: block, count: Self.blockSize))
    }

    /// A block to keep until `give`.
    func take() -> UnsafeMutableRawPointer {
        let kept = free.withLock { $0.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
        return kept ?? .allocate(byteCount: Self.blockSize, alignment: 4096)
    }

    /// Takes back what `take` gave.
    func give(_ block: UnsafeMutableRawPointer) { free.withLock { $0.append(UInt(bitPattern: block)) } }
}
