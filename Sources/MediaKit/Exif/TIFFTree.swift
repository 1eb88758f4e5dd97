/// All directories of a TIFF-based file that facts may stand in: the chain, the SubIFDs, Exif and GPS.
///
/// Each is visited once.
struct TIFFTree: TagSource {
    let reader: TIFFReader
    /// The first directory, its followers and all SubIFDs, in the order in which they were met.
    private(set) var images: [TIFFReader.Directory] = []
    private(set) var exif: TIFFReader.Directory?
    private(set) var gps: TIFFReader.Directory?
    /// A pointer leads nowhere or in a circle.
    private(set) var damaged = false
    private var visited: Set<UInt64> = []
    private var chain = 1

    static let directoryLimit = 48

    /// Nil when there is not even a first directory.
    init?(_ reader: TIFFReader) {
        self.reader = reader
        guard let first = reader.directory(at: reader.first) else { return nil }
        visited.insert(reader.first)
        images = [first]
        var next = first.next
        while next != 0, images.count < 16, let directory = open(next) {
            images.append(directory)
            next = directory.next
        }
        chain = images.count
        var index = 0
        while index < images.count {
            addChildren(of: images[index])
            index += 1
        }
    }

    private mutating func open(_ offset: UInt64) -> TIFFReader.Directory? {
        guard visited.count < Self.directoryLimit else { return nil }
        guard visited.insert(offset).inserted, let directory = reader.directory(at: offset) else {
            damaged = true; return nil
        }
        return directory
    }

    private mutating func addChildren(of directory: TIFFReader.Directory) {
        if exif == nil, let offset = reader.integer(Tag.exifPointer, in: directory) { exif = open(offset) }
        if gps == nil, let offset = reader.integer(Tag.gpsPointer, in: directory) ?? gpsOffsetInExif {
            gps = open(offset)
        }
        guard let entry = directory[Tag.subDirectories], let list = reader.value(of: entry) else { return }
        for index in 0..<min(list.count, 16) {
            guard let offset = list.integer(index), offset > 0, let child = open(UInt64(offset)) else { continue }
            images.append(child)
        }
    }

    private var gpsOffsetInExif: UInt64? { exif.flatMap { reader.integer(Tag.gpsPointer, in: $0) } }

    func value(_ tag: UInt16, in folder: TagFolder) -> TagValue? {
        let directory: TIFFReader.Directory?
        switch folder {
        case .image: directory = images.first
        case .exif: directory = exif
        case .gps: directory = gps
        case .thumbnail: directory = chain > 1 ? images[1] : nil
        }
        return directory?[tag].flatMap { reader.value(of: $0) }
    }

    /// Pixels of the largest image that is not marked as a reduced one.
    var pixelSize: (width: Int, height: Int)? {
        var best: (width: Int, height: Int, rank: Int)?
        for image in images {
            guard let width = reader.integer(Tag.width, in: image), let height = reader.integer(Tag.height, in: image),
                (1...1_000_000).contains(width), (1...1_000_000).contains(height)
            else { continue }
            let reduced = (reader.integer(Tag.subfileType, in: image) ?? 0) & 1 == 1
            let rank = reduced ? Int(width * height) - (1 << 50) : Int(width * height)
            if rank > best?.rank ?? .min { best = (Int(width), Int(height), rank) }
        }
        return best.map { ($0.width, $0.height) }
    }
}
