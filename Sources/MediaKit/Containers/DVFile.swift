import FilmgateCore

/// DV (IEC 61834): the first frame's VAUX blocks hold recording date and time.
enum DVFile {
    static func locate(in file: ByteRegion, into findings: inout Findings) {
        var date: Bytes?, time: Bytes?
        for block in 1..<6 {
            guard let bytes = file.bytes(UInt64(block) * 80, 80), let type = bytes[0], type & 0xF0 == 0x50 else {
                continue
            }
            for pack in 0..<15 {
                guard let entry = bytes.part(3 + pack * 5, 5) else { continue }
                if entry[0] == 0x62 { date = date ?? entry }
                if entry[0] == 0x63 { time = time ?? entry }
            }
        }
        guard let date, let time, let year = decimal(date[4], 0xFF), let month = decimal(date[3], 0x1F),
            let day = decimal(date[2], 0x3F),
            let hour = decimal(time[4], 0x3F), let minute = decimal(time[3], 0x7F), let second = decimal(time[2], 0x7F)
        else { return }
        // Two digits: the format is of 1995.
        let captured = CivilTime(
            year: year + (year < 90 ? 2000 : 1900), month: month, day: day, hour: hour, minute: minute, second: second)
        findings.take { $0.captured = captured }
    }

    private static func decimal(_ byte: UInt8?, _ mask: UInt8) -> Int? {
        guard let byte, byte & mask & 0xF < 10 else { return nil }
        return Int((byte & mask) >> 4) * 10 + Int(byte & mask & 0xF)
    }
}
