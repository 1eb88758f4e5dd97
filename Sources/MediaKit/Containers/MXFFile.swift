import FilmgateCore

/// MXF (SMPTE ST 377-1): keys, lengths and values; the packages of the header say when the clip was made, in UTC.
enum MXFFile {
    static let countLimit = 2048
    private static let localSet: [UInt8] = [0x06, 0x0E, 0x2B, 0x34, 0x02, 0x53, 0x01, 0x01]
    private static let essence: [UInt8] = [0x0D, 0x01, 0x03, 0x01]
    /// Material and source packages, by the last bytes of their keys.
    private static let packages: Set<UInt8> = [0x36, 0x37]
    private static let packageCreated: UInt16 = 0x4405

    static func locate(in file: ByteRegion, into findings: inout Findings) {
        var place: UInt64 = 0
        for _ in 0..<countLimit {
            guard let key = file.bytes(place, 16), key.starts(with: [0x06, 0x0E, 0x2B, 0x34]),
                let (size, header) = length(file, place + 16),
                let value = file.part(place + 16 + header, size), !key.starts(with: essence, at: 8)
            else { return }
            if key.starts(with: localSet), let kind = key[14], packages.contains(kind), let time = created(value) {
                findings.takeUTC(time)
                return
            }
            place += 16 + header + size
        }
    }

    /// A BER length and the number of its own bytes.
    private static func length(_ file: ByteRegion, _ place: UInt64) -> (UInt64, UInt64)? {
        guard let first = file.bytes(place, 1)?[0] else { return nil }
        if first < 0x80 { return (UInt64(first), 1) }
        let count = Int(first & 0x7F)
        guard (1...8).contains(count), let bytes = file.bytes(place + 1, count) else { return nil }
        let size = bytes.array.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size < 1 << 56 ? (size, UInt64(1 + count)) : nil
    }

    /// A set of 2-byte tags and 2-byte lengths; the time stamp is year, month, day, hour, minute, second and 4 ms
    /// units.
    private static func created(_ set: ByteRegion) -> CivilTime? {
        let bytes = set.upTo(16 << 10)
        var place = 0
        while let tag = bytes.u16(place, .big), let length = bytes.u16(place + 2, .big) {
            if tag == packageCreated, let stamp = bytes.part(place + 4, 8), let year = stamp.u16(0, .big) {
                let parts = stamp.from(2).array.map(Int.init)
                return CivilTime(
                    year: Int(year), month: parts[0], day: parts[1], hour: parts[2], minute: parts[3], second: parts[4],
                    nanosecond: parts[5] < 250 ? parts[5] * 4_000_000 : nil, offsetMinutes: 0)
            }
            place += 4 + Int(length)
        }
        return nil
    }
}
