/// A time as a camera writes it: calendar fields, perhaps a fraction and perhaps an offset from UTC, never an instant
/// by itself.
///
/// Exif 2.32 §4.6.5 (DateTimeOriginal, SubSecTimeOriginal, OffsetTimeOriginal). The proleptic Gregorian calendar is
/// assumed.
public struct CivilTime: Sendable, Hashable {
    // Every file of a card has several of them in memory: 16 bytes each instead of 80.
    private var storedNanosecond: Int32
    private var storedYear: Int16, storedOffset: Int16
    private var storedMonth: UInt8, storedDay: UInt8, storedHour: UInt8, storedMinute: UInt8, storedSecond: UInt8

    public var year: Int {
        get { Int(storedYear) }
        set { storedYear = Int16(clamping: newValue) }
    }
    public var month: Int {
        get { Int(storedMonth) }
        set { storedMonth = UInt8(clamping: newValue) }
    }
    public var day: Int {
        get { Int(storedDay) }
        set { storedDay = UInt8(clamping: newValue) }
    }
    public var hour: Int {
        get { Int(storedHour) }
        set { storedHour = UInt8(clamping: newValue) }
    }
    public var minute: Int {
        get { Int(storedMinute) }
        set { storedMinute = UInt8(clamping: newValue) }
    }
    public var second: Int {
        get { Int(storedSecond) }
        set { storedSecond = UInt8(clamping: newValue) }
    }
    /// Fraction of the second in nanoseconds; nil where the camera wrote none.
    public var nanosecond: Int? {
        get { storedNanosecond < 0 ? nil : Int(storedNanosecond) }
        set { storedNanosecond = newValue.map { Int32(clamping: max(0, $0)) } ?? -1 }
    }
    /// Minutes east of UTC; nil where unknown.
    public var offsetMinutes: Int? {
        get { storedOffset == .min ? nil : Int(storedOffset) }
        set { storedOffset = newValue.map { max(-Int16.max, Int16(clamping: $0)) } ?? .min }
    }

    /// Nil unless every field is in its range (year 1…9999, second 0…60, offset within ±18 h).
    public init?(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, nanosecond: Int? = nil,
        offsetMinutes: Int? = nil
    ) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
            nanosecond.map({ (0..<1_000_000_000).contains($0) }) ?? true,
            offsetMinutes.map({ (-1080...1080).contains($0) }) ?? true
        else { return nil }
        (storedYear, storedMonth, storedDay) = (Int16(year), UInt8(month), UInt8(day))
        (storedHour, storedMinute, storedSecond) = (UInt8(hour), UInt8(minute), UInt8(second))
        (storedNanosecond, storedOffset) = (nanosecond.map { Int32($0) } ?? -1, offsetMinutes.map { Int16($0) } ?? .min)
    }

    /// The civil time at `unixSeconds` seen from `offsetMinutes` east of UTC (0 = UTC).
    ///
    /// Nil outside years 1…9999.
    public init?(unixSeconds: Int64, offsetMinutes: Int? = 0, nanosecond: Int? = nil) {
        let seconds: ClosedRange<Int64> = -100_000_000_000...300_000_000_000, offset = offsetMinutes ?? 0
        guard seconds.contains(unixSeconds), (-1080...1080).contains(offset) else { return nil }
        let local = unixSeconds + Int64(offset) * 60
        let days = Int((local >= 0 ? local : local - 86_399) / 86_400)
        let rest = Int(local - Int64(days) * 86_400)
        let (year, month, day) = Self.date(daysSince1970: days)
        self.init(
            year: year, month: month, day: day, hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60,
            nanosecond: nanosecond, offsetMinutes: offsetMinutes)
    }

    /// Seconds since 1970 as if the civil fields were UTC: for arithmetic and ordering, not an instant.
    public var civilSeconds: Int64 {
        Int64(Self.daysSince1970(year: year, month: month, day: day)) * 86_400
            + Int64(hour * 3600 + minute * 60 + second)
    }

    /// Seconds since 1970; nil where the offset is unknown.
    public var unixSeconds: Int64? { offsetMinutes.map { civilSeconds - Int64($0) * 60 } }

    /// The same time moved by `seconds`; fraction and offset stay.
    ///
    /// Nil outside years 1…9999.
    public func adding(seconds: Int64) -> CivilTime? {
        let (sum, overflow) = civilSeconds.addingReportingOverflow(seconds)
        guard !overflow, var moved = CivilTime(unixSeconds: sum, offsetMinutes: 0, nanosecond: nanosecond) else {
            return nil
        }
        moved.offsetMinutes = offsetMinutes
        return moved
    }
}

extension CivilTime {
    static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar.
    static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
    }
}

/// `value` in at least `width` decimal digits; values are never negative here.
@inlinable public func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return digits.count >= width ? digits : String(repeating: "0", count: width - digits.count) + digits
}
