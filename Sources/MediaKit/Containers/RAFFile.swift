/// RAF: a header with the places of an embedded JPEG, which holds the Exif block, a small directory and the sensor's
/// data.
enum RAFFile {
    static let jpegField: UInt64 = 0x54, directoryField: UInt64 = 0x5C, dataField: UInt64 = 0x64

    /// The part of the file that the header names at `field` by offset and length.
    static func part(_ file: ByteRegion, _ field: UInt64) -> (offset: UInt64, length: UInt64)? {
        guard let offset = file.u32(field, .big), let length = file.u32(field + 4, .big), offset > 0 else { return nil }
        return (UInt64(offset), UInt64(length))
    }

    static func locate(in file: ByteRegion, into findings: inout Findings) {
        guard let place = part(file, jpegField),
            let jpeg = file.part(place.offset, place.length) ?? file.from(place.offset)
        else {
            findings.flags.insert(MediaFlag.exifDamaged)
            return
        }
        JPEGFile.locate(in: jpeg, into: &findings)
        if let size = pixelSize(file) { findings.pixelSize = size }
    }

    /// Record 0x0111 of the directory: height and width of the picture.
    private static func pixelSize(_ file: ByteRegion) -> (width: Int, height: Int)? {
        guard let place = part(file, directoryField), let directory = file.part(place.offset, place.length),
            let count = directory.u32(0, .big)
        else { return nil }
        var offset: UInt64 = 4
        for _ in 0..<min(count, 256) {
            guard let tag = directory.u16(offset, .big), let length = directory.u16(offset + 2, .big) else {
                return nil
            }
            if tag == 0x0111, length >= 4, let height = directory.u16(offset + 4, .big),
                let width = directory.u16(offset + 6, .big)
            {
                return width > 0 && height > 0 ? (Int(width), Int(height)) : nil
            }
            offset += 4 + UInt64(length)
        }
        return nil
    }
}
