/// A still picture in HEIF (ISO/IEC 23008-12): one HEVC image item, one Exif item that describes it.
struct HEICFile {
    let picture: Planes
    /// A TIFF block.
    let exif: [UInt8]

    func bytes() -> [UInt8] {
        let stream = HEVCStill(picture)
        let image = stream.sample
        let notes = Box.u32(6) + Box.text("Exif") + [0, 0] + exif
        let type = Box.box("ftyp", Box.text("heic"), Box.u32(0), Box.text("mif1heic"))
        let empty = meta(stream, [(0, image.count), (0, notes.count)])
        let start = type.count + empty.count + 8
        return type + meta(stream, [(start, image.count), (start + image.count, notes.count)])
            + Box.box("mdat", image, notes)
    }

    private func meta(_ stream: HEVCStill, _ extents: [(Int, Int)]) -> [UInt8] {
        let handler = Box.full("hdlr", Box.u32(0), Box.text("pict"), Box.u32(0, 0, 0), [0])
        let items = Box.full("iinf", Box.u16(2), Self.item(1, "hvc1", flags: 0), Self.item(2, "Exif", flags: 1))
        let references = Box.full("iref", Box.box("cdsc", Box.u16(2, 1, 1)))
        return Box.full(
            "meta", handler, Box.full("pitm", Box.u16(1)), Self.locations(extents), items, references,
            properties(stream))
    }

    private static func item(_ id: UInt16, _ type: String, flags: UInt32) -> [UInt8] {
        Box.full("infe", version: 2, flags: flags, Box.u16(id, 0), Box.text(type), [0])
    }

    /// Offsets and lengths of four bytes each, counted from the start of the file, one extent per item.
    private static func locations(_ extents: [(Int, Int)]) -> [UInt8] {
        let entries = extents.enumerated().flatMap { index, extent in
            Box.u16(UInt16(index + 1), 0, 1) + Box.u32(UInt32(extent.0), UInt32(extent.1))
        }
        return Box.full("iloc", [0x44, 0], Box.u16(UInt16(extents.count)), entries)
    }

    private func properties(_ stream: HEVCStill) -> [UInt8] {
        let size = Box.full("ispe", Box.u32(UInt32(picture.paddedWidth), UInt32(picture.paddedHeight)))
        let depth = Box.full("pixi", [3, 8, 8, 8])
        let colour = Box.box("colr", Box.text("nclx"), Box.u16(1, 13, 6), [0x80])
        let association = Box.full("ipma", Box.u32(1), Box.u16(1), [4, 0x81, 2, 3, 4])
        return Box.box("iprp", Box.box("ipco", Box.box("hvcC", stream.configuration), size, colour, depth), association)
    }
}
