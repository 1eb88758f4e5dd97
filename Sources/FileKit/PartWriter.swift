public import FilmgateCore
import Glibc
import Synchronization

/// Bytes from a camera on their way into a `.part` file: written, hashed and counted as they come.
///
/// Gathers them in blocks that are hashed and written by others, so that a fast source is hardly held up. For one writer at a time.
public final class PartWriter: ByteSink {
    private struct State {
        var block: WriteBehind.Block?
        var filled = 0, count: UInt64 = 0
    }
    private let file: OpenFile
    private let behind: WriteBehind
    private let state = Mutex(State())

    /// Creates `part`, replacing what a crashed run left there.
    ///
    /// `size` is how many bytes are expected; 0 where nobody knows.
    public init(_ part: String, algorithms: Set<DigestAlgorithm> = [], size: UInt64 = 0) throws(IngestError) {
        file = try OpenFile.creating(part)
        behind = WriteBehind(BlockWriter(file, size: size, grows: true), algorithms)
    }

    /// Bytes taken so far: where a fetch that was cut off goes on.
    public var count: UInt64 { state.withLock { $0.count } }

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
            if let to = memory.baseAddress, let from = bytes.baseAddress { memcpy(to + state.filled, from + done, count) }
            (done, state.filled, state.block) = (done + count, state.filled + count, block)
            if state.filled == memory.count {
                (state.block, state.filled) = (nil, 0)
                try behind.add(block, memory.count)
            }
        }
        state.count += UInt64(bytes.count)
    }

    /// Sets the modification time (nanoseconds since 1970; nil = leave it) and makes the bytes durable.
    ///
    /// Call it once, at the end.
    public func finish(modified: Int64?) throws(IngestError) -> (size: UInt64, digests: Digests) {
        let (block, filled, count) = state.withLock { state in
            defer { state.block = nil }
            return (state.block, state.filled, state.count)
        }
        let digests = try behind.finish(block, filled, isOnly: count == UInt64(filled))
        if let modified { file.setModified(modified) }
        try Flush.data(of: file)
        return (count, digests)
    }
}
