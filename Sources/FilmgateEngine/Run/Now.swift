import Glibc

/// The wall clock, as the ledger writes it.
enum Now {
    /// Nanoseconds since 1970.
    static var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
