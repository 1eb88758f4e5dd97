/// Chunks of RIFF.
func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
    ascii(type) ++ le32(body.count) ++ body ++ zeros(body.count % 2)
}
func riff(_ type: String, _ chunks: [UInt8]) -> [UInt8] { chunk("RIFF", ascii(type) ++ chunks) }

func avi(time: String = "Fri May 01 12:30:05 2026\n") -> [UInt8] {
    let header = le32(40_000) ++ zeros(12) ++ le32(50) ++ zeros(12) ++ le32(640) ++ le32(480) ++ zeros(16)
    let list = chunk("LIST", ascii("hdrl") ++ chunk("avih", header) ++ chunk("IDIT", ascii(time)))
    let tags = le16(3) ++ le16(5) ++ ascii("Acme\0") ++ le16(4) ++ le16(4) ++ ascii("A-1\0")
    return riff(
        "AVI ", list ++ chunk("LIST", ascii("ncdt") ++ chunk("nctg", tags)) ++ chunk("LIST", ascii("movi") ++ zeros(64))
    )
}

/// A voice memo: broadcast extension, or the lists that Exif describes for audio.
func wav(broadcast: Bool) -> [UInt8] {
    let format = chunk("fmt ", le16(1) ++ le16(1) ++ le32(8000) ++ le32(8000) ++ le16(1) ++ le16(8))
    let time =
        broadcast
        ? chunk("bext", zeros(320) ++ ascii("2026-05-0112:30:05") ++ zeros(264))
        : chunk("LIST", ascii("INFO") ++ chunk("ICRD", ascii("2026-05-01\0")))
        ++ chunk(
            "LIST",
            ascii("exif") ++ chunk("etim", ascii("12:30:05.00\0")) ++ chunk("ecor", ascii("Acme\0"))
                ++ chunk("emdl", ascii("A-1\0")))
    return riff("WAVE", format + time ++ chunk("data", zeros(4000)))
}

func webp(_ tiff: [UInt8]) -> [UInt8] {
    riff("WEBP", chunk("VP8X", [8, 0, 0, 0, 0x6F, 0x17, 0, 0x9F, 0x0F, 0]) ++ chunk("EXIF", tiff))
}

/// A PNG of chunks; the checks that nobody reads are zero.
func png(_ chunks: [(String, [UInt8])]) -> [UInt8] {
    let header: [UInt8] = be32(320) ++ be32(200) ++ [8, 2, 0, 0, 0]
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    for (type, body) in [("IHDR", header)] + chunks + [("IEND", [])] {
        bytes += be32(body.count) ++ ascii(type) ++ body ++ zeros(4)
    }
    return bytes
}

/// Bytes in one stored block of zlib.
func zlibStored(_ bytes: [UInt8]) -> [UInt8] {
    ([0x78, 0x01, 1] ++ le16(bytes.count) ++ le16(~bytes.count & 0xFFFF) ++ bytes ++ zeros(4))
}

/// ImageMagick's way to keep Exif.
func rawProfile(_ tiff: [UInt8]) -> [UInt8] {
    let bytes = ascii("Exif\0\0") ++ tiff, digits = ascii("0123456789abcdef")
    var text = ascii("\nexif\n    \(bytes.count)\n")
    for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]] }
    return text ++ ascii("\n")
}

func psd(_ resources: [(Int, [UInt8])]) -> [UInt8] {
    var list: [UInt8] = []
    for (id, body) in resources {
        list += (ascii("8BIM") ++ be16(id) ++ [0, 0] ++ be32(body.count) ++ body ++ zeros(body.count % 2))
    }
    let head = (ascii("8BPS") ++ be16(1) ++ zeros(6) ++ be16(3) ++ be32(200) ++ be32(320) ++ be16(8) ++ be16(3))
    return (head ++ be32(0) ++ be32(list.count) ++ list)
}

/// Packets of an AVCHD clip whose first picture's user data runs over a packet's end.
func transportStream(stamped: Bool = true) -> [UInt8] {
    let marker: [UInt8] =
        [0x17, 0xEE, 0x8C, 0x60, 0xF8, 0x4D, 0x11, 0xD9, 0x8C, 0xD6, 0x08, 0x00, 0x20, 0x0C, 0x9A, 0x66]
        ++ ascii("MDPM")
    // An emulation prevention byte stands behind two zeros; +02:00 with summer time; model in three pieces, the make as
    // a number.
    let entries: [UInt8] =
        [
            9, 0x14, 0, 0, 3, 0, 0, 0x18, 0x44, 0x20, 0x26, 0x05, 0x19, 0x01, 0x12, 0x30, 0x05, 0xA0, 0, 1, 0, 50, 0xA1,
            0, 63, 0, 10,
        ]
        ++ [0xE0, 1, 8, 0x30, 1, 0xE4] ++ ascii("ILCE") ++ [0xE5] ++ ascii("-7M3") ++ [0xE6, 0, 0, 3, 0, 0]
    let payload =
        [0, 0, 1] ++ sequence(1920) ++ [0, 0, 1] ++ zeros(110).map { _ in UInt8(0xAB) } + marker + entries
        ++ zeros(400).map { _ in UInt8(0xCD) }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: payload.count, by: 184) {
        var part = Array(payload[start..<min(start + 184, payload.count)])
        part += [UInt8](repeating: 0xFF, count: 184 - part.count)
        bytes += (stamped ? zeros(4) : []) ++ [0x47, 0x10, 0x11, 0x10] ++ part
        bytes += (stamped ? zeros(4) : []) ++ [0x47, 0x1F, 0xFF, 0x10] ++ zeros(184)
    }
    return bytes
}

/// H.264 sequence parameter sets of 1920 × 1080 and of 1280 × 720.
func sequence(_ width: Int) -> [UInt8] {
    width == 1280
        ? [
            0x67, 0x64, 0, 0x1F, 0xAC, 0xD9, 0x40, 0x50, 0x05, 0xBB, 0x01, 0x10, 0, 0, 3, 0, 0x10, 0, 0, 3, 3, 0xC0,
            0xF1, 0x83, 0x19, 0x60,
        ]
        : [
            0x67, 0x64, 0, 0x28, 0xAC, 0xD9, 0x40, 0x78, 0x02, 0x27, 0xE5, 0xC0, 0x44, 0, 0, 3, 0, 4, 0, 0, 3, 0, 0xF0,
            0x3C, 0x60, 0xC6, 0x58,
        ]
}

/// A BMP's two headers; a height below zero begins at the picture's top.
func bmp(height: Int = 200, old: Bool = false) -> [UInt8] {
    let sizes =
        old ? le32(12) ++ le16(320) ++ le16(height) : le32(40) ++ le32(320) ++ le32(height & 0xFFFF_FFFF) ++ zeros(28)
    return ascii("BM") ++ le32(1000) ++ zeros(4) ++ le32(54) ++ sizes ++ zeros(100)
}

func gif() -> [UInt8] { ascii("GIF89a") ++ le16(320) ++ le16(200) ++ zeros(20) }

/// JPEG XL's first bits: 200 × 130, each length by itself.
let jxlStream: [UInt8] = [0xFF, 0x0A, 0x08, 0x04, 0x8E, 0x81, 0x3C, 0x64, 0x75, 0x6D]

func mxf() -> [UInt8] {
    let key: [UInt8] = [0x06, 0x0E, 0x2B, 0x34]
    let set = be16(0x4401) ++ be16(32) ++ zeros(32) ++ be16(0x4405) ++ be16(8) ++ be16(2026) ++ [5, 1, 10, 30, 5, 56]
    let package = key ++ [2, 0x53, 1, 1, 0x0D, 1, 1, 1, 1, 1, 0x36, 0, 0x82] ++ be16(set.count) ++ set
    return key ++ [2, 5, 1, 1, 0x0D, 1, 2, 1, 1, 2, 4, 0, 8] ++ zeros(8) ++ package
}

func matroska() -> [UInt8] {
    // 2026-05-01T10:30:05Z counted from 2001; 5 s.
    let info: [UInt8] =
        [0x2A, 0xD7, 0xB1, 0x83, 0x0F, 0x42, 0x40, 0x44, 0x61, 0x88] ++ be64(799_324_205 * 1_000_000_000) ++ [
            0x44, 0x89, 0x84,
        ]
        ++ be32(0x459C_4000)
    return [
        0x1A, 0x45, 0xDF, 0xA3, 0x80, 0x18, 0x53, 0x80, 0x67, 0xFF, 0x15, 0x49, 0xA9, 0x66, 0x80 | UInt8(info.count),
    ] ++ info
}

func dv() -> [UInt8] {
    var bytes: [UInt8] = [0x1F, 0x07, 0, 0x3F] ++ zeros(80 * 6 - 4)
    bytes.replaceSubrange(240..<243, with: [0x50, 0, 0])
    bytes.replaceSubrange(243..<253, with: [0x62, 0xFF, 0x01, 0x05, 0x26, 0x63, 0xFF, 0x05, 0x30, 0x12])
    return bytes
}

func r3d() -> [UInt8] {
    func record(_ tag: Int, _ text: String) -> [UInt8] { be16(text.utf8.count + 5) ++ be16(tag) ++ ascii(text) ++ [0] }
    let records =
        record(0x1006, "130-246") ++ record(0x1023, "20260501") ++ record(0x1024, "123005") ++ record(0x1071, "A-1")
    return be32(0x400) ++ [0x52, 0x45, 0x44, 0x32] ++ zeros(0x38) ++ [1, 0, 0, 1] ++ zeros(8) ++ be32(5120)
        ++ be32(2560) ++ zeros(8)
        ++ be16(records.count) ++ records
}

/// The clip metadata of XDCAM and XAVC.
let nonRealTimeMeta = """
    <?xml version="1.0" encoding="UTF-8"?>
    <NonRealTimeMeta xmlns="urn:schemas-professionalDisc:nonRealTimeMeta:ver.2.00" lastUpdate="2026-05-01T12:30:09+02:00">
    <CreationDate value="2026-05-01T12:30:05+02:00"/><Device manufacturer="Acme" modelName="A-1" serialNo="4294967295"/>
    <Lens modelName="50mm &amp; more"/></NonRealTimeMeta>
    """
