import Glibc
import Synchronization

/// A bandwidth limit shared by all lanes of a transport: a bucket that fills at the limit and holds a quarter of a second's worth.
final class SendPace: Sendable {
    private struct Bucket { var tokens: Double, filled: ContinuousClock.Instant }
    private let rate: Double
    private let bucket: Mutex<Bucket>

    init(bytesPerSecond: UInt64) {
        rate = Double(max(1, bytesPerSecond))
        bucket = Mutex(Bucket(tokens: rate / 4, filled: .now))
    }

    /// Waits, blocking, until some of `count` bytes may go, and says how many.
    ///
    /// Only for a lane's own thread.
    func take(upTo count: Int, _ left: UInt64, stop: StopFlag) -> Int {
        let want = min(Double(count), max(1, rate / 8), Double(left))
        if want < 1 { return count }
        while !stop.isRaised {
            let missing = grant(want)
            if missing <= 0 { break }
            usleep(UInt32(min(0.1, missing / rate) * 1_000_000) + 1)
        }
        return Int(want)
    }

    /// Takes `want` when it is there; else says how much is missing.
    private func grant(_ want: Double) -> Double {
        bucket.withLock { bucket in
            let now = ContinuousClock.now, passed = now - bucket.filled
            let seconds = Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
            bucket.tokens = min(max(1, rate / 4), bucket.tokens + seconds * rate)
            bucket.filled = now
            if bucket.tokens >= want { bucket.tokens -= want; return 0 }
            return want - bucket.tokens
        }
    }
}

/// Raised from any thread to end a transfer.
final class StopFlag: Sendable {
    private let flag = Atomic(false)
    var isRaised: Bool { flag.load(ordering: .relaxed) }
    func raise() { flag.store(true, ordering: .relaxed) }
}
