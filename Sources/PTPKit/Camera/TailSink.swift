import FilmgateCore
import Synchronization

/// Drops the first `offset` bytes and passes on the rest: resuming where the camera can only send whole objects.
final class TailSink: ByteSink {
    private let inner: any ByteSink
    private let drop: Mutex<UInt64>

    init(_ inner: any ByteSink, after offset: UInt64) {
        self.inner = inner
        drop = Mutex(offset)
    }

    func write(_ bytes: RawSpan) throws(IngestError) {
        let skipped = drop.withLock { left in
            let count = min(left, UInt64(bytes.byteCount))
            left -= count
            return Int(count)
        }
        if skipped < bytes.byteCount { try inner.write(bytes.extracting(skipped...)) }
    }
}
