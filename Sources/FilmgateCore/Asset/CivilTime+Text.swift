extension CivilTime: LosslessStringConvertible {
    /// Reads what `description` writes: `2026-05-01T12:30:05`, with a fraction of 1 to 9 digits and with `Z` or `±hh:mm` where given.
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
            guard let year = digits(4), skip("-"), let month = digits(2), skip("-"), let day = digits(2), skip("T"), let hour = digits(2),
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
            guard west || skip("+"), let hours = digits(2), skip(":"), let minutes = digits(2), minutes < 60 else { return nil }
            return (west ? -1 : 1) * (hours * 60 + minutes)
        }
    }
}
