/// Pictures inside files that are made of boxes or of a heap.
extension PreviewSearch {
    /// The thumbnail of the Exif item, items that are JPEGs, and the file as a whole.
    mutating func take(heif file: ByteRegion) {
        guard let box = Box.all(in: file)["meta"], let meta = MetaBox(box) else { return }
        for item in meta.items.filter({ $0.type == "Exif" }).prefix(2) {
            guard let data = meta.data(of: item.id), let skip = data.u32(0, .big) else { continue }
            if let block = HEIFFile.tiff(in: data, after: UInt64(skip) + 4) { take(exif: block) }
        }
        for item in meta.items.filter({ $0.type == "jpeg" }).prefix(HEIFFile.itemLimit) {
            if let data = meta.data(of: item.id) { add(data) }
        }
        note(meta.primarySize)
        if let size = meta.primarySize { addHEIF(file, size) }
    }

    /// The first half of eaf42b5e-1c98-4b88-b9fb-b7dc406e4d16, the box of CR3's preview.
    private static let previewUUID: UInt64 = 0xEAF4_2B5E_1C98_4B88

    mutating func take(cr3 file: ByteRegion) {
        let top = Box.all(in: file), movie = top["moov"]?.children() ?? []
        for box in movie where box.type == "uuid" && box.uuid == MovieBlocks.metadataUUID {
            for child in box.children() {
                if child.type == "THMB" { add(behindFieldsOf: child.body) }
                guard child.type == "CMT1", let reader = TIFFReader(child.body), let tree = TIFFTree(reader),
                    let first = tree.images.first
                else { continue }
                note(first, reader)
                note(tree.pixelSize)
            }
        }
        for box in top where box.type == "uuid" && box.uuid == Self.previewUUID {
            for child in box.children(from: 8) where child.type == "PRVW" { add(behindFieldsOf: child.body) }
        }
    }

    mutating func take(crw file: ByteRegion) {
        guard let order = ByteOrder(mark: file.upTo(2)), let start = file.u32(2, order),
            let heap = file.from(UInt64(start))
        else { return }
        _ = CIFFFile.walk(heap, order, depth: 0) { tag, value in if tag == 0x2007 || tag == 0x2008 { add(value) } }
    }
}
