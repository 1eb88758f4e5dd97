import Glibc

/// The time of day, for lines that say when something happened.
public enum WallClock {
    /// Seconds since 1970, to the microsecond.
    public static var text: String {
        // As two words: whether the fields have names depends on the order in which the compiler reads the files.
        let words = UnsafeMutableBufferPointer<Int64>.allocate(capacity: 2)
        defer { words.deallocate() }
        words.initialize(repeating: 0)
        let raw = UnsafeMutableRawBufferPointer(words)
        if let now = raw.baseAddress?.assumingMemoryBound(to: timespec.self) { clock_gettime(CLOCK_REALTIME, now) }
        return "\(words[0])." + String(String(1_000_000 + words[1] / 1000).dropFirst())
    }
}
