public import FilmgateCore

/// Dates as PTP writes them: `YYYYMMDDThhmmss`, then perhaps `.s`, `Z` or `±hhmm` (ISO 15740 §5.3.5.2).
public enum PTPDate {
    /// Nil unless the fixed part is well formed; whatever follows the known suffixes is ignored.
    ///
    /// No suffix means an unknown zone.
    public static func parse(_ text: String) -> CivilTime? {
        let bytes = Array(text.utf8.prefix(40))
        guard bytes.count >= 15, bytes[8] == UInt8(ascii: "T") else { return nil }
        guard let year = number(bytes[0..<4]), let month = number(bytes[4..<6]), let day = number(bytes[6..<8]),
            let hour = number(bytes[9..<11]), let minute = number(bytes[11..<13]), let second = number(bytes[13..<15])
        else { return nil }
        let (nanosecond, rest) = fraction(bytes[15...])
        return CivilTime(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, nanosecond: nanosecond,
            offsetMinutes: zone(rest))
    }

    public static func format(_ time: CivilTime) -> String {
        let date = padded(time.year, 4) + padded(time.month, 2) + padded(time.day, 2)
        let clock = padded(time.hour, 2) + padded(time.minute, 2) + padded(time.second, 2)
        guard let offset = time.offsetMinutes else { return "\(date)T\(clock)" }
        if offset == 0 { return "\(date)T\(clock)Z" }
        return "\(date)T\(clock)\(offset < 0 ? "-" : "+")\(padded(abs(offset) / 60, 2))\(padded(abs(offset) % 60, 2))"
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int(digit - 0x30)
        }
        return digits.isEmpty ? nil : value
    }

    private static func fraction(_ bytes: ArraySlice<UInt8>) -> (nanosecond: Int?, rest: ArraySlice<UInt8>) {
        guard bytes.first == UInt8(ascii: ".") else { return (nil, bytes) }
        let digits = bytes.dropFirst().prefix(9).prefix { (0x30...0x39).contains($0) }
        guard var value = number(digits) else { return (nil, bytes.dropFirst()) }
        for _ in digits.count..<9 { value *= 10 }
        return (value, bytes.dropFirst(1 + digits.count))
    }

    private static func zone(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let sign = bytes.first else { return nil }
        if sign == UInt8(ascii: "Z") { return 0 }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let digits = bytes.dropFirst().filter { $0 != UInt8(ascii: ":") }.prefix(4)
        guard digits.count == 4, let hours = number(digits.prefix(2)), let minutes = number(digits.suffix(2)),
            hours <= 18, minutes < 60
        else { return nil }
        let offset = hours * 60 + minutes
        return abs(offset) <= 1080 ? (sign == UInt8(ascii: "-") ? -offset : offset) : nil
    }
}
