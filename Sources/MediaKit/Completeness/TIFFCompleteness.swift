/// TIFF-based files: strips, tiles and embedded JPEGs lie inside the file.
enum TIFFCompleteness {
    private static let pairs = [
        (Tag.stripOffsets, Tag.stripByteCounts, "strip"), (Tag.tileOffsets, Tag.tileByteCounts, "tile"),
        (Tag.jpegOffset, Tag.jpegLength, "preview"),
    ]
    static let pieceLimit: UInt64 = 1 << 16

    static func check(_ file: ByteRegion) -> Completeness {
        guard let reader = TIFFReader(file), let tree = TIFFTree(reader) else {
            return .truncated("The first directory is not in the file.")
        }
        var seen = false
        for directory in tree.images {
            for (offsets, counts, name) in pairs {
                guard let offset = directory[offsets], let count = directory[counts] else { continue }
                guard let fits = allFit(offset, count, in: reader) else { continue }
                if !fits { return .truncated("A \(name) of the picture lies behind the end of the file.") }
                seen = true
            }
        }
        return seen ? .complete : .unknown
    }

    /// Nil when the lists do not make sense together.
    private static func allFit(_ offsets: TIFFReader.Entry, _ counts: TIFFReader.Entry, in reader: TIFFReader) -> Bool?
    {
        guard offsets.count == counts.count, offsets.count <= pieceLimit else { return nil }
        guard let places = reader.place(of: offsets), let lengths = reader.place(of: counts) else { return false }
        guard let first = list(offsets, places, reader), let second = list(counts, lengths, reader) else { return nil }
        for index in 0..<Int(offsets.count) {
            guard let offset = first.integer(index), let length = second.integer(index), offset >= 0, length >= 0,
                offset != UInt32.max
            else { return nil }
            if length > 0, reader.region.part(UInt64(offset), UInt64(length)) == nil { return false }
        }
        return true
    }

    /// Where the pieces lie, as far as they lie in the file; none when the lists do not make sense together.
    static func parts(_ offsets: TIFFReader.Entry, _ counts: TIFFReader.Entry, in reader: TIFFReader) -> [Range<UInt64>]
    {
        guard offsets.count == counts.count, offsets.count <= pieceLimit, let places = reader.place(of: offsets),
            let lengths = reader.place(of: counts), let first = list(offsets, places, reader),
            let second = list(counts, lengths, reader)
        else { return [] }
        return (0..<Int(offsets.count)).compactMap { index in
            guard let offset = first.integer(index).flatMap({ UInt64(exactly: $0) }),
                let length = second.integer(index).flatMap({ UInt64(exactly: $0) }), length > 0
            else { return nil }
            return reader.region.part(offset, length).map { $0.start..<($0.start + $0.count) }
        }
    }

    private static func list(_ entry: TIFFReader.Entry, _ place: ByteRegion, _ reader: TIFFReader) -> TagValue? {
        place.bytes(0, Int(place.count)).map {
            TagValue(format: entry.format, count: Int(entry.count), bytes: $0, order: reader.order)
        }
    }

    /// RW2: the sensor's data begins at tag 0x0118 and runs to the end; nothing says how long it is.
    static func checkRW2(_ file: ByteRegion) -> Completeness {
        guard let reader = TIFFReader(file), let first = reader.directory(at: reader.first) else {
            return .truncated("The first directory is not in the file.")
        }
        guard let start = reader.integer(0x0118, in: first) ?? reader.integer(Tag.stripOffsets, in: first),
            start != UInt32.max
        else {
            return .unknown
        }
        return start >= file.count ? .truncated("The sensor's data is missing.") : .unknown
    }
}
