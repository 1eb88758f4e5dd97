import FilmgateCore

extension CivilTime {
    /// Reads `2026:05:01 12:30:05`, with any single separators (Exif), ISO 8601 (`2026-05-01T12:30:05.25+02:00`,
    /// seconds optional) and what cameras make of them.
    ///
    /// Nil when a field is missing or out of range, as in `0000:00:00 00:00:00`.
    init?(text: some StringProtocol) {
        var scan = FieldScan(text.utf8)
        guard let year = scan.number(digits: 4), year >= 1000, scan.skipSeparator(), let month = scan.number(),
            scan.skipSeparator(),
            let day = scan.number(), scan.skipSeparator(), let hour = scan.number(), scan.skipSeparator(),
            let minute = scan.number()
        else { return nil }
        var second = 0, nanosecond: Int?
        if scan.skip(0x3A) || scan.skip(0x2E) || scan.skip(0x20) {
            guard let value = scan.number() else { return nil }
            second = value
            if scan.skip(0x2E) { nanosecond = scan.fraction() }
        }
        self.init(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, nanosecond: nanosecond,
            offsetMinutes: scan.offset())
    }

    /// Minutes east of UTC of `+02:00`, `-0330`, `Z`; nil for anything else.
    static func offset(text: some StringProtocol) -> Int? {
        var scan = FieldScan(text.utf8)
        return scan.offset()
    }

    /// Nanoseconds of an Exif SubSecTime: the digits behind the decimal point.
    static func fraction(text: some StringProtocol) -> Int? {
        var scan = FieldScan(text.utf8)
        return scan.fraction()
    }
}

/// Takes numbers off the front of a short text.
private struct FieldScan {
    private var rest: [UInt8].SubSequence

    init(_ text: some Sequence<UInt8>) { rest = Array(text.prefix(64))[...].drop { $0 == 0x20 } }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    /// One of `:` `-` `/` `.` `T` or a run of blanks.
    mutating func skipSeparator() -> Bool {
        guard let byte = rest.first, [0x3A, 0x2D, 0x2F, 0x2E, 0x54, 0x20].contains(byte) else { return false }
        rest.removeFirst()
        rest = rest.drop { $0 == 0x20 }
        return true
    }

    mutating func number(digits limit: Int = 2) -> Int? {
        var value = 0, taken = 0
        while taken < limit, let byte = rest.first, (0x30...0x39).contains(byte) {
            value = value * 10 + Int(byte - 0x30)
            taken += 1
            rest.removeFirst()
        }
        return taken > 0 ? value : nil
    }

    mutating func fraction() -> Int? {
        var value = 0, unit = 100_000_000, taken = 0
        while let byte = rest.first, (0x30...0x39).contains(byte) {
            value += Int(byte - 0x30) * unit
            unit /= 10
            taken += 1
            rest.removeFirst()
        }
        return taken > 0 ? value : nil
    }

    mutating func offset() -> Int? {
        rest = rest.drop { $0 == 0x20 }
        if skip(0x5A) { return 0 }
        let negative = rest.first == 0x2D
        guard skip(0x2B) || skip(0x2D), let hours = number() else { return nil }
        _ = skip(0x3A)
        let minutes = number() ?? 0
        guard hours <= 15, minutes < 60 else { return nil }
        return (negative ? -1 : 1) * (hours * 60 + minutes)
    }
}
