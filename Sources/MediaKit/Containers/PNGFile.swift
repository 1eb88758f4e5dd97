/// PNG (ISO/IEC 15948) with `eXIf`, XMP in `iTXt`, and Exif as ImageMagick's "raw profile" in `zTXt` or `tEXt`.
enum PNGFile {
    static let textLimit = 512 << 10, chunkLimit = 4096, compressedLimit = 32

    static func locate(in file: ByteRegion, into findings: inout Findings) {
        var texts = 0
        walk(file) { type, body in
            // Metadata stands in front of the picture; what follows would cost a read per chunk.
            if type == "IDAT" { return false }
            if type == "iTXt" || type == "zTXt" || type == "tEXt" { texts += 1 }
            switch type {
            case "IHDR":
                if let width = body.u32(0, .big), let height = body.u32(4, .big), (1..<1 << 31).contains(width),
                    (1..<1 << 31).contains(height)
                {
                    findings.pixelSize = (Int(width), Int(height))
                }
            case "eXIf": findings.takeExif(body)
            case _ where texts > compressedLimit: break
            case "iTXt": takeInternational(body.upTo(textLimit), into: &findings)
            case "zTXt", "tEXt": takeProfile(body.upTo(textLimit), compressed: type == "zTXt", into: &findings)
            default: break
            }
            return true
        }
    }

    /// Visits the chunks until `visit` returns false.
    ///
    /// Returns whether `IEND` was reached.
    @discardableResult
    static func walk(_ file: ByteRegion, _ visit: (FourCC, ByteRegion) -> Bool) -> Bool {
        var place: UInt64 = 8
        for _ in 0..<chunkLimit {
            guard let head = file.bytes(place, 8), let length = head.u32(0, .big), let type = FourCC(head, at: 4),
                type.isPlausible,
                let body = file.part(place + 8, UInt64(length)), file.part(place + 8, UInt64(length) + 4) != nil
            else { return false }
            guard visit(type, body) else { return false }
            if type == "IEND" { return true }
            place += 12 + UInt64(length)
        }
        return false
    }

    private static let xmpKeyword = Array("XML:com.adobe.xmp\0".utf8)

    /// Keyword, NUL, compression flag, method, language, NUL, translated keyword, NUL, text.
    private static func takeInternational(_ bytes: Bytes, into findings: inout Findings) {
        guard bytes.starts(with: xmpKeyword), let language = bytes.index(of: [0], from: xmpKeyword.count + 2),
            let translated = bytes.index(of: [0], from: language + 1)
        else { return }
        let text = bytes.from(translated + 1)
        if bytes[xmpKeyword.count] == 0 {
            findings.takeXMP(text)
        } else if let plain = Inflate.zlib(text, limit: textLimit) {
            findings.takeXMP(Bytes(plain))
        }
    }

    private static let profiles = ["Raw profile type exif\0", "Raw profile type APP1\0"].map { Array($0.utf8) }

    /// Keyword, NUL, compression method where compressed; then a line with the profile's name, one with its length, and
    /// its bytes in hexadecimal.
    private static func takeProfile(_ bytes: Bytes, compressed: Bool, into findings: inout Findings) {
        guard let keyword = profiles.first(where: { bytes.starts(with: $0) }) else { return }
        let body = bytes.from(keyword.count + (compressed ? 1 : 0))
        guard let text = compressed ? Inflate.zlib(body, limit: textLimit) : body.array else { return }
        let lines = text.split(separator: 0x0A, maxSplits: 2)
        guard lines.count == 3 else { return }
        let block = Bytes(unhex(lines[2]))
        if block.starts(with: "Exif\0\0") { findings.takeExif(block.from(6)) }
    }

    private static func unhex(_ text: some Sequence<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = [], high: UInt8?
        for character in text {
            let digit: UInt8
            switch character {
            case 0x30...0x39: digit = character - 0x30
            case 0x41...0x46: digit = character - 0x37
            case 0x61...0x66: digit = character - 0x57
            default: continue
            }
            if let first = high { bytes.append(first << 4 | digit) }
            high = high == nil ? digit : nil
        }
        return bytes
    }
}
