import FilmgateCore
import Synchronization

/// Knows how far an object has come, so that a transfer goes on there after the connection broke.
final class CountingSink: ByteSink {
    private let inner: any ByteSink
    private let count: Mutex<UInt64>

    init(_ inner: any ByteSink, from offset: UInt64) {
        self.inner = inner
        count = Mutex(offset)
    }

    var position: UInt64 { count.withLock { $0 } }

    func write(_ bytes: RawSpan) throws(IngestError) {
        try inner.write(bytes)
        count.withLock { $0 += UInt64(bytes.byteCount) }
    }
}
