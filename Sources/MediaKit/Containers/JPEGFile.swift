/// JPEG (ITU-T T.81 Annex B): the segments in front of the image data.
enum JPEGFile {
    static let segmentLimit = 1024

    struct Segment {
        let marker: UInt8
        /// Without marker and length.
        let body: ByteRegion
        /// Where the next marker is expected.
        let end: UInt64
    }

    enum Ending: Equatable {
        /// The scan's data begins at this offset.
        case scan(UInt64)
        /// An EOI without any scan, ending at this offset.
        case image(UInt64)
        /// No marker where one must be, at this offset; or the segment there runs out of the file.
        case broken(UInt64)
    }

    /// Visits each segment up to the first scan.
    @discardableResult
    static func walk(_ file: ByteRegion, from start: UInt64 = 2, _ visit: (Segment) -> Void) -> Ending {
        var place = start
        for _ in 0..<segmentLimit {
            guard let head = file.bytes(place, 2), let marker = head[1] else { return .broken(place) }
            if head[0] != 0xFF {
                // Some writers get a length wrong by a few bytes; decoders look for the next marker, too.
                guard let next = nextMarker(file, place) else { return .broken(place) }
                place = next
                continue
            }
            switch marker {
            case 0xFF: place += 1
            case 0xD9: return .image(place + 2)
            case 0x01, 0xD0...0xD8: place += 2
            default:
                guard let length = file.u16(place + 2, .big), length >= 2 else { return .broken(place) }
                let end = place + 2 + UInt64(length)
                guard let body = file.part(place + 4, UInt64(length) - 2) else { return .broken(place) }
                if marker == 0xDA { return .scan(end) }
                visit(Segment(marker: marker, body: body, end: end))
                place = end
            }
        }
        return .broken(place)
    }

    static let strayLimit = 256

    private static func nextMarker(_ file: ByteRegion, _ place: UInt64) -> UInt64? {
        let bytes = file.upTo(strayLimit, at: place)
        let index = (0..<max(0, bytes.count - 1)).first {
            bytes[$0] == 0xFF && (bytes[$0 + 1] ?? 0) >= 0xC0 && bytes[$0 + 1] != 0xFF
        }
        return index.map { place + UInt64($0) }
    }

    static func locate(in file: ByteRegion, from start: UInt64 = 2, into findings: inout Findings) {
        walk(file, from: start) { segment in
            switch segment.marker {
            case 0xE1: takeAPP1(segment.body, into: &findings)
            case 0xED where segment.body.upTo(14).starts(with: "Photoshop 3.0\0"):
                if let resources = segment.body.from(14) { PSDFile.takeResources(resources, into: &findings) }
            case 0xE0 where segment.body.bytes(6, 8)?.starts(with: "HEAPJPGM") == true:
                CIFFFile.locate(in: segment.body, into: &findings)
            case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(segment.marker):
                guard findings.pixelSize == nil, let height = segment.body.u16(1, .big),
                    let width = segment.body.u16(3, .big)
                else {
                    return
                }
                if width > 0, height > 0 { findings.pixelSize = (Int(width), Int(height)) }
            default: break
            }
        }
    }

    private static let xmpName = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

    private static func takeAPP1(_ body: ByteRegion, into findings: inout Findings) {
        let head = body.upTo(xmpName.count)
        if head.starts(with: "Exif\0"), let block = body.from(6) {
            findings.takeExif(block)
        } else if head.starts(with: xmpName), let packet = body.from(UInt64(xmpName.count)) {
            findings.takeXMP(packet.upTo(65_536))
        }
    }
}
