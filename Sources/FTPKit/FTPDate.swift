import Glibc

/// A time as FTP writes it, in UTC.
struct FTPDate {
    let year: Int, month: Int, day: Int
    /// `YYYYMMDDhhmmss` (RFC 3659 §2.3).
    let stamp: String

    /// Nanoseconds since 1970.
    init(nanoseconds: Int64) {
        var seconds = time_t(nanoseconds / 1_000_000_000), parts = tm()
        gmtime_r(&seconds, &parts)
        (year, month, day) = (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        stamp =
            "\(year)\(two(month))\(two(day))"
            + [parts.tm_hour, parts.tm_min, parts.tm_sec].map { two(Int($0)) }.joined()
    }
}
