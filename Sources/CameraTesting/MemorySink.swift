public import FilmgateCore
import Synchronization

/// Keeps what is fetched.
public final class MemorySink: ByteSink {
    private let state = Mutex<[UInt8]>([])
    public init() {}
    public func write(_ bytes: RawSpan) throws(IngestError) {
        state.withLock { all in bytes.withUnsafeBytes { all.append(contentsOf: $0) } }
    }
    public var bytes: [UInt8] { state.withLock { $0 } }
}
