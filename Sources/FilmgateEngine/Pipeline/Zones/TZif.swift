/// Reads compiled time zone files (RFC 9636), versions 1 to 4.
///
/// Counts and offsets are checked against the bytes before they are used.
enum TZif {
    private struct Header {
        var version: UInt8, utc: Int, standard: Int, leaps: Int, times: Int, types: Int, characters: Int

        func length(timeSize: Int) -> Int {
            times * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) + standard + utc
        }
    }

    /// Nil for anything that is not a well-formed file.
    static func rules(from bytes: [UInt8], name: String) -> ZoneRules? {
        guard let first = header(bytes, at: 0) else { return nil }
        guard first.version >= 0x32 else { return block(bytes, at: 44, first, timeSize: 4, name) }
        let start = 44 + first.length(timeSize: 4)
        guard let second = header(bytes, at: start) else { return nil }
        return block(bytes, at: start + 44, second, timeSize: 8, name)
    }

    private static func header(_ bytes: [UInt8], at start: Int) -> Header? {
        guard start >= 0, start + 44 <= bytes.count, bytes[start..<(start + 4)].elementsEqual("TZif".utf8) else {
            return nil
        }
        let counts = (0..<6).map { Int(number(bytes, start + 20 + $0 * 4, 4)) }
        guard counts.allSatisfy({ (0...20_000).contains($0) }), (1...256).contains(counts[4]) else { return nil }
        return Header(
            version: bytes[start + 4], utc: counts[0], standard: counts[1], leaps: counts[2], times: counts[3],
            types: counts[4], characters: counts[5])
    }

    private static func block(
        _ bytes: [UInt8], at start: Int, _ header: Header, timeSize: Int, _ name: String
    ) -> ZoneRules? {
        let end = start + header.length(timeSize: timeSize)
        guard end <= bytes.count else { return nil }
        let indexes = start + header.times * timeSize, types = indexes + header.times
        let offsets = (0..<header.types).map { Int(number(bytes, types + $0 * 6, 4)) }
        guard offsets.allSatisfy({ abs($0) <= 26 * 3600 }) else { return nil }
        var changes: [Int64] = [], after: [Int] = []
        for index in 0..<header.times {
            let type = Int(bytes[indexes + index]), time = number(bytes, start + index * timeSize, timeSize)
            guard type < offsets.count, changes.last.map({ $0 < time }) ?? true else { return nil }
            changes.append(time)
            after.append(offsets[type])
        }
        return ZoneRules(
            name: name, changes: changes, offsets: after, initial: offsets[0], future: footer(bytes[end...]))
    }

    /// The rule for the future, between two line feeds.
    private static func footer(_ bytes: ArraySlice<UInt8>) -> PosixZone? {
        guard bytes.first == 0x0A, let end = bytes.dropFirst().firstIndex(of: 0x0A) else { return nil }
        return PosixZone(String(decoding: bytes[(bytes.startIndex + 1)..<end], as: UTF8.self))
    }

    /// Big-endian, two's complement; the caller has checked that the bytes are there.
    private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int64 {
        let value = bytes[start..<(start + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }
}
