/// What stands before the picture data of a JPEG: its segments, as they came.
struct JPEGHead {
    struct Segment {
        var marker: UInt8
        /// Without marker and length.
        var body: [UInt8]
        /// Where the marker stands in the file.
        var offset: Int
        /// Bytes in the file: with marker, length and the fill before it.
        var size: Int
    }
    let segments: [Segment]
    /// Where the start of scan stands; from here on nothing is changed.
    let end: Int

    static let app1: UInt8 = 0xE1, app2: UInt8 = 0xE2, app13: UInt8 = 0xED

    /// Nil when `bytes`, the beginning of the file, end before the picture data begins.
    init?(_ bytes: [UInt8]) throws(StampFault) {
        guard bytes.count >= 4 else { return nil }
        guard bytes[0] == 0xFF, bytes[1] == 0xD8 else { throw StampFault("it is no JPEG") }
        var segments: [Segment] = [], at = 2
        while true {
            let begin = at
            while at < bytes.count, bytes[at] == 0xFF { at += 1 }
            guard at + 2 < bytes.count else { return nil }
            guard at > begin else { throw StampFault("its segments are damaged") }
            let marker = bytes[at], offset = at - 1
            if marker == 0xDA {
                (self.segments, end) = (segments, offset)
                return
            }
            guard segments.count < 20_000 else { throw StampFault("it holds too many segments") }
            guard marker >= 0xC0, !(0xD0...0xD9).contains(marker) else { throw StampFault("its segments are damaged") }
            let length = Int(bytes[at + 1]) << 8 | Int(bytes[at + 2])
            guard length >= 2 else { throw StampFault("its segments are damaged") }
            guard at + 1 + length <= bytes.count else { return nil }
            let body = Array(bytes[(at + 3)..<(at + 1 + length)])
            at += 1 + length
            segments.append(Segment(marker: marker, body: body, offset: offset, size: at - begin))
        }
    }
}

extension JPEGHead.Segment {
    static let exifName = Array("Exif\0".utf8), xmpName = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    static let extensionName = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
    static let photoshopName = Array("Photoshop 3.0\0".utf8), multiName = Array("MPF\0".utf8)

    /// Leads the file by its standard: JFIF and Exif.
    var leads: Bool { marker == 0xE0 || marker == JPEGHead.app1 && body.starts(with: Self.exifName) }
    var isXMP: Bool { marker == JPEGHead.app1 && body.starts(with: Self.xmpName) }
    var isExtendedXMP: Bool { marker == JPEGHead.app1 && body.starts(with: Self.extensionName) }
    var isPhotoshop: Bool { marker == JPEGHead.app13 && body.starts(with: Self.photoshopName) }
    var isMultiPicture: Bool { marker == JPEGHead.app2 && body.starts(with: Self.multiName) }

    /// With marker and length.
    var bytes: [UInt8] { [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 0xFF)] + body }
}
