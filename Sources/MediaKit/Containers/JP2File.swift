/// JPEG 2000 and JPEG XL in boxes: Exif and XMP stand in boxes of their own.
enum JP2File {
    /// The first halves of the UUIDs `JpgTiffExif->JP2` and XMP's be7acfcb-97a9-42e8-9c71-999491e3afac.
    static let exifUUID: UInt64 = 0x4A70_6754_6966_6645, xmpUUID: UInt64 = 0xBE7A_CFCB_97A9_42E8

    static func locate(in file: ByteRegion, into findings: inout Findings) {
        if file.upTo(2).starts(with: JXLStream.signature) { return JXLStream.locate(in: file, into: &findings) }
        for box in Box.all(in: file) {
            switch box.type {
            case "jp2h":
                guard let header = box.children()["ihdr"]?.body, let height = header.u32(0, .big),
                    let width = header.u32(4, .big),
                    (1..<1 << 31).contains(width), (1..<1 << 31).contains(height)
                else { continue }
                findings.pixelSize = (Int(width), Int(height))
            case "jxlc": JXLStream.locate(in: box.body, into: &findings)
            // The first of several parts; a number stands in front of each.
            case "jxlp" where box.body.u32(0, .big).map { $0 & 0x7FFF_FFFF } == 0:
                box.body.from(4).map { JXLStream.locate(in: $0, into: &findings) }
            case "uuid" where box.uuid == exifUUID: findings.takeExif(box.body)
            case "uuid" where box.uuid == xmpUUID: findings.takeXMP(box.body.upTo(512 << 10))
            case "Exif":
                if let skip = box.body.u32(0, .big), let block = box.body.from(UInt64(skip) + 4) {
                    findings.takeExif(block)
                }
            case "xml ": findings.takeXMP(box.body.upTo(512 << 10))
            default: break
            }
        }
    }
}
