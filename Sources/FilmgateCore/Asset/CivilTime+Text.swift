extension CivilTime: CustomStringConvertible {
    /// ISO 8601: `2026-05-01T12:30:05.25+02:00`, without an offset where none is known.
    public var description: String {
        // Written digit by digit: every line of JSON has several of them.
        String(unsafeUninitializedCapacity: 40) { bytes in
            var writer = Writer(bytes: bytes)
            writer.write(self)
            return writer.end
        }
    }

    private struct Writer {
        let bytes: UnsafeMutableBufferPointer<UInt8>
        var end = 0

        mutating func write(_ time: CivilTime) {
            put(time.year, 4)
            put("-")
            put(time.month, 2)
            put("-")
            put(time.day, 2)
            put("T")
            put(time.hour, 2)
            put(":")
            put(time.minute, 2)
            put(":")
            put(time.second, 2)
            if let nanosecond = time.nanosecond {
                put(".")
                put(nanosecond, 9)
                let first = end - 9
                while end - 1 > first, bytes[end - 1] == 0x30 { end -= 1 }
            }
            if let offset = time.offsetMinutes { put(offset: offset) }
        }

        private mutating func put(offset: Int) {
            if offset == 0 { return put("Z") }
            put(offset < 0 ? "-" : "+")
            put(abs(offset) / 60, 2)
            put(":")
            put(abs(offset) % 60, 2)
        }

        private mutating func put(_ mark: Unicode.Scalar) {
            bytes[end] = UInt8(ascii: mark)
            end += 1
        }

        private mutating func put(_ value: Int, _ digits: Int) {
            var rest = value
            for place in stride(from: end + digits - 1, through: end, by: -1) {
                bytes[place] = 0x30 + UInt8(rest % 10)
                rest /= 10
            }
            end += digits
        }
    }
}

extension CivilTime: LosslessStringConvertible {
    /// Reads what `description` writes: `2026-05-01T12:30:05`, with a fraction of 1 to 9 digits and with `Z` or
    /// `±hh:mm` where given.
    public init?(_ text: String) {
        var text = text
        let read: CivilTime?? = text.withUTF8 { bytes in
            var scanner = Scanner(bytes: bytes)
            return scanner.time()
        }
        guard case .some(.some(let time)) = read else { return nil }
        self = time
    }

    private struct Scanner {
        let bytes: UnsafeBufferPointer<UInt8>
        var index = 0

        mutating func time() -> CivilTime? {
            guard let year = digits(4), skip("-"), let month = digits(2), skip("-"), let day = digits(2), skip("T"),
                let hour = digits(2),
                skip(":"), let minute = digits(2), skip(":"), let second = digits(2)
            else { return nil }
            var nanosecond: Int?, offset: Int?
            if skip(".") {
                guard let fraction = fraction() else { return nil }
                nanosecond = fraction
            }
            if index < bytes.count {
                guard let minutes = minutesEast() else { return nil }
                offset = minutes
            }
            guard index == bytes.count else { return nil }
            return CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second, nanosecond: nanosecond,
                offsetMinutes: offset)
        }

        private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
            guard index < bytes.count, bytes[index] == UInt8(ascii: scalar) else { return false }
            index += 1
            return true
        }

        private mutating func digit() -> Int? {
            guard index < bytes.count, (0x30...0x39).contains(bytes[index]) else { return nil }
            defer { index += 1 }
            return Int(bytes[index] - 0x30)
        }

        private mutating func digits(_ count: Int) -> Int? {
            var value = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        private mutating func fraction() -> Int? {
            var value = 0, count = 0
            while count < 9, let digit = digit() { (value, count) = (value * 10 + digit, count + 1) }
            guard count > 0 else { return nil }
            for _ in count..<9 { value *= 10 }
            return value
        }

        private mutating func minutesEast() -> Int? {
            if skip("Z") { return 0 }
            let west = skip("-")
            guard west || skip("+"), let hours = digits(2), skip(":"), let minutes = digits(2), minutes < 60 else {
                return nil
            }
            return (west ? -1 : 1) * (hours * 60 + minutes)
        }
    }
}

extension CivilTime: Codable {
    private enum Key: String, CodingKey { case year, month, day, hour, minute, second, nanosecond, offsetMinutes }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let time = CivilTime(
            year: try values.decode(Int.self, forKey: .year), month: try values.decode(Int.self, forKey: .month),
            day: try values.decode(Int.self, forKey: .day), hour: try values.decode(Int.self, forKey: .hour),
            minute: try values.decode(Int.self, forKey: .minute), second: try values.decode(Int.self, forKey: .second),
            nanosecond: try values.decodeIfPresent(Int.self, forKey: .nanosecond),
            offsetMinutes: try values.decodeIfPresent(Int.self, forKey: .offsetMinutes))
        guard let time else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no such time"))
        }
        self = time
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        for (key, value) in [
            (Key.year, year), (.month, month), (.day, day), (.hour, hour), (.minute, minute), (.second, second),
        ] {
            try values.encode(value, forKey: key)
        }
        try values.encodeIfPresent(nanosecond, forKey: .nanosecond)
        try values.encodeIfPresent(offsetMinutes, forKey: .offsetMinutes)
    }
}
