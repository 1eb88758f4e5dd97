/// A JPEG is whole when an end marker follows its scan: at the end of the file, or before whatever else stands behind
/// it (previews, a motion clip, padding, trailers).
enum JPEGCompleteness {
    static let tailSize = 16 << 10, pieceSize = 1 << 20

    static func check(_ file: ByteRegion) -> Completeness {
        var previews: UInt64?
        let ending = JPEGFile.walk(file) { segment in
            if segment.marker == 0xE2, previews == nil { previews = MultiPicture.end(in: segment.body) }
        }
        switch ending {
        case .broken: return .truncated("The header breaks off.")
        case .image: return .complete
        case .scan(let start):
            guard endFollows(start, in: file) else { return .truncated("The end marker is missing.") }
            if let previews, previews > file.count {
                return .truncated("A further picture runs past the end of the file.")
            }
            return .complete
        }
    }

    /// In a scan FF is followed by 00 or a restart marker, so the first FF D9 is its end.
    ///
    /// The last bytes are looked at first.
    private static func endFollows(_ scan: UInt64, in file: ByteRegion) -> Bool {
        let start = max(scan, file.count > UInt64(tailSize) ? file.count - UInt64(tailSize) : 0)
        guard start <= file.count else { return false }
        if file.upTo(tailSize, at: start).index(of: [0xFF, 0xD9]) != nil { return true }
        return scanFinds(scan, until: start, file.window)
    }

    private static func scanFinds(_ start: UInt64, until end: UInt64, _ window: ByteWindow) -> Bool {
        var place = start
        while place <= end {
            guard let piece = window.stream(place, pieceSize), piece.count >= 2 else { return false }
            if Bytes(piece).index(of: [0xFF, 0xD9]) != nil { return true }
            place += UInt64(piece.count) - 1
        }
        return false
    }
}

/// The index of a Multi-Picture Format file (CIPA DC-007) in APP2.
enum MultiPicture {
    /// The further pictures, from the file's beginning; empty when this is no index.
    static func places(in body: ByteRegion) -> [(offset: UInt64, length: UInt64)] {
        guard body.upTo(4).starts(with: "MPF\0"), let index = body.from(4), let reader = TIFFReader(index),
            let directory = reader.directory(at: reader.first), let entry = directory[0xB002],
            let place = reader.place(of: entry)
        else { return [] }
        var places: [(offset: UInt64, length: UInt64)] = []
        for number in 0..<min(place.count / 16, 64) {
            guard let size = place.u32(number * 16 + 4, reader.order),
                let offset = place.u32(number * 16 + 8, reader.order)
            else { break }
            // Offsets count from this index; the first picture's is 0.
            if offset > 0 { places.append((index.start + UInt64(offset), UInt64(size))) }
        }
        return places
    }

    /// Where the last picture ends, from the file's beginning; nil when this is no index.
    static func end(in body: ByteRegion) -> UInt64? { places(in: body).map { $0.offset + $0.length }.max() }
}
