import Dispatch
import FilmgateCore
import Synchronization

/// Hashes and writes blocks on threads of their own, side by side, so that whoever brings the bytes fetches the next
/// ones meanwhile.
///
/// At most `depth` blocks are under way; a lender of more waits. For one bringer at a time.
final class WriteBehind: Sendable {
    /// Memory for one block; goes back to the stock when the last one who works on it lets go.
    final class Block: Sendable {
        // As a number: a raw pointer is not Sendable. Filled by one thread, and only read once it has been added.
        private let address: UInt
        private let room: DispatchSemaphore

        fileprivate init(_ room: DispatchSemaphore) {
            self.room = room
            address = UInt(bitPattern: BufferPool.shared.take())
        }

        deinit {
            if let memory = UnsafeMutableRawPointer(bitPattern: address) { BufferPool.shared.give(memory) }
            room.signal()
        }

        var bytes: UnsafeMutableRawBufferPointer {
            UnsafeMutableRawBufferPointer(
                start: UnsafeMutableRawPointer(bitPattern: address), count: BufferPool.blockSize)
        }
    }
    private static let depth = 4
    private let room = DispatchSemaphore(value: depth)
    private let hashing = SerialQueue(), writing = SerialQueue()
    private let hasher: Mutex<MultiHasher>, writer: Mutex<BlockWriter>
    private let failure = Mutex<IngestError?>(nil)

    /// `hasher` may have taken the beginning of the file already.
    init(_ writer: sending BlockWriter, _ hasher: consuming sending MultiHasher) {
        self.writer = Mutex(writer)
        self.hasher = Mutex(hasher)
    }

    /// The SHA-256 of what had been handed over at some moment, once all of it is written.
    struct SoFar: Sendable {
        fileprivate let behind: WriteBehind, digest: Digest

        fileprivate final class Digest: Sendable { let text = Mutex("") }

        /// Waits for the writing; throws what it came to.
        func sha256() throws(IngestError) -> String {
            behind.hashing.waitForAll()
            behind.writing.waitForAll()
            if let failure = behind.failure.withLock({ $0 }) { throw failure }
            return digest.text.withLock { $0 }
        }
    }

    /// Marks the place between the last block and the next; not to be called while one is handed over.
    func soFar() -> SoFar {
        let digest = SoFar.Digest()
        hashing.add { digest.text.withLock { $0 = self.hasher.withLock { $0.sha256Now } } }
        return SoFar(behind: self, digest: digest)
    }

    /// Memory to fill; waits until one of the blocks under way is done.
    func lend() -> Block {
        room.wait()
        return Block(room)
    }

    /// Hands over the first `count` bytes of a block.
    ///
    /// Throws what writing an earlier one came to.
    func add(_ block: Block, _ count: Int) throws(IngestError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
        hashing.add { self.hash(block, count) }
        writing.add { self.write(block, count) }
    }

    /// The digests, once everything is written.
    ///
    /// `last` is what is left in the current block; a file that is no longer than that is done here and now.
    func finish(
        _ last: Block?, _ count: Int, isOnly: Bool
    ) throws(IngestError) -> (digests: Digests, mayHoldZeros: Bool) {
        if let last, isOnly {
            hash(last, count)
            write(last, count)
        } else {
            if let last { try add(last, count) }
            hashing.waitForAll()
            writing.waitForAll()
        }
        writer.withLock { $0.finish() }
        if let failure = failure.withLock({ $0 }) { throw failure }
        return hasher.withLock { hasher in
            var taken = MultiHasher()
            swap(&taken, &hasher)
            let mayHoldZeros = taken.mayHoldZeros
            return (taken.finish(), mayHoldZeros)
        }
    }

    private func hash(_ block: Block, _ count: Int) {
        hasher.withLock { $0.update(UnsafeRawBufferPointer(rebasing: block.bytes[..<count])) }
    }

    private func write(_ block: Block, _ count: Int) {
        guard failure.withLock({ $0 == nil }) else { return }
        let error = writer.withLock { writer -> IngestError? in
            do throws(IngestError) { try writer.write(UnsafeRawBufferPointer(rebasing: block.bytes[..<count])) } catch {
                return error
            }
            return nil
        }
        if let error { failure.withLock { $0 = error } }
    }
}
