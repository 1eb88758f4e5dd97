import FilmgateCore

/// R3D, version 2: a block of records behind the header, each with its length, a tag and text.
enum R3DFile {
    static let recordLimit = 512

    static func locate(in file: ByteRegion, into findings: inout Findings) {
        guard let count = file.bytes(0x40, 1)?[0] else { return }
        if let width = file.u32(0x4C, .big), let height = file.u32(0x50, .big), (1..<1 << 20).contains(width),
            (1..<1 << 20).contains(height)
        {
            findings.pixelSize = (Int(width), Int(height))
        }
        var place = 0x46 + UInt64(count) * 0x18
        var texts: [UInt16: String] = [:]
        for _ in 0..<recordLimit {
            guard let length = file.u16(place, .big), length >= 4, let tag = file.u16(place + 2, .big),
                let body = file.part(place + 4, UInt64(length) - 4)
            else { break }
            // The upper four bits tell the type: 1 = text.
            if tag >> 12 == 1 { texts[tag] = body.upTo(128).text }
            place += UInt64(length)
        }
        findings.take { facts in
            (facts.model, facts.serial, facts.lensModel) = (texts[0x1071], texts[0x1006], texts[0x1070])
            if let date = texts[0x1023], let time = texts[0x1024] {
                facts.captured = CivilTime(iptcDate: date, time: time)
            }
        }
    }
}
