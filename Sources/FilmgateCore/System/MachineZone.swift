import Glibc

/// The zone of this machine's wall clock (TZ, /etc/localtime).
enum MachineZone {
    /// Seconds by which that clock is ahead of UTC at an instant (seconds since 1970); 0 where the system cannot say.
    static func offset(at seconds: Int64) -> Int64 {
        var time = time_t(seconds), local = tm()
        return localtime_r(&time, &local) == nil ? 0 : Int64(local.tm_gmtoff)
    }
}
