/// Four bytes that name a box, a chunk or a brand.
struct FourCC: Hashable, Sendable, ExpressibleByStringLiteral {
    let value: UInt32

    /// Four scalars below U+0100; anything else gives a code that no file can hold.
    init(stringLiteral text: String) {
        let scalars = text.unicodeScalars
        value =
            scalars.count == 4 && scalars.allSatisfy { $0.value < 0x100 } ? scalars.reduce(0) { $0 << 8 | $1.value } : 0
    }

    init?(_ bytes: Bytes, at offset: Int) {
        guard let value = bytes.u32(offset, .big) else { return nil }
        self.value = value
    }

    /// Printable, as the names of real boxes are.
    var isPlausible: Bool {
        (0..<4).allSatisfy { index in
            let byte = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index)))
            return (0x20...0x7E).contains(byte) || byte == 0xA9
        }
    }
}

/// The brands of a `ftyp` box (ISO/IEC 14496-12 §4.3).
struct Brands {
    let major: FourCC?
    let all: Set<FourCC>

    /// `head` begins with the box.
    init(_ head: Bytes) {
        let end = min(Int(head.u32(0, .big) ?? 0), head.count)
        major = FourCC(head, at: 8)
        var all = Set([major].compactMap { $0 })
        for place in stride(from: 16, to: end - 3, by: 4) {
            if let brand = FourCC(head, at: place) { all.insert(brand) }
        }
        self.all = all
    }

    var format: FileFormat {
        switch major {
        case "crx ": return .cr3
        case "avif", "avis": return .avif
        case "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs": return .heif
        case "mif1", "msf1", "miaf": return all.contains("avif") ? .avif : .heif
        case "jp2 ", "jpx ", "jpm ", "jph ": return .jp2
        case "jxl ": return .jxl
        case "M4A ", "M4B ", "M4P ", "F4A ": return .audioMovie
        default: return all.contains("heic") || all.contains("heix") ? .heif : .movie
        }
    }
}
