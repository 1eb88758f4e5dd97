import FilmgateCore

/// A rule for all years to come, as time zone files end with: `CET-1CEST,M3.5.0,M10.5.0/3` (POSIX.1 `TZ`, extended by
/// RFC 9636).
struct PosixZone: Sendable, Hashable {
    enum Day: Sendable, Hashable {
        /// Day of the year from 1, February 29 never counted.
        case julian(Int)
        /// Day of the year from 0.
        case ordinal(Int)
        /// The nth (5 = last) weekday (0 = Sunday) of a month.
        case weekday(month: Int, week: Int, day: Int)
    }
    struct Change: Sendable, Hashable { var day: Day, time: Int }

    /// Seconds east of UTC.
    let standard: Int, summer: Int
    /// Nil where the clocks are never changed.
    let start: Change?, end: Change?

    init?(_ text: String) {
        var scanner = PosixScanner(text)
        guard scanner.skipName(), let standard = scanner.offset() else { return nil }
        self.standard = -standard
        if scanner.isAtEnd {
            (summer, start, end) = (-standard, nil, nil)
            return
        }
        guard scanner.skipName() else { return nil }
        summer = scanner.peek == "," ? -standard + 3600 : scanner.offset().map { -$0 } ?? -standard + 3600
        guard scanner.skip(","), let first = scanner.change(), scanner.skip(","), let second = scanner.change(),
            scanner.isAtEnd
        else {
            return nil
        }
        (start, end) = (first, second)
    }

    /// Seconds east of UTC at an instant.
    func offset(at unixSeconds: Int64) -> Int {
        guard let start, let end, let local = CivilTime(unixSeconds: unixSeconds, offsetMinutes: 0) else {
            return standard
        }
        let year = (CivilTime(unixSeconds: unixSeconds + Int64(standard), offsetMinutes: 0) ?? local).year
        guard let from = Self.seconds(start, year), let to = Self.seconds(end, year) else { return standard }
        let begins = from - Int64(standard), ends = to - Int64(summer)
        let isSummer = begins < ends ? (begins..<ends).contains(unixSeconds) : !(ends..<begins).contains(unixSeconds)
        return isSummer ? summer : standard
    }

    /// When a change falls in `year`, in seconds since 1970 of the local clock.
    private static func seconds(_ change: Change, _ year: Int) -> Int64? {
        guard let newYear = CivilTime(year: year, month: 1, day: 1)?.civilSeconds else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days: Int
        switch change.day {
        case .julian(let day): days = day - 1 + (isLeap && day >= 60 ? 1 : 0)
        case .ordinal(let day): days = day
        case .weekday(let month, let week, let day):
            guard let first = CivilTime(year: year, month: month, day: 1)?.civilSeconds else { return nil }
            let firstDay = Int(first / 86_400)
            // 1970-01-01 was a Thursday.
            let weekday = ((firstDay + 4) % 7 + 7) % 7
            var date = (day - weekday + 7) % 7 + (week - 1) * 7
            while CivilTime(year: year, month: month, day: date + 1) == nil { date -= 7 }
            return Int64(firstDay + date) * 86_400 + Int64(change.time)
        }
        return newYear + Int64(days) * 86_400 + Int64(change.time)
    }
}

/// Walks over a `TZ` text; every step returns nil or false where the text is not as it should be.
struct PosixScanner {
    private let bytes: [UInt8]
    private var at = 0

    init(_ text: String) { bytes = Array(text.utf8.prefix(256)) }

    var isAtEnd: Bool { at == bytes.count }
    var peek: Unicode.Scalar? { at < bytes.count ? Unicode.Scalar(bytes[at]) : nil }

    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        at += 1
        return true
    }

    /// `CET` or `<+03>`.
    mutating func skipName() -> Bool {
        let start = at
        if skip("<") {
            while let next = peek, next != ">" { at += 1 }
            return skip(">")
        }
        while let next = peek, next.properties.isAlphabetic { at += 1 }
        return at - start >= 3
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    mutating func offset() -> Int? {
        let negative = skip("-")
        if !negative { _ = skip("+") }
        guard let hours = number(max: 167) else { return nil }
        var seconds = hours * 3600
        for unit in [60, 1] where skip(":") {
            guard let part = number(max: 59) else { return nil }
            seconds += part * unit
        }
        return negative ? -seconds : seconds
    }

    mutating func change() -> PosixZone.Change? {
        guard let day = day() else { return nil }
        guard skip("/") else { return PosixZone.Change(day: day, time: 7200) }
        return offset().map { PosixZone.Change(day: day, time: $0) }
    }

    private mutating func day() -> PosixZone.Day? {
        if skip("J") { return number(max: 365).flatMap { $0 > 0 ? .julian($0) : nil } }
        guard skip("M") else { return number(max: 365).map { .ordinal($0) } }
        guard let month = number(max: 12), month > 0, skip("."), let week = number(max: 5), week > 0, skip("."),
            let day = number(max: 6)
        else {
            return nil
        }
        return .weekday(month: month, week: week, day: day)
    }

    private mutating func number(max: Int) -> Int? {
        var value = 0, digits = 0
        while digits < 4, let next = peek, ("0"..."9").contains(next) {
            value = value * 10 + Int(next.value - 0x30)
            (at, digits) = (at + 1, digits + 1)
        }
        return digits > 0 && value <= max ? value : nil
    }
}
