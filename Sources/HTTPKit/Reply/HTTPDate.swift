import CCurl
import Glibc

/// The dates of HTTP headers, in all three forms of RFC 9110 §5.6.7.
enum HTTPDate {
    /// Seconds since 1970; nil when it is no date.
    static func unixSeconds(_ text: String) -> Int? {
        let seconds = curl_getdate(text, nil)
        return seconds == -1 ? nil : seconds
    }

    static var now: Int { time(nil) }
}
