import FilmgateCore

/// IPTC IIM 4.2 records: date and time of creation, the author.
enum IPTCRecords {
    static let countLimit = 512

    static func facts(in region: ByteRegion) -> MediaFacts {
        var facts = MediaFacts(), date: String?, time: String?
        var place: UInt64 = 0
        for _ in 0..<countLimit {
            // Marker, record, data set, length; lengths over 32,767 bytes are written otherwise and not of interest.
            guard let head = region.bytes(place, 5), head[0] == 0x1C, let length = head.u16(3, .big), length < 0x8000,
                let value = region.part(place + 5, UInt64(length))
            else { break }
            switch (head[1], head[2]) {
            case (2, 55): date = value.upTo(16).text
            case (2, 60): time = value.upTo(16).text
            case (2, 80): facts.artist = facts.artist ?? value.upTo(256).text
            default: break
            }
            place += 5 + UInt64(length)
        }
        if let date, let time { facts.captured = CivilTime(iptcDate: date, time: time) }
        return facts
    }
}

extension CivilTime {
    /// `20260501` and `123005+0200`.
    init?(iptcDate date: String, time: String) {
        let digits = Array(date.utf8.prefix(8)) + Array(time.utf8.prefix(6))
        guard digits.count == 14, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let text = String(decoding: digits, as: UTF8.self)
        func number(_ start: Int, _ length: Int) -> Int { Int(text.dropFirst(start).prefix(length)) ?? 0 }
        self.init(
            year: number(0, 4), month: number(4, 2), day: number(6, 2), hour: number(8, 2), minute: number(10, 2),
            second: number(12, 2), offsetMinutes: CivilTime.offset(text: time.dropFirst(6)))
    }
}
