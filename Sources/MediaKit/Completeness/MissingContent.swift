import FilmgateCore

/// What a file lacks although its structure is whole, or although it has none: zeros or noise where its name promises a
/// picture.
///
/// A person is told of it, so it is stricter than `UnwrittenPart`, after which a file is only waited for: what may be a
/// black picture is none of it, and a format that nobody here knows is judged only where it consists of zeros. Reads a
/// few bytes of each 32 KiB.
enum MissingContent {
    /// A sentence; nil where nothing is missing, or nobody can tell.
    static func find(_ source: some ByteSource, _ file: ByteRegion, _ format: FileFormat?, _ name: FileName) -> String?
    {
        let kind = MediaKind(name)
        guard kind != .sidecar, kind != .other, file.count > 0 else { return nil }
        switch format {
        case nil: return unlike(name.ext.lowercased(), kind, file, source)
        case .jpeg where JPEGTables(file).excludeZeros: return UnwrittenPart.find(inJPEG: file, source)
        case .tiff where kind == .raw, .orf where kind == .raw: return inRAW(file, source)
        case .heif: return inItems(file, source)
        default: return nil
        }
    }

    // MARK: - No known format

    /// Whatever writes files of these names begins them with bytes that are known here.
    private static let known: Set<String> = [
        "cr2", "nef", "nrw", "arw", "dng", "pef", "srw", "orf", "rw2", "raf", "tif", "tiff", "png", "gif",
    ]
    private static let boxed: Set<String> = ["mov", "mp4", "m4v", "cr3", "3gp", "m4a"]

    private static func unlike(
        _ ext: String, _ kind: MediaKind, _ file: ByteRegion, _ source: some ByteSource
    ) -> String? {
        if isAllZeros(file.count, source) { return "It holds nothing but zeros." }
        if kind == .jpeg || kind == .heif || known.contains(ext) || (boxed.contains(ext) && !beginsWithBox(file)) {
            return "It does not begin as any \(ext.uppercased()) file does."
        }
        return nil
    }

    /// Box or atom: a size, and a name that can be printed.
    private static func beginsWithBox(_ file: ByteRegion) -> Bool {
        let head = file.upTo(8)
        guard let size = head.u32(0, .big), let type = FourCC(head, at: 4) else { return false }
        return type.isPlausible && (size <= 1 || size >= 8)
    }

    /// The first 64 KiB, and a few bytes of every further piece.
    private static func isAllZeros(_ size: UInt64, _ source: some ByteSource) -> Bool {
        let head = Int(min(size, UInt64(UnwrittenPart.least)))
        guard UnwrittenPart.isZero(source, 0, min(head, 16)), UnwrittenPart.isZero(source, 0, head) else {
            return false
        }
        return stride(from: UInt64(head), to: size, by: UnwrittenPart.least / 2).allSatisfy { place in
            UnwrittenPart.isZero(source, place, Int(min(16, size - place)))
        }
    }

    // MARK: - Parts of known formats

    /// Bytes of zeros in uncompressed sensor data: more than where the data is compressed.
    ///
    /// Cells beside the picture may be written out as zeros. An uncompressed preview is not looked at: it may be black.
    static let uncompressedLeast = 1 << 20
    private static let compressions: Set<UInt64> = [6, 7, 8, 32_767, 34_713, 34_892, 52_546]
    private static let sensor: Set<UInt64> = [32_803, 34_892]

    private static func inRAW(_ file: ByteRegion, _ source: some ByteSource) -> String? {
        guard let reader = TIFFReader(file), let tree = TIFFTree(reader) else { return nil }
        for directory in tree.images {
            let isCompressed = reader.integer(Tag.compression, in: directory).map(compressions.contains) == true
            guard isCompressed || reader.integer(Tag.photometric, in: directory).map(sensor.contains) == true else {
                continue
            }
            var parts: [Range<UInt64>] = []
            for (offsets, counts) in [(Tag.stripOffsets, Tag.stripByteCounts), (Tag.tileOffsets, Tag.tileByteCounts)] {
                guard let offset = directory[offsets], let count = directory[counts] else { continue }
                parts += TIFFCompleteness.parts(offset, count, in: reader)
            }
            let least = isCompressed ? UnwrittenPart.least : uncompressedLeast
            for part in UnwrittenPart.joined(parts) {
                if let run = UnwrittenPart.run(in: part, source, least: least) { return UnwrittenPart.sentence(run) }
            }
        }
        return nil
    }

    /// Coded pictures of HEVC never have three zeros in a row: the standard forbids them.
    private static func inItems(_ file: ByteRegion, _ source: some ByteSource) -> String? {
        guard let box = Box.all(in: file)["meta"], let meta = MetaBox(box),
            let location = box.children(from: 4)["iloc"]?.body
        else {
            return nil
        }
        let pictures = Set(meta.items.filter { $0.type == "hvc1" || $0.type == "hev1" }.map(\.id))
        var parts: [Range<UInt64>] = []
        ItemLocations(location).forEach { id, place, _ in
            if pictures.contains(id), place.method == 0, let part = file.part(place.offset, place.length) {
                parts.append(part.start..<part.start + part.count)
            }
            return true
        }
        for part in parts { if let run = UnwrittenPart.run(in: part, source) { return UnwrittenPart.sentence(run) } }
        return nil
    }
}

/// Whether the codes of a JPEG can be zeros for long.
///
/// Zeros are always a code: in the usual tables that of a small step, which no picture repeats a million times; in
/// tables that were made for the picture it may be that of a block without any detail, and a black picture is zeros
/// from end to end.
private struct JPEGTables {
    private var isBaseline = false, firsts: [UInt8] = []

    init(_ file: ByteRegion) {
        var found = (isBaseline: false, firsts: [UInt8]())
        JPEGFile.walk(file) { segment in
            switch segment.marker {
            case 0xC0, 0xC1: found.isBaseline = true
            case 0xC4: found.firsts += Self.firsts(segment.body)
            default: break
            }
        }
        (isBaseline, firsts) = found
    }

    /// In baseline, and where one of the tables does not begin with the end of a block.
    var excludeZeros: Bool { isBaseline && (firsts.isEmpty || firsts.contains { $0 != 0 }) }

    /// The symbol that zeros stand for, of each table of the picture's detail.
    private static func firsts(_ body: ByteRegion) -> [UInt8] {
        let bytes = body.upTo(4096)
        var found: [UInt8] = [], place = 0
        while let head = bytes[place] {
            let count = (1...16).reduce(0) { $0 + Int(bytes[place + $1] ?? 0) }
            if head >> 4 == 1, count > 0, let first = bytes[place + 17] { found.append(first) }
            place += 17 + count
        }
        return found
    }
}
