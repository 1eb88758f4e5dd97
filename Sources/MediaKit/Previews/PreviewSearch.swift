/// What has been found of the pictures inside a file so far.
struct PreviewSearch {
    private var places: [PreviewPlace] = []
    private var orientation: Int?
    private var pixelSize: (width: Int, height: Int)?

    /// No real file has many; a hostile one may name the same bytes a thousand times.
    static let placeLimit = 32
    /// Of one picture's bytes: what stands behind a picture in its file is not read.
    static let lengthLimit: UInt64 = 64 << 20
    /// Pixels of the long edge up to which a picture is one for lists.
    static let thumbnailEdge = 320

    var result: PreviewPlaces {
        let sorted = places.sorted { ($0.width * $0.height, $0.offset) < ($1.width * $1.height, $1.offset) }
        let size = pixelSize ?? sorted.last.map { (width: $0.width, height: $0.height) } ?? (width: 0, height: 0)
        return PreviewPlaces(places: sorted, orientation: orientation ?? 1, width: size.width, height: size.height)
    }

    mutating func take(_ file: ByteRegion) {
        switch FileSignature.format(of: file.upTo(FileSignature.length)) {
        case .jpeg: take(jpeg: file, isWhole: true)
        case .tiff, .orf: take(tiff: file)
        case .rw2: take(rw2: file)
        case .raf:
            guard let place = RAFFile.part(file, RAFFile.jpegField), let rest = file.from(place.offset) else { return }
            take(jpeg: rest.part(0, place.length) ?? rest)
        case .heif, .avif: take(heif: file)
        case .cr3: take(cr3: file)
        case .crw: take(crw: file)
        case .x3f:
            for section in (X3FFile.sections(of: file) ?? []).filter({ $0.type == "IMA2" || $0.type == "IMAG" }).prefix(
                8)
            {
                if section.body.u32(12, .little) == 18, let jpeg = section.body.from(28) { take(jpeg: jpeg) }
            }
        default: return
        }
    }

    /// A JPEG with what it carries: the thumbnail of its Exif block, and the pictures of its index.
    mutating func take(jpeg region: ByteRegion, isWhole: Bool = false) {
        add(region, isWhole: isWhole)
        JPEGFile.walk(region) { segment in
            switch segment.marker {
            case 0xE1 where segment.body.upTo(5).starts(with: "Exif\0"):
                if let block = segment.body.from(6) { take(exif: block) }
            case 0xE2:
                for place in MultiPicture.places(in: segment.body) {
                    add(place.offset, place.length, in: region.window.whole)
                }
            default: break
            }
        }
    }

    /// A self-contained Exif block: its second directory describes the thumbnail.
    mutating func take(exif block: ByteRegion) {
        guard let reader = TIFFReader(block), let first = reader.directory(at: reader.first) else { return }
        note(first, reader)
        guard first.next != 0, first.next != reader.first, let second = reader.directory(at: first.next) else { return }
        add(second, of: reader)
    }

    mutating func take(tiff region: ByteRegion) {
        guard let reader = TIFFReader(region), let tree = TIFFTree(reader), let first = tree.images.first else {
            return
        }
        note(first, reader)
        note(tree.pixelSize)
        for directory in tree.images { add(directory, of: reader) }
    }

    private mutating func take(rw2 file: ByteRegion) {
        take(tiff: file)
        guard let reader = TIFFReader(file), let first = reader.directory(at: reader.first),
            let entry = first[RW2File.jpeg],
            let preview = reader.place(of: entry)
        else { return }
        take(jpeg: preview)
    }

    /// Two heads of one picture say the same; the first counts.
    mutating func note(_ directory: TIFFReader.Directory, _ reader: TIFFReader) {
        guard orientation == nil, let value = reader.integer(Tag.orientation, in: directory), (1...8).contains(value)
        else { return }
        orientation = Int(value)
    }

    mutating func note(_ size: (width: Int, height: Int)?) { pixelSize = pixelSize ?? size }
}

extension PreviewSearch {
    /// What a directory points to, if it is a JPEG.
    ///
    /// RAW data are often coded so, too, but without loss, which no picture for looking is.
    mutating func add(_ directory: TIFFReader.Directory, of reader: TIFFReader) {
        if let offset = reader.integer(Tag.jpegOffset, in: directory),
            let length = reader.integer(Tag.jpegLength, in: directory)
        {
            add(offset, length, in: reader.region)
        }
        guard let compression = reader.integer(Tag.compression, in: directory), [6, 7, 99].contains(compression),
            directory[Tag.stripOffsets]?.count == 1, let offset = reader.integer(Tag.stripOffsets, in: directory),
            let length = reader.integer(Tag.stripByteCounts, in: directory)
        else { return }
        add(offset, length, in: reader.region)
    }

    /// A picture that runs past the end of its file counts up to there: what is left of it can be shown.
    mutating func add(_ offset: UInt64, _ length: UInt64, in region: ByteRegion) {
        guard offset > 0, let rest = region.from(offset), let part = rest.part(0, min(length, rest.count)) else {
            return
        }
        add(part)
    }

    mutating func add(_ region: ByteRegion, isWhole: Bool = false) {
        guard places.count < Self.placeLimit, !places.contains(where: { $0.offset == region.start }),
            let size = JPEGFile.pixelSize(of: region)
        else { return }
        let kind: PreviewPlace.Kind =
            isWhole ? .whole : max(size.width, size.height) <= Self.thumbnailEdge ? .thumbnail : .preview
        places.append(
            PreviewPlace(
                offset: region.start, length: min(region.count, Self.lengthLimit), kind: kind, width: size.width,
                height: size.height))
        if isWhole { note(size) }
    }

    /// A HEIF that is longer than a picture may be is none.
    mutating func addHEIF(_ file: ByteRegion, _ size: (width: Int, height: Int)) {
        guard file.count <= Self.lengthLimit else { return }
        places.append(
            PreviewPlace(
                offset: file.start, length: file.count, kind: .whole, coding: .heif, width: size.width,
                height: size.height))
    }

    /// The JPEG that begins among the first bytes of a box, behind fields of its own.
    mutating func add(behindFieldsOf body: ByteRegion) {
        guard let start = body.upTo(64).index(of: [0xFF, 0xD8, 0xFF]), let jpeg = body.from(UInt64(start)) else {
            return
        }
        add(jpeg)
    }
}

extension JPEGFile {
    /// Pixels of a picture that is coded as pictures for looking are; nil for anything else.
    static func pixelSize(of region: ByteRegion) -> (width: Int, height: Int)? {
        guard region.upTo(3).starts(with: [0xFF, 0xD8, 0xFF] as [UInt8]) else { return nil }
        var found: (width: Int, height: Int)?
        walk(region) { segment in
            guard found == nil, [0xC0, 0xC1, 0xC2, 0xC9, 0xCA].contains(segment.marker) else { return }
            let head = segment.body.upTo(6)
            guard head[0] == 8, let height = head.u16(1, .big), let width = head.u16(3, .big), width > 0, height > 0
            else { return }
            found = (Int(width), Int(height))
        }
        return found
    }
}
