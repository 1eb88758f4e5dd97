import Glibc

/// The time of day, as receipts, the ledger and printed lines have it; it may jump, so nothing that waits goes by it.
public enum WallClock {
    /// Nanoseconds since 1970.
    public static var nanoseconds: Int64 {
        // As two words: whether the fields of a timespec have names depends on the order in which the compiler reads
        // the files.
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: 2) { words in
            words.initialize(repeating: 0)
            let now = UnsafeMutableRawBufferPointer(words).baseAddress?.assumingMemoryBound(to: timespec.self)
            if let now { clock_gettime(CLOCK_REALTIME, now) }
            return words[0] * 1_000_000_000 + words[1]
        }
    }

    /// Seconds since 1970.
    public static var seconds: Int { Int(nanoseconds / 1_000_000_000) }

    /// Seconds since 1970, to the microsecond.
    public static var text: String {
        let now = nanoseconds
        return "\(now / 1_000_000_000)." + String(String(1_000_000 + now % 1_000_000_000 / 1000).dropFirst())
    }
}
