/// MRW: named blocks; `TTW` is a TIFF structure, `PRD` has the picture's size.
enum MRWFile {
    static func locate(in file: ByteRegion, into findings: inout Findings) {
        guard let length = file.u32(4, .big) else { return }
        let end = min(8 + UInt64(length), file.count)
        var place: UInt64 = 8
        for _ in 0..<64 where place + 8 <= end {
            guard let head = file.bytes(place, 8), let size = head.u32(4, .big),
                let body = file.part(place + 8, UInt64(size))
            else {
                findings.flags.insert(MediaFlag.exifDamaged)
                return
            }
            if head.starts(with: "\0TTW") { TIFFFile.locate(in: body, wholeFile: false, into: &findings) }
            if head.starts(with: "\0PRD"), let height = body.u16(12, .big), let width = body.u16(14, .big), width > 0,
                height > 0
            {
                findings.pixelSize = (Int(width), Int(height))
            }
            place += 8 + UInt64(size)
        }
    }
}
