/// A RAF file: header, embedded JPEG, directory with the picture's size, sensor data.
func raf(_ jpeg: [UInt8], data: Int = 64) -> [UInt8] {
    let directory =
        be32(2) ++ be16(0x0100) ++ be16(4) ++ be16(4100) ++ be16(6100) ++ be16(0x0111) ++ be16(4) ++ be16(4000)
        ++ be16(6000)
    let start = 0x6C, end = start + jpeg.count
    let head =
        [0x46, 0x55, 0x4A, 0x49, 0x46, 0x49, 0x4C, 0x4D, 0x43, 0x43, 0x44, 0x2D, 0x52, 0x41, 0x57, 0x20]
        ++ zeros(0x54 - 16)
    let places =
        be32(start) ++ be32(jpeg.count) ++ be32(end) ++ be32(directory.count) ++ be32(end + directory.count)
        ++ be32(data)
    return head ++ places + jpeg + directory ++ zeros(data)
}

/// An MRW file: sizes, a TIFF structure, rows of 12 bits a pixel.
func mrw(_ tiff: [UInt8], width: Int = 40, height: Int = 20) -> [UInt8] {
    let sizes =
        ascii("21720002") ++ be16(height) ++ be16(width) ++ be16(height) ++ be16(width) ++ [12, 12, 0, 0, 0, 0, 0, 0]
    let blocks = [0] ++ ascii("PRD") ++ be32(sizes.count) ++ sizes ++ [0] ++ ascii("TTW") ++ be32(tiff.count) ++ tiff
    return [0] ++ ascii("MRM") ++ be32(blocks.count) ++ blocks ++ zeros(width * height * 12 / 8)
}

/// A CIFF heap: values, then the directory, then its place.
func ciffHeap(_ records: [(tag: Int, value: [UInt8])]) -> [UInt8] {
    var values: [UInt8] = [], entries: [UInt8] = []
    for (tag, value) in records {
        if tag & 0x4000 != 0 {
            entries += le16(tag) ++ value ++ zeros(8 - value.count)
        } else {
            entries += le16(tag) ++ le32(value.count) ++ le32(values.count)
            values += value
        }
    }
    return values ++ le16(records.count) ++ entries ++ le32(values.count)
}

func crw(_ heap: [UInt8]? = nil) -> [UInt8] {
    let camera = ciffHeap([(0x080A, ascii("Acme\0\0A-1\0")), (0x580B, le32(560_018_150))])
    let shot = ciffHeap([
        (0x180E, le32(1_777_638_605) ++ le32(7200) ++ le32(1 << 31)), (0x1810, le32(3072) ++ le32(2048) ++ zeros(20)),
    ])
    return ascii("II") ++ le32(26) ++ ascii("HEAPCCDR") ++ zeros(12)
        ++ (heap ?? ciffHeap([(0x2005, zeros(32)), (0x2807, camera), (0x300B, shot), (0x0810, ascii("Ann\0"))]))
}

/// An X3F file with a property section and a preview that holds an Exif block.
func x3f(_ jpeg: [UInt8] = [], iso: String = "200") -> [UInt8] {
    var texts: [UInt8] = [], places: [UInt8] = []
    for (name, value) in [
        ("CAMMANUF", "Acme"), ("CAMMODEL", "A-1"), ("CAMSERIAL", "02001234"), ("TIME", "978309395"), ("ISO", iso),
    ] {
        places += le32(texts.count / 2) ++ le32(texts.count / 2 + name.utf8.count + 1)
        for text in [name, value] { texts += text.utf8.flatMap { [$0, 0] } + [0, 0] }
    }
    let properties =
        ascii("SECp") ++ le32(0x20000) ++ le32(5) ++ le32(0) ++ le32(0) ++ le32(texts.count / 2) ++ places + texts
    let picture = ascii("SECi") ++ le32(0x20000) ++ le32(2) ++ le32(18) ++ le32(160) ++ le32(120) ++ le32(0) ++ jpeg
    let head = ascii("FOVb") ++ le32(0x20003) ++ zeros(16) ++ le32(0) ++ le32(2268) ++ le32(1512) ++ le32(0)
    let entries =
        le32(head.count) ++ le32(properties.count) ++ ascii("PROP") ++ le32(head.count + properties.count)
        ++ le32(picture.count)
        ++ ascii("IMA2")
    return head + properties + picture ++ ascii("SECd") ++ le32(0x20000) ++ le32(2) ++ entries
        ++ le32(head.count + properties.count + picture.count)
}

/// An RW2 file: borders, sensor data's place, an embedded JPEG with the Exif block.
func rw2(_ jpeg: [UInt8]) -> [UInt8] {
    let folder: [(tag: UInt16, value: TIFFBuilder.Value)] = [
        (4, .short([4])), (5, .short([8])), (6, .short([3004])), (7, .short([4008])), (0x2E, .bytes(jpeg)),
        (0x010F, .text("Acme")), (0x0118, .long([2048])),
    ]
    return TIFFBuilder(magic: 0x55, folders: [folder]).build() ++ zeros(4096)
}

/// A RAW file as most are built: reduced picture first, the frame's data in a SubIFD, DNG's serial number, an XMP
/// packet.
func tiffRAW(magic: Int = 42, order: Endian = .little, gap: Int = 0, xmp: String = "") -> [UInt8] {
    var tiff = TIFFBuilder.camera(order, magic: magic, gap: gap)
    tiff.folders[0].insert((0x00FE, .long([1])), at: 0)
    tiff.folders[0] += [
        (0x0100, .long([160])), (0x0101, .long([120])), (0x014A, .directories([3])), (0xC62F, .text("D-77")),
    ]
    if !xmp.isEmpty { tiff.folders[0].append((0x02BC, .bytes(ascii(xmp)))) }
    tiff.folders[1].removeAll { $0.tag == 0xA431 }
    tiff.folders.append([
        (0x00FE, .long([0])), (0x0100, .long([6048])), (0x0101, .long([4024])), (0x0111, .long([8])),
        (0x0117, .long([16])),
    ])
    return tiff.build()
}

/// A ZIP archive with one stored entry.
func eip(_ tiff: [UInt8]) -> [UInt8] {
    ascii("PK") ++ [3, 4] ++ le16(20) ++ le16(0) ++ le16(0) ++ zeros(8) ++ le32(tiff.count) ++ le32(tiff.count)
        ++ le16(5) ++ le16(0)
        ++ ascii("0.IIQ") ++ tiff
}

/// A header whose texts are stored backwards.
func reversedRAW() -> [UInt8] {
    func field(_ text: String, _ length: Int) -> [UInt8] {
        Array(text.utf8.reversed()) ++ zeros(length - text.utf8.count)
    }
    let make = [0x41, 0x52, 0x45, 0x43, 0x4F, 0x59, 0x4B] as [UInt8]
    return zeros(12) ++ field("N DIGITAL", 12) ++ [0] ++ make ++ [0] ++ field("2026:05:01 12:30:05", 20)
        ++ zeros(0x70 - 0x35) ++ be32(55)
        ++ zeros(60)
}
