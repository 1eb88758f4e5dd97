import FilmgateCore

/// MPEG-2 transport streams as AVCHD records them: what the camera says stands in the first frames' H.264 user data
/// (MDPM).
enum TransportStream {
    /// Bytes of the head that are searched.
    static let searched = 512 << 10
    private static let marker: [UInt8] = [
        0x17, 0xEE, 0x8C, 0x60, 0xF8, 0x4D, 0x11, 0xD9, 0x8C, 0xD6, 0x08, 0x00, 0x20, 0x0C, 0x9A, 0x66, 0x4D, 0x44,
        0x50, 0x4D,
    ]

    /// Packet length and where the sync byte stands in it: 188 and 0, or 192 and 4 with a time stamp in front.
    static func layout(of head: Bytes) -> (length: Int, sync: Int)? {
        for (length, sync) in [(188, 0), (192, 4)] {
            let places = (0..<5).map { $0 * length + sync }.filter { $0 < head.count }
            if places.count >= 2, places.allSatisfy({ head[$0] == 0x47 }) { return (length, sync) }
        }
        return nil
    }

    static func locate(in file: ByteRegion, into findings: inout Findings) {
        let bytes = file.upTo(searched)
        guard let layout = layout(of: bytes) else { return }
        let payloads = payloads(bytes, layout)
        findings.pixelSize = payloads.lazy.compactMap(VideoSequence.pixelSize).first
        let makes = findings.makers.map(\.clipMakes)
        for payload in payloads {
            guard let start = payload.index(of: marker) else { continue }
            let entries = entries(payload.from(start + marker.count).withoutEmulationPrevention(limit: 1 + 255 * 5))
            findings.take { facts in
                facts.captured = recorded(entries)
                (facts.make, facts.model) = (make(entries, makes), model(entries))
                (facts.exposureTime, facts.fNumber) = (fraction(entries[0xA0]), fraction(entries[0xA1]))
            }
            return
        }
    }

    /// The payload of each stream, packet headers removed.
    private static func payloads(_ bytes: Bytes, _ layout: (length: Int, sync: Int)) -> [Bytes] {
        var streams: [UInt16: [UInt8]] = [:]
        for place in stride(from: layout.sync, to: bytes.count - 187, by: layout.length) {
            guard let packet = bytes.part(place, 188), packet[0] == 0x47, let flags = packet[3], flags & 0x10 != 0,
                let id = packet.u16(1, .big).map({ $0 & 0x1FFF }), id != 0x1FFF
            else { continue }
            let skip = flags & 0x20 != 0 ? 5 + Int(packet[4] ?? 0) : 4
            packet.from(skip).withUnsafeBytes { streams[id, default: []].append(contentsOf: $0) }
            if streams.count > 64 { break }
        }
        return streams.sorted { $0.key < $1.key }.map { Bytes($0.value) }
    }

    /// Entries of a tag and four bytes.
    private static func entries(_ bytes: Bytes) -> [UInt8: Bytes] {
        var entries: [UInt8: Bytes] = [:]
        for index in 0..<Int(bytes[0] ?? 0) {
            guard let entry = bytes.part(1 + index * 5, 5), let tag = entry[0] else { break }
            entries[tag] = entries[tag] ?? entry.from(1)
        }
        return entries
    }

    /// 0x18 = zone, century, year, month; 0x19 = day, hour, minute, second, in binary-coded decimals.
    private static func recorded(_ entries: [UInt8: Bytes]) -> CivilTime? {
        guard let date = entries[0x18], let time = entries[0x19], let zone = date[0], let century = decimal(date[1]),
            let year = decimal(date[2]), let month = decimal(date[3]), let day = decimal(time[0]),
            let hour = decimal(time[1]), let minute = decimal(time[2]), let second = decimal(time[3])
        else { return nil }
        return CivilTime(
            year: century * 100 + year, month: month, day: day, hour: hour, minute: minute, second: second,
            offsetMinutes: offset(zone))
    }

    /// 0xE4 to 0xE6: the model's name in three pieces.
    private static func model(_ entries: [UInt8: Bytes]) -> String? {
        Bytes([0xE4, 0xE5, 0xE6].flatMap { (tag: UInt8) in entries[tag]?.array ?? [] }).text
    }

    /// 0xE0: the make's number, and one of the model.
    private static func make(_ entries: [UInt8: Bytes], _ makes: [[Int: String]]) -> String? {
        guard let number = entries[0xE0]?.u16(0, .big) else { return nil }
        return makes.lazy.compactMap { $0[Int(number)] }.first
    }

    /// Two numbers of two bytes.
    private static func fraction(_ entry: Bytes?) -> Rational? {
        guard let top = entry?.u16(0, .big), let bottom = entry?.u16(2, .big), top > 0, bottom > 0 else { return nil }
        return Rational(Int64(top), Int64(bottom))
    }

    private static func decimal(_ byte: UInt8?) -> Int? {
        guard let byte, byte & 0xF < 10, byte >> 4 < 10 else { return nil }
        return Int(byte >> 4) * 10 + Int(byte & 0xF)
    }

    /// Bit 5 west, bits 4…1 hours, bit 0 a half hour more; bit 7 set: unknown.
    private static func offset(_ zone: UInt8) -> Int? {
        guard zone & 0x80 == 0 else { return nil }
        let size = Int(zone >> 1 & 0xF) * 60 + Int(zone & 1) * 30
        return zone & 0x20 != 0 ? -size : size
    }
}
