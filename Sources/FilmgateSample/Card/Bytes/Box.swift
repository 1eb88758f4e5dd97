/// Boxes of the ISO base media format and of QuickTime (ISO/IEC 14496-12 §4.2): size, type, contents.
enum Box {
    static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
        let body = parts.flatMap { $0 }
        var out = ByteWriter()
        out.put(UInt32(body.count + 8))
        out.put(text: type)
        return out.bytes + body
    }

    /// A box that begins with a version and 24 bits of flags.
    static func full(_ type: String, version: UInt8 = 0, flags: UInt32 = 0, _ parts: [UInt8]...) -> [UInt8] {
        box(type, u32(UInt32(version) << 24 | flags), parts.flatMap { $0 })
    }

    static func u8(_ values: UInt8...) -> [UInt8] { values }

    static func u16(_ values: UInt16...) -> [UInt8] { values.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }

    static func u32(_ values: UInt32...) -> [UInt8] {
        values.flatMap { [UInt8($0 >> 24), UInt8($0 >> 16 & 0xFF), UInt8($0 >> 8 & 0xFF), UInt8($0 & 0xFF)] }
    }

    static func text(_ text: String) -> [UInt8] { Array(text.utf8) }
}
