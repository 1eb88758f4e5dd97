import FilmgateCore

/// Blocks of Exif inside a movie's boxes.
enum MovieBlocks {
    /// The first half of 85c0b687-820f-11e0-8111-f4ce462b6a48, the box of CR3's metadata.
    static let metadataUUID: UInt64 = 0x85C0_B687_820F_11E0

    /// `CMT1`, `CMT2` and `CMT4`: the first, the Exif and the GPS directory, each a TIFF structure of its own.
    static func takeUUID(_ box: Box, into findings: inout Findings) {
        guard box.uuid == metadataUUID else { return }
        for child in box.children() {
            switch child.type {
            case "CMT1":
                findings.takeExif(child.body, only: .image)
                if let reader = TIFFReader(child.body), let tree = TIFFTree(reader) {
                    findings.pixelSize = tree.pixelSize
                }
            case "CMT2": findings.takeExif(child.body, only: .exif)
            case "CMT3": findings.takeMakerNote(standing: child.body)
            case "CMT4": findings.takeExif(child.body, only: .gps)
            default: break
            }
        }
    }

    static func takeUserData(_ box: Box, into findings: inout Findings) {
        switch box.type {
        case "CNTH":
            // A thumbnail with an Exif block.
            guard let jpeg = box.children()["CNDA"]?.body else { return }
            let size = findings.pixelSize
            var inner = Findings(makers: findings.makers)
            JPEGFile.locate(in: jpeg, into: &inner)
            findings.take(inner.facts.withoutSize)
            findings.pixelSize = size
        case "NCDT":
            if let records = box.children()["NCTG"]?.body { findings.take(RecordTags(records).facts) }
        case "XMP_": findings.takeXMP(box.body.upTo(512 << 10))
        default: break
        }
    }
}

extension MediaFacts {
    /// Without what describes an embedded preview rather than the file.
    var withoutSize: MediaFacts {
        var copy = self
        (copy.width, copy.height, copy.orientation) = (nil, nil, nil)
        return copy
    }
}

/// Records of a 32-bit tag, a TIFF format, a count and the value, big-endian.
///
/// Exif's tags stand there as 0x0110 and the tag.
struct RecordTags: TagSource {
    private var values: [UInt32: TagValue] = [:]

    private static let short: [UInt16: UInt32] = [
        Tag.make: 1, Tag.model: 2, Tag.dateTimeDigitized: 0x11, Tag.dateTimeOriginal: 0x12,
    ]

    init(_ body: ByteRegion) {
        let bytes = body.upTo(64 << 10)
        var place = 0
        while values.count < 512, let tag = bytes.u32(place, .big), let code = bytes.u16(place + 4, .big),
            let count = bytes.u16(place + 6, .big), let format = TagFormat(rawValue: code)
        {
            guard let value = bytes.part(place + 8, Int(count) * format.size) else { return }
            values[tag] = TagValue(format: code, count: Int(count), bytes: value, order: .big)
            place += 8 + value.count
        }
    }

    func value(_ tag: UInt16, in folder: TagFolder) -> TagValue? {
        switch folder {
        case .exif: values[0x0110_0000 | UInt32(tag)] ?? Self.short[tag].flatMap { values[$0] }
        case .gps: values[0x0120_0000 | UInt32(tag)]
        case .image, .thumbnail: nil
        }
    }

    var facts: MediaFacts {
        var facts = MediaFacts()
        facts.fill(from: self)
        return facts.withoutSize
    }
}
