import Glibc
import Synchronization

/// Page-aligned memory for blocks on their way, kept for reuse: as many as were in use at once lately, however many
/// files pass.
final class BufferPool: Sendable {
    /// Bytes per block.
    static let blockSize = 1 << 20
    static let shared = BufferPool()

    private struct Blocks {
        // Addresses as numbers: a raw pointer is not Sendable, and nobody else holds these.
        var free: [UInt] = []
        /// How many were free at once, at least, since `shrink`.
        var idle = 0
    }
    private let blocks = Mutex(Blocks())

    /// How many blocks wait for their next use.
    var freeCount: Int { blocks.withLock(\.free.count) }

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
        let kept = blocks.withLock { blocks in
            let block = blocks.free.popLast()
            blocks.idle = min(blocks.idle, blocks.free.count)
            return block
        }
        return kept.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
            ?? .allocate(byteCount: Self.blockSize, alignment: 4096)
    }

    /// Takes back what `take` gave.
    func give(_ block: UnsafeMutableRawPointer) { blocks.withLock { $0.free.append(UInt(bitPattern: block)) } }

    /// Frees the blocks that nobody has needed since the call before: what one busy minute took does not stay for days.
    func shrink() {
        let idle = blocks.withLock { blocks in
            let idle = blocks.free.prefix(blocks.idle)
            blocks.free.removeFirst(idle.count)
            blocks.idle = blocks.free.count
            return idle
        }
        for block in idle { UnsafeMutableRawPointer(bitPattern: block)?.deallocate() }
    }
}
