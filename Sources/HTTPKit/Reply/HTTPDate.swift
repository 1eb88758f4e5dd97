import CCurl
import Glibc

/// The dates of HTTP headers (RFC 9110 §5.6.7).
public enum HTTPDate {
    /// Seconds since 1970, from any of the three forms; nil when it is no date.
    public static func unixSeconds(_ text: String) -> Int? {
        let seconds = curl_getdate(text, nil)
        return seconds == -1 ? nil : seconds
    }

    /// The form that is sent: `Sun, 06 Nov 1994 08:49:37 GMT`.
    public static func text(unixSeconds: Int) -> String {
        var seconds = unixSeconds, parts = tm(), buffer = [CChar](repeating: 0, count: 40)
        gmtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        // The names of days and months are English whatever the locale.
        strftime(&buffer, buffer.count, "%Y %H:%M:%S GMT", &parts)
        let tail = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let day = parts.tm_mday < 10 ? "0\(parts.tm_mday)" : "\(parts.tm_mday)"
        return "\(days[Int(parts.tm_wday)]), \(day) \(months[Int(parts.tm_mon)]) \(tail)"
    }

    /// The wall clock, in seconds since 1970.
    public static var now: Int { time(nil) }
}
