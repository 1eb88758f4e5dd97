/// HEIF and AVIF (ISO/IEC 23008-12): the Exif and XMP items, and the primary item's size.
enum HEIFFile {
    /// Items of one kind that are looked up.
    static let itemLimit = 8

    static func locate(in file: ByteRegion, into findings: inout Findings) {
        guard let box = Box.all(in: file)["meta"], let meta = MetaBox(box) else {
            findings.flags.insert(MediaFlag.exifDamaged)
            return
        }
        for item in meta.items.filter({ $0.type == "Exif" }).prefix(itemLimit) {
            guard let data = meta.data(of: item.id), let skip = data.u32(0, .big),
                let block = tiff(in: data, after: UInt64(skip) + 4)
            else {
                findings.flags.insert(MediaFlag.exifDamaged)
                continue
            }
            findings.takeExif(block)
        }
        for item in meta.items.filter({ $0.isXMP }).prefix(itemLimit) {
            if let data = meta.data(of: item.id) { findings.takeXMP(data.upTo(512 << 10)) }
        }
        findings.pixelSize = meta.primarySize
    }

    /// Some writers count the identifier "Exif\0\0" in, some do not, some forget the count.
    static func tiff(in data: ByteRegion, after skip: UInt64) -> ByteRegion? {
        for place in [skip, skip + 6, 4, 0] {
            if let mark = data.bytes(place, 2), ByteOrder(mark: mark) != nil { return data.from(place) }
        }
        return nil
    }
}

/// A `meta` box with items (ISO/IEC 14496-12 §8.11).
struct MetaBox {
    struct Item { let id: UInt32, type: FourCC, isXMP: Bool }

    private(set) var items: [Item] = []
    private let boxes: [Box]
    private static let itemLimit = 4096

    init?(_ box: Box) {
        boxes = box.children(from: 4)
        guard let info = boxes["iinf"] else { return nil }
        let wide = info.body.upTo(1)[0] != 0
        for entry in info.children(from: wide ? 8 : 6).prefix(Self.itemLimit) where entry.type == "infe" {
            let bytes = entry.body.upTo(256)
            let version = bytes[0] ?? 0
            let id = version < 3 ? bytes.u16(4, .big).map(UInt32.init) : bytes.u32(4, .big)
            let place = version < 3 ? 8 : 10
            guard version >= 2, let id, let type = FourCC(bytes, at: place) else { continue }
            let isXMP = type == "mime" && bytes.from(place + 4).index(of: Array("application/rdf+xml".utf8)) != nil
            items.append(Item(id: id, type: type, isXMP: isXMP))
        }
    }

    /// The item's bytes; only items in one piece, as metadata always is.
    func data(of id: UInt32) -> ByteRegion? {
        guard let location = boxes["iloc"]?.body, let place = ItemLocations(location).place(of: id) else { return nil }
        switch place.method {
        case 0: return location.window.whole.part(place.offset, place.length)
        case 1: return boxes["idat"]?.body.part(place.offset, place.length)
        default: return nil
        }
    }

    private var primary: UInt32? {
        guard let body = boxes["pitm"]?.body, let version = body.upTo(1)[0] else { return nil }
        return version == 0 ? body.u16(4, .big).map(UInt32.init) : body.u32(4, .big)
    }

    /// `ispe` of the primary item.
    var primarySize: (width: Int, height: Int)? {
        guard let primary, let properties = boxes["iprp"]?.children(), let list = properties["ipco"]?.children() else {
            return nil
        }
        for association in properties where association.type == "ipma" {
            for index in Self.associated(association.body, with: primary) {
                guard index >= 1, index <= list.count, list[index - 1].type == "ispe" else { continue }
                let body = list[index - 1].body
                guard let width = body.u32(4, .big), let height = body.u32(8, .big), (1..<1 << 31).contains(width),
                    (1..<1 << 31).contains(height)
                else { continue }
                return (Int(width), Int(height))
            }
        }
        return nil
    }

    /// The 1-based numbers of the properties that `ipma` gives to `item`.
    private static func associated(_ body: ByteRegion, with item: UInt32) -> [Int] {
        let bytes = body.upTo(64 << 10)
        guard let version = bytes[0], let flags = bytes[3], let count = bytes.u32(4, .big) else { return [] }
        let wideID = version >= 1, wideIndex = flags & 1 == 1
        var place = 8
        for _ in 0..<min(count, UInt32(itemLimit)) {
            guard let id = wideID ? bytes.u32(place, .big) : bytes.u16(place, .big).map(UInt32.init),
                let amount = bytes[place + (wideID ? 4 : 2)]
            else { return [] }
            place += wideID ? 5 : 3
            let step = wideIndex ? 2 : 1
            if id == item {
                return (0..<Int(amount)).compactMap { number in
                    let at = place + number * step
                    return wideIndex ? bytes.u16(at, .big).map { Int($0 & 0x7FFF) } : bytes[at].map { Int($0 & 0x7F) }
                }
            }
            place += Int(amount) * step
        }
        return []
    }
}
