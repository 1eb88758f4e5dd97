import FilmgateCore

/// Parts of a picture's data that are only zeros: the file was given its size at once, and its bytes come in any order.
///
/// Compressed data never has 64 KiB of zeros. Looked at are the scan of a JPEG, and strips and tiles of a RAW that is
/// built like TIFF; other pictures may be black, and other formats have padding.
enum UnwrittenPart {
    /// Bytes: the least that counts.
    static let least = 64 << 10

    /// What is not written yet, in a sentence; nil when nothing is missing, or when the format does not say.
    ///
    /// Reads a few bytes of each 32 KiB.
    static func find(_ source: some ByteSource, _ file: ByteRegion, _ format: FileFormat?, _ kind: MediaKind) -> String?
    {
        guard kind == .jpeg || kind == .raw else { return nil }
        switch format {
        case .jpeg: return find(inJPEG: file, source)
        case .tiff, .orf:
            for part in pictureData(of: file) { if let run = run(in: part, source) { return sentence(run) } }
            return nil
        default: return nil
        }
    }

    static func find(inJPEG file: ByteRegion, _ source: some ByteSource) -> String? {
        guard case .scan(let start) = JPEGFile.walk(file, { _ in }), start <= file.count,
            let run = run(in: start..<file.count, source),
            !hasEnd(from: start, to: run.lowerBound, file.window)
        else { return nil }
        return sentence(run)
    }

    static func sentence(_ run: Range<UInt64>) -> String {
        "From byte \(run.lowerBound) on there are at least \(run.count >> 10) KiB of zeros in the picture's data."
    }

    /// The first run of zeros that is long enough.
    ///
    /// Such a run holds all of one aligned piece of half its length, so only the first bytes of each are looked at.
    static func run(in part: Range<UInt64>, _ source: some ByteSource, least: Int = least) -> Range<UInt64>? {
        let piece = UInt64(least / 2)
        var place = (part.lowerBound + piece - 1) / piece * piece
        while place + piece <= part.upperBound {
            if isZero(source, place, 16), isZero(source, place, Int(piece)) {
                let start = edge(below: place, by: piece, not: part.lowerBound, source)
                if isZero(source, start, least), start + UInt64(least) <= part.upperBound {
                    return start..<(start + UInt64(least))
                }
            }
            place += piece
        }
        return nil
    }

    /// Where the zeros begin that reach up to `place`, at most one piece before it.
    private static func edge(
        below place: UInt64, by piece: UInt64, not first: UInt64, _ source: some ByteSource
    ) -> UInt64 {
        let start = max(first, place - min(place, piece))
        guard let bytes = source.read(at: start, count: Int(place - start)) else { return place }
        return start + UInt64(bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0)
    }

    static func isZero(_ source: some ByteSource, _ place: UInt64, _ count: Int) -> Bool {
        guard let bytes = source.read(at: place, count: count), bytes.count == count else { return false }
        return bytes.allSatisfy { $0 == 0 }
    }

    /// Whether the picture ends before the zeros: then they are padding.
    private static func hasEnd(from start: UInt64, to end: UInt64, _ window: ByteWindow) -> Bool {
        var place = start
        while place < end {
            let wanted = Int(min(UInt64(JPEGCompleteness.pieceSize), end - place))
            guard let piece = window.stream(place, wanted), piece.count >= 2 else { return false }
            if Bytes(piece).index(of: [0xFF, 0xD9]) != nil { return true }
            place += UInt64(piece.count) - 1
            if UInt64(piece.count) < UInt64(JPEGCompleteness.pieceSize) { return false }
        }
        return false
    }

    /// Strips and tiles, those that follow each other as one.
    private static func pictureData(of file: ByteRegion) -> [Range<UInt64>] {
        guard let reader = TIFFReader(file), let tree = TIFFTree(reader) else { return [] }
        var parts: [Range<UInt64>] = []
        for directory in tree.images {
            for (offsets, counts) in [(Tag.stripOffsets, Tag.stripByteCounts), (Tag.tileOffsets, Tag.tileByteCounts)] {
                guard let offset = directory[offsets], let count = directory[counts] else { continue }
                parts += TIFFCompleteness.parts(offset, count, in: reader)
            }
        }
        return joined(parts)
    }

    static func joined(_ parts: [Range<UInt64>]) -> [Range<UInt64>] {
        parts.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, part in
            if let last = joined.last, last.upperBound == part.lowerBound {
                joined[joined.count - 1] = last.lowerBound..<part.upperBound
            } else {
                joined.append(part)
            }
        }
    }
}
