public import FilmgateCore
import Glibc
import Synchronization

/// Bytes from a camera on their way into a `.part` file: written, hashed and counted as they come.
///
/// For one writer at a time.
public final class PartWriter: ByteSink {
    private struct State: ~Copyable {
        var hasher: MultiHasher
        var count: UInt64 = 0
    }
    private let file: OpenFile
    private let state: Mutex<State>

    /// Creates `part`, replacing what a crashed run left there.
    public init(_ part: String, algorithms: Set<DigestAlgorithm> = []) throws(IngestError) {
        file = try OpenFile.creating(part)
        state = Mutex(State(hasher: MultiHasher(algorithms)))
    }

    /// Bytes written so far: where a fetch that was cut off goes on.
    public var count: UInt64 { state.withLock { $0.count } }

    public func write(_ bytes: RawSpan) throws(IngestError) {
        try state.withLock { state throws(IngestError) in
            try file.write(bytes)
            state.hasher.update(bytes)
            state.count += UInt64(bytes.byteCount)
        }
    }

    /// Sets the modification time (nanoseconds since 1970; nil = leave it) and makes the bytes durable.
    ///
    /// Call it once, at the end; later writes would begin a new digest.
    public func finish(modified: Int64?) throws(IngestError) -> (size: UInt64, digests: Digests) {
        if let modified { file.setModified(modified) }
        try Flush.data(of: file)
        return state.withLock { state in
            var hasher = MultiHasher()
            swap(&hasher, &state.hasher)
            return (state.count, hasher.finish())
        }
    }
}
