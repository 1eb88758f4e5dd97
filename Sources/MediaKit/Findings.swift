import FilmgateCore

/// What has been found in a file so far.
///
/// The first answer to a question stays.
struct Findings {
    private(set) var facts = MediaFacts()
    /// Who can read maker notes; without any they are not looked for.
    let makers: [any MakerNoteReader]
    /// What XMP says: its rating counts before Exif's, everything else behind it.
    private(set) var xmp = MediaFacts()
    private var iptc = MediaFacts()
    private var blocks = 0
    static let blockLimit = 24
    /// When the file was last changed, for want of a better time.
    private var modified: CivilTime?
    private var universal: CivilTime?
    /// Pixels as the container itself says; a size of nothing is not taken.
    var pixelSize: (width: Int, height: Int)? {
        didSet { if let pixelSize, pixelSize.width <= 0 || pixelSize.height <= 0 { self.pixelSize = oldValue } }
    }
    var flags: Set<String> = []

    init(makers: [any MakerNoteReader] = []) { self.makers = makers }

    /// A self-contained Exif block: TIFF header, directories, values.
    /// - Parameter only: the folder that its first directory stands for, where a format keeps each in a block of its
    ///   own.
    mutating func takeExif(_ block: ByteRegion, only: TagFolder? = nil) {
        guard mayTakeBlock() else { return }
        if block.count <= UInt64(ExifBlock.limit), let bytes = block.bytes(0, Int(block.count)),
            let exif = ExifBlock(bytes, only: only)
        {
            take(exif, damaged: exif.damaged)
            if only == nil { takeMakerNote(of: block) }
        } else if let reader = TIFFReader(block), let tree = TIFFTree(reader) {
            take(tree, damaged: tree.damaged)
            takeMakerNote(of: tree)
        } else {
            flags.insert(MediaFlag.exifDamaged)
        }
    }

    /// A block that is in memory already.
    mutating func takeExif(_ block: Bytes) {
        guard mayTakeBlock() else { return }
        guard let exif = ExifBlock(block) else {
            flags.insert(MediaFlag.exifDamaged)
            return
        }
        take(exif, damaged: exif.damaged)
        takeMakerNote(of: ByteWindow(MemorySource(block.array)).whole)
    }

    /// Tags that have been read.
    mutating func take(_ tags: some TagSource, damaged: Bool) {
        facts.fill(from: tags)
        modified = modified ?? tags.modified
        if damaged { flags.insert(MediaFlag.exifDamaged) }
    }

    /// An XMP packet.
    mutating func takeXMP(_ packet: Bytes) {
        if mayTakeBlock() { xmp.fill(fromXMP: packet) }
    }

    /// No real file has many blocks; a hostile one may name the same bytes a thousand times.
    private mutating func mayTakeBlock() -> Bool {
        blocks += 1
        return blocks <= Self.blockLimit
    }

    /// IPTC records count behind everything else: they are typed in, not written by cameras.
    mutating func takeIPTC(_ records: ByteRegion) { iptc.fill(from: IPTCRecords.facts(in: records)) }

    /// Fills what is missing.
    mutating func take(_ other: MediaFacts) { facts.fill(from: other) }

    /// Fills what is missing through one closure, for formats with fields of their own.
    mutating func take(_ fill: (inout MediaFacts) -> Void) {
        var other = MediaFacts()
        fill(&other)
        take(other)
    }

    /// A time that is UTC by the format's rule, for want of one that the camera wrote with its zone or as civil time.
    mutating func takeUTC(_ time: CivilTime?) { universal = universal ?? time }

    /// `flags`, with the one that depends on which time was taken.
    var allFlags: Set<String> {
        facts.captured == nil && xmp.captured == nil && universal != nil ? flags.union([MediaFlag.zoneAssumed]) : flags
    }

    /// The facts, best sources first.
    var result: MediaFacts {
        var result = facts.withoutBlanks
        result.rating = xmp.rating ?? facts.rating
        result.fill(from: xmp.withoutBlanks)
        result.captured = result.captured ?? universal
        result.fill(from: iptc.withoutBlanks)
        result.captured = result.captured ?? modified
        if let pixelSize { (result.width, result.height) = (pixelSize.width, pixelSize.height) }
        return result
    }
}

extension MediaFacts {
    /// Whatever container it came from, a text that says nothing is no fact.
    var withoutBlanks: MediaFacts {
        var facts = self
        for text in [\MediaFacts.make, \.model, \.serial, \.owner, \.artist, \.lensModel, \.lensSerial] {
            if facts[keyPath: text]?.allSatisfy(\.isWhitespace) == true { facts[keyPath: text] = nil }
        }
        return facts
    }

    /// Takes over what is missing here.
    mutating func fill(from other: MediaFacts) {
        make = make ?? other.make
        model = model ?? other.model
        serial = serial ?? other.serial
        owner = owner ?? other.owner
        artist = artist ?? other.artist
        lensModel = lensModel ?? other.lensModel
        lensSerial = lensSerial ?? other.lensSerial
        captured = captured ?? other.captured
        exposureTime = exposureTime ?? other.exposureTime
        fNumber = fNumber ?? other.fNumber
        iso = iso ?? other.iso
        focalLength = focalLength ?? other.focalLength
        orientation = orientation ?? other.orientation
        if width == nil || height == nil { (width, height) = (other.width, other.height) }
        position = position ?? other.position
        rating = rating ?? other.rating
        imageNumber = imageNumber ?? other.imageNumber
        shutterCount = shutterCount ?? other.shutterCount
        duration = duration ?? other.duration
    }
}

/// The flags that reading a file can set on its asset.
public enum MediaFlag {
    /// The file ends before its own structure does, or holds zeros or noise in place of a picture.
    public static let truncated = AssetFlag.truncated
    /// The metadata is broken; facts may be missing.
    public static let exifDamaged = "exif-damaged"
    /// The bytes are another kind of file than the name says.
    public static let kindMismatch = "kind-mismatch"
    /// The time is UTC by the format's rule (a movie's header), and no offset of the place is known; many cameras break
    /// the rule and write civil time there.
    public static let zoneAssumed = AssetFlag.zoneAssumed
}
