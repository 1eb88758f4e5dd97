public import FilmgateCore

/// Recognises a file by its first bytes.
public enum FileSignature {
    /// As many bytes of the head as are ever looked at.
    public static let length = 64

    /// The format, or nil when the bytes are none that is known.
    ///
    /// `head` may be shorter than `length`.
    public static func format(of head: [UInt8]) -> FileFormat? { format(of: Bytes(head)) }

    /// The kind of file that the bytes are, whatever its name.
    public static func kind(of head: [UInt8]) -> MediaKind? { format(of: head)?.kind }

    static func format(of head: Bytes) -> FileFormat? {
        for (magic, offset, format) in magics where head.starts(with: magic, at: offset) { return format }
        return boxFormat(head) ?? EIPFile.format(of: head) ?? riffFormat(head) ?? tiffFormat(head) ?? bitmapFormat(head)
            ?? streamFormat(head) ?? textFormat(head)
    }

    private static let magics: [([UInt8], Int, FileFormat)] = [
        ([0xFF, 0xD8, 0xFF], 0, .jpeg), ([0xFF, 0x01, 0x45, 0x78, 0x69, 0x76, 0x32], 0, .exv),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], 0, .png), (Array("8BPS".utf8), 0, .psd),
        (Array("GIF8".utf8), 0, .gif),
        // The 15 letters in front of "-RAW " name the maker.
        ([0x46, 0x55, 0x4A, 0x49, 0x46, 0x49, 0x4C, 0x4D, 0x43, 0x43, 0x44, 0x2D, 0x52, 0x41, 0x57, 0x20], 0, .raf),
        (Array("HEAPCCDR".utf8), 6, .crw), ([0x00, 0x4D, 0x52, 0x4D], 0, .mrw), (Array("FOVb".utf8), 0, .x3f),
        ([0x06, 0x0E, 0x2B, 0x34, 0x02, 0x05, 0x01, 0x01, 0x0D, 0x01, 0x02], 0, .mxf),
        ([0x1A, 0x45, 0xDF, 0xA3], 0, .matroska), ([0x1F, 0x07, 0x00, 0x3F], 0, .dv),
        ([0x1F, 0x07, 0x00, 0xBF], 0, .dv), ([0x52, 0x45, 0x44, 0x32], 4, .r3d),
        ([0x41, 0x52, 0x45, 0x43, 0x4F, 0x59, 0x4B], 0x19, .reversedRAW),
        ([0xFF, 0x0A], 0, .jxl), ([0xFF, 0x4F, 0xFF, 0x51], 0, .jp2),
    ]

    private static func tiffFormat(_ head: Bytes) -> FileFormat? {
        guard let order = ByteOrder(mark: head), let magic = head.u16(2, order) else { return nil }
        switch magic {
        case 42, 43: return .tiff
        case 0x4F52, 0x5352: return .orf
        case 0x55: return .rw2
        default: return nil
        }
    }

    /// Two letters alone would also begin a text: the second header's size must be one of those that there are.
    private static func bitmapFormat(_ head: Bytes) -> FileFormat? {
        guard head.starts(with: "BM"), let header = head.u32(14, .little) else { return nil }
        return [12, 40, 52, 56, 64, 108, 124].contains(header) ? .bmp : nil
    }

    private static func boxFormat(_ head: Bytes) -> FileFormat? {
        guard let type = FourCC(head, at: 4) else { return nil }
        if type == "ftyp" { return Brands(head).format }
        if type == "jP  " { return .jp2 }
        if type == "JXL " { return .jxl }
        let old: [FourCC] = ["moov", "mdat", "wide", "free", "skip", "pnot"]
        return old.contains(type) && (head.u32(0, .big) ?? 0) >= 8 ? .movie : nil
    }

    private static func riffFormat(_ head: Bytes) -> FileFormat? {
        guard head.starts(with: "RIFF") || head.starts(with: "RF64") else { return nil }
        switch FourCC(head, at: 8) {
        case "AVI ": return .avi
        case "WAVE": return .wav
        case "WEBP": return .webp
        default: return nil
        }
    }

    /// Packets of 188 bytes, or of 192 with a time stamp in front.
    ///
    /// The head alone holds one sync byte; the reader checks further ones.
    private static func streamFormat(_ head: Bytes) -> FileFormat? {
        let plain = head[0] == 0x47 && (head[3] ?? 0) & 0x30 != 0
        let stamped = head[4] == 0x47 && (head[7] ?? 0) & 0x30 != 0
        return plain || stamped ? .transportStream : nil
    }

    private static func textFormat(_ head: Bytes) -> FileFormat? {
        var start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while let byte = head[start], byte == 0x20 || (0x09...0x0D).contains(byte) { start += 1 }
        return ["<?xpacket", "<?xml", "<x:xmpmeta", "<rdf:RDF", "<NonRealTimeMeta"].contains {
            head.starts(with: $0.utf8, at: start)
        }
            ? .xml : nil
    }
}
