/// PSD: image resources 1028 (IPTC), 1058 (Exif) and 1060 (XMP).
enum PSDFile {
    static func locate(in file: ByteRegion, into findings: inout Findings) {
        if let height = file.u32(14, .big), let width = file.u32(18, .big), (1...300_000).contains(width),
            (1...300_000).contains(height)
        {
            findings.pixelSize = (Int(width), Int(height))
        }
        guard let colours = file.u32(26, .big), let length = file.u32(30 + UInt64(colours), .big),
            let resources = file.part(34 + UInt64(colours), UInt64(length))
        else { return }
        takeResources(resources, into: &findings)
    }

    /// The resources' list, which JPEG's APP13 has too.
    static func takeResources(_ resources: ByteRegion, into findings: inout Findings) {
        var place: UInt64 = 0
        for _ in 0..<512 {
            guard let head = resources.bytes(place, 7), let kind = head.u16(4, .big), let name = head[6] else { return }
            let data = place + 6 + (UInt64(name) + 2) / 2 * 2
            guard let size = resources.u32(data, .big), let body = resources.part(data + 4, UInt64(size)) else {
                return
            }
            if kind == 1058 { findings.takeExif(body) }
            if kind == 1028 { findings.takeIPTC(body) }
            if kind == 1060 { findings.takeXMP(body.upTo(512 << 10)) }
            place = data + 4 + (UInt64(size) + 1) / 2 * 2
        }
    }
}
