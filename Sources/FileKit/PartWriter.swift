public import FilmgateCore
import Glibc
import Synchronization

/// Bytes from a camera on their way into a `.part` file: written, hashed and counted as they come.
///
/// Gathers them in blocks that are hashed and written by others, so that a fast source is hardly held up. For one
/// writer at a time.
public final class PartWriter: ByteSink {
    private struct State {
        var block: WriteBehind.Block?
        var filled = 0, count: UInt64 = 0
        var isFinished = false, mayHoldZeros = true
    }
    private let file: OpenFile
    private let behind: WriteBehind
    private let state: Mutex<State>
    /// What flushing came to that failed.
    private let failure = Mutex<IngestError?>(nil)
    private let flush: FlushData

    typealias FlushData = @Sendable (OpenFile) throws(IngestError) -> Void
    private static let toDisk: FlushData = { file throws(IngestError) in try Flush.data(of: file) }

    /// Creates `part`, replacing what a crashed run left there.
    ///
    /// `size` is how many bytes are expected; 0 where nobody knows.
    public convenience init(
        _ part: String, algorithms: Set<DigestAlgorithm> = [], size: UInt64 = 0
    ) throws(IngestError) {
        try self.init(part, algorithms: algorithms, size: size, flush: Self.toDisk)
    }

    /// `flush` is another one in tests.
    init(
        _ part: String, algorithms: Set<DigestAlgorithm> = [], size: UInt64 = 0, flush: @escaping FlushData
    ) throws(IngestError) {
        self.flush = flush
        file = try OpenFile.creating(part)
        behind = WriteBehind(BlockWriter(file, size: size, grows: true), MultiHasher(algorithms))
        state = Mutex(State())
    }

    /// Goes on writing `part` behind `checkpoint`; what lies beyond is cut off, what lies before is read and hashed.
    ///
    /// Blocks for as long as reading takes. `corruptData` when the disk does not hold what the checkpoint says.
    public init(
        resuming part: String, at checkpoint: PartJournal.Checkpoint, algorithms: Set<DigestAlgorithm> = [],
        cancelled: @Sendable () -> Bool = { false }
    ) throws(IngestError) {
        flush = Self.toDisk
        file = try OpenFile.extending(part)
        guard try file.facts().size >= checkpoint.offset else {
            throw IngestError(
                .corruptData, "\(shown(part)) is shorter than the \(checkpoint.offset) bytes that were written to it.")
        }
        try file.cut(to: checkpoint.offset)
        var hasher = MultiHasher(algorithms)
        let count = try BlockReader().blocks(of: file, upTo: checkpoint.offset, cancelled: cancelled) {
            block throws(IngestError) in
            hasher.update(block)
        }
        guard count == checkpoint.offset, hasher.sha256Now == checkpoint.sha256 else {
            throw IngestError(.corruptData, "\(shown(part)) does not hold the bytes that were written to it.")
        }
        // Through the cache: what is written past it must begin at even places.
        behind = WriteBehind(BlockWriter(file, size: 0, grows: true), hasher)
        state = Mutex(State(count: count))
    }

    /// Bytes taken so far: where a fetch that was cut off goes on.
    public var count: UInt64 { state.withLock { $0.count } }

    /// False, once it is finished: nowhere 64 KiB in a row are zeros.
    public var mayHoldZeros: Bool { state.withLock { $0.mayHoldZeros } }

    /// Some of the bytes that lie in the file; fewer at the end, and where they have not been written yet.
    ///
    /// Blocks for the disk.
    public func bytes(in range: Range<UInt64>) throws(IngestError) -> [UInt8] {
        // The file itself may be open for writing past the cache, which reads nothing at odd places.
        try OpenFile.reading(file.path).file.bytes(in: range)
    }

    /// Copies the bytes.
    ///
    /// Throws also what writing earlier ones came to.
    public func write(_ bytes: RawSpan) throws(IngestError) {
        try bytes.withUnsafeBytes { bytes throws(IngestError) in
            try state.withLock { state throws(IngestError) in try gather(bytes, &state) }
        }
    }

    private func gather(_ bytes: UnsafeRawBufferPointer, _ state: inout State) throws(IngestError) {
        var done = 0
        while done < bytes.count {
            let block = state.block ?? behind.lend()
            let memory = block.bytes
            let count = min(bytes.count - done, memory.count - state.filled)
            if let to = memory.baseAddress, let from = bytes.baseAddress {
                memcpy(to + state.filled, from + done, count)
            }
            (done, state.filled, state.block) = (done + count, state.filled + count, block)
            if state.filled == memory.count {
                (state.block, state.filled) = (nil, 0)
                try behind.add(block, memory.count)
            }
        }
        state.count += UInt64(bytes.count)
    }

    /// How far the bytes are durable now: all full blocks that were there when it was called; nil where there is none,
    /// and after `finish`.
    ///
    /// Blocks for the disk; writing goes on meanwhile.
    func settled() throws(IngestError) -> PartJournal.Checkpoint? {
        let (offset, soFar) = state.withLock { state -> (UInt64, WriteBehind.SoFar?) in
            // Between two blocks, so that what was hashed and what was written are the same.
            let offset = state.count - UInt64(state.filled)
            return (offset, state.isFinished || offset == 0 ? nil : behind.soFar())
        }
        guard let sha256 = try soFar?.sha256() else { return nil }
        try makeDurable()
        return PartJournal.Checkpoint(offset: offset, sha256: sha256)
    }

    /// Sets the modification time (nanoseconds since 1970; nil = leave it) and makes the bytes durable.
    ///
    /// Call it once, at the end. Throws also what an earlier checkpoint came to.
    public func finish(modified: Int64?) throws(IngestError) -> (size: UInt64, digests: Digests) {
        let (block, filled, count) = state.withLock { state in
            defer { (state.block, state.isFinished) = (nil, true) }
            return (state.block, state.filled, state.count)
        }
        let (digests, mayHoldZeros) = try behind.finish(block, filled, isOnly: count == UInt64(filled))
        state.withLock { $0.mayHoldZeros = mayHoldZeros }
        if let modified { file.setModified(modified) }
        try makeDurable()
        return (count, digests)
    }

    /// The system tells a failure once, and counts what it could not write as written: no later flush makes up for one
    /// that failed.
    private func makeDurable() throws(IngestError) {
        try failure.withLock { failure throws(IngestError) in
            if let failure { throw failure }
            do throws(IngestError) { try flush(file) } catch {
                failure = error
                throw error
            }
        }
    }
}
