/// A box with its header.
func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    be32(body.count + 8) ++ type.unicodeScalars.map { UInt8($0.value) } + body
}

func fullBox(_ type: String, version: Int = 0, flags: Int = 0, _ body: [UInt8]) -> [UInt8] {
    box(type, be32(version << 24 | flags) ++ body)
}

func uuidBox(_ hex: [UInt64], _ body: [UInt8]) -> [UInt8] { box("uuid", hex.flatMap { pack($0, 8, .big) } + body) }

/// A still picture in boxes: an Exif item, an XMP item, and a primary item with its size.
func heif(_ exif: [UInt8], xmp: String = "", brand: String = "heic", pad: Int = 0) -> [UInt8] {
    func meta(_ data: Int) -> [UInt8] {
        let entries =
            fullBox("infe", version: 2, be16(1) ++ be16(0) ++ ascii("hvc1") ++ [0])
            ++ fullBox("infe", version: 2, be16(2) ++ be16(0) ++ ascii("Exif") ++ [0])
            ++ fullBox("infe", version: 2, be16(3) ++ be16(0) ++ ascii("mime") ++ [0] ++ ascii("application/rdf+xml\0"))
        func place(_ id: Int, _ offset: Int, _ length: Int) -> [UInt8] {
            be16(id) ++ be16(0) ++ be16(1) ++ be32(offset) ++ be32(length)
        }
        let item = exif.count + 10
        let locations =
            place(1, data + pad + item + xmp.utf8.count, 16) ++ place(2, data + pad, item)
            ++ place(3, data + pad + item, xmp.utf8.count)
        let sizes = fullBox("ispe", be32(160) ++ be32(120)) ++ fullBox("ispe", be32(4032) ++ be32(3024))
        let properties = box("iprp", box("ipco", sizes) ++ fullBox("ipma", be32(1) ++ be16(1) ++ [1, 0x82]))
        return fullBox(
            "meta",
            fullBox("hdlr", be32(0) ++ ascii("pict") ++ zeros(13)) ++ fullBox("pitm", be16(1))
                ++ fullBox("iinf", be16(3) ++ entries)
                ++ fullBox("iloc", be16(0x4400) ++ be16(3) ++ locations) ++ properties)
    }
    let type = box("ftyp", ascii(brand) ++ be32(0) ++ ascii("mif1") ++ ascii(brand))
    let data = type.count + meta(0).count + 8
    return type + meta(data)
        ++ box("mdat", zeros(pad) ++ be32(6) ++ ascii("Exif\0\0") ++ exif ++ ascii(xmp) ++ zeros(16))
}

/// A recording: header at the end, as cameras write it.
struct MovieBuilder {
    var brand = "qt  "
    /// Seconds since 1904.
    var created = 3_860_000_000
    var userData: [UInt8] = []
    var keys: [(String, String)] = []
    var extra: [UInt8] = []
    var top: [UInt8] = []
    var frames = 2000

    func build() -> [UInt8] {
        let header = fullBox("mvhd", be32(created) ++ be32(created) ++ be32(600) ++ be32(3000) ++ zeros(80))
        let track = box("trak", fullBox("tkhd", zeros(72) ++ be32(1920 << 16) ++ be32(1080 << 16)))
        var meta: [UInt8] = []
        if !keys.isEmpty {
            let names = keys.flatMap { be32($0.0.utf8.count + 8) ++ ascii("mdta") ++ ascii($0.0) }
            let values = keys.enumerated().flatMap { index, pair in
                be32(pair.1.utf8.count + 24) ++ be32(index + 1) ++ box("data", be32(1) ++ be32(0) ++ ascii(pair.1))
            }
            meta = box(
                "meta",
                fullBox("hdlr", be32(0) ++ ascii("mdta") ++ zeros(13)) ++ fullBox("keys", be32(keys.count) ++ names)
                    ++ box("ilst", values))
        }
        let user = userData.isEmpty ? [] : box("udta", userData)
        return box("ftyp", ascii(brand) ++ be32(0) ++ ascii(brand)) ++ top ++ box("mdat", zeros(frames))
            ++ box("moov", header + track + user + meta + extra)
    }
}

/// International text in user data.
func userText(_ type: String, _ text: String) -> [UInt8] {
    box(type, be16(text.utf8.count) ++ be16(0x15C7) ++ ascii(text))
}
