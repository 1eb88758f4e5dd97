public import FilmgateCore
import Synchronization

/// Keeps what is fetched.
public final class MemorySink: RereadableSink {
    private let state = Mutex<[UInt8]>([])
    public init() {}
    public func write(_ bytes: RawSpan) throws(IngestError) {
        state.withLock { all in bytes.withUnsafeBytes { all.append(contentsOf: $0) } }
    }
    public var bytes: [UInt8] { state.withLock { $0 } }
    public func bytes(in range: Range<UInt64>) -> [UInt8] {
        state.withLock { Array($0[min($0.count, Int(range.lowerBound))..<min($0.count, Int(range.upperBound))]) }
    }
}
