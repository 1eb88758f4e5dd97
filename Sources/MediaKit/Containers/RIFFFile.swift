import FilmgateCore

/// RIFF: AVI, WAV and WebP.
enum RIFFFile {
    static let chunkLimit = 16_384, depthLimit = 4

    struct Chunk {
        /// The list's own type for `LIST`.
        let type: FourCC
        let body: ByteRegion
        let isList: Bool
        /// What the header says; `body` holds no more than there is.
        let size: UInt32
    }

    static func locate(in file: ByteRegion, into findings: inout Findings) {
        guard let all = file.from(12) else { return }
        var audio = Audio()
        walk(all, depth: 0) { chunk in take(chunk, &audio, into: &findings) }
        if let duration = audio.duration { findings.take { $0.duration = duration } }
        if let day = audio.day { findings.take { $0.captured = CivilTime(riffText: day + " " + (audio.time ?? "")) } }
    }

    /// Visits the chunks, those of lists included, except frames and indexes.
    static func walk(_ region: ByteRegion, depth: Int, _ visit: (Chunk) -> Void) {
        var place: UInt64 = 0
        for _ in 0..<chunkLimit {
            guard let head = region.bytes(place, 8), let type = FourCC(head, at: 0), let size = head.u32(4, .little)
            else { return }
            let length = min(UInt64(size), region.count - place - 8)
            guard let body = region.part(place + 8, length) else { return }
            if type == "LIST", let name = FourCC(body.upTo(4), at: 0), let inner = body.from(4) {
                visit(Chunk(type: name, body: inner, isList: true, size: size))
                if depth < depthLimit, name != "movi" { walk(inner, depth: depth + 1, visit) }
            } else {
                visit(Chunk(type: type, body: body, isList: false, size: size))
            }
            let next = place + 8 + UInt64(size) + UInt64(size & 1)
            guard next < region.count else { return }
            place = next
        }
    }

    private static func take(_ chunk: Chunk, _ audio: inout Audio, into findings: inout Findings) {
        if chunk.isList { return }
        switch chunk.type {
        case "avih": takeHeader(chunk.body, into: &findings)
        case "IDIT": findings.take { $0.captured = chunk.body.upTo(64).text.flatMap { CivilTime(riffText: $0) } }
        case "ICRD": audio.day = chunk.body.upTo(64).text
        case "etim": audio.time = chunk.body.upTo(64).text
        case "ecor": findings.take { $0.make = chunk.body.upTo(256).text }
        case "emdl": findings.take { $0.model = chunk.body.upTo(256).text }
        case "strd" where chunk.body.upTo(4).starts(with: "AVIF"):
            guard let block = chunk.body.from(8), let tree = TIFFTree(TIFFReader(headless: block, .little)) else {
                return
            }
            TIFFFile.take(tree, into: &findings)
        case "hymn": findings.takeMakerNote(alone: chunk.body)
        case "nctg": findings.take { fill(&$0, chunk.body) }
        case "bext": takeBroadcast(chunk.body, into: &findings)
        case "EXIF": takeExif(chunk.body, into: &findings)
        case "XMP ", "_PMX": findings.takeXMP(chunk.body.upTo(512 << 10))
        case "VP8X", "VP8 ", "VP8L": takePixels(chunk, into: &findings)
        case "fmt ": audio.bytesPerSecond = chunk.body.u32(8, .little)
        case "data": audio.length = chunk.size
        default: break
        }
    }

    private struct Audio {
        var bytesPerSecond: UInt32?, length: UInt32?
        /// ICRD may hold the day alone; Exif's list for audio has the time.
        var day: String?, time: String?
        var duration: Double? {
            guard let bytesPerSecond, bytesPerSecond > 0, let length else { return nil }
            return Double(length) / Double(bytesPerSecond)
        }
    }

    private static func takeHeader(_ body: ByteRegion, into findings: inout Findings) {
        guard let frame = body.u32(0, .little), let frames = body.u32(16, .little), let width = body.u32(32, .little),
            let height = body.u32(36, .little)
        else { return }
        if frame > 0, frames > 0 { findings.take { $0.duration = Double(frame) * Double(frames) / 1_000_000 } }
        if (1..<1 << 20).contains(width), (1..<1 << 20).contains(height) {
            findings.pixelSize = (Int(width), Int(height))
        }
    }

    /// Records of a 16-bit tag, a length and the value, little-endian.
    private static func fill(_ facts: inout MediaFacts, _ body: ByteRegion) {
        let bytes = body.upTo(16 << 10)
        var place = 0
        while let tag = bytes.u16(place, .little), let length = bytes.u16(place + 2, .little),
            let value = bytes.part(place + 4, Int(length))
        {
            switch tag {
            case 3: facts.make = value.text
            case 4: facts.model = value.text
            case 0x13: facts.captured = value.text.flatMap { CivilTime(text: $0) }
            default: break
            }
            place += 4 + Int(length)
        }
    }

    /// Broadcast Wave (EBU Tech 3285): date at 320, time at 330.
    private static func takeBroadcast(_ body: ByteRegion, into findings: inout Findings) {
        guard let date = body.bytes(320, 10)?.text, let time = body.bytes(330, 8)?.text else { return }
        findings.take { $0.captured = CivilTime(text: date + " " + time) }
    }

    /// The identifier in front of the TIFF structure is not in WebP's specification, but many write it.
    private static func takeExif(_ body: ByteRegion, into findings: inout Findings) {
        let start: UInt64 = body.upTo(6).starts(with: "Exif\0\0") ? 6 : 0
        if let block = body.from(start) { findings.takeExif(block) }
    }

    private static func takePixels(_ chunk: Chunk, into findings: inout Findings) {
        let head = chunk.body.upTo(10)
        switch chunk.type {
        case "VP8X":
            guard let low = head.u32(3, .little), let high = head.u32(6, .little) else { return }
            findings.pixelSize = (Int(low >> 8) + 1, Int(high >> 8) + 1)
        case "VP8 " where head.starts(with: [0x9D, 0x01, 0x2A], at: 3) && findings.pixelSize == nil:
            guard let width = head.u16(6, .little), let height = head.u16(8, .little) else { return }
            findings.pixelSize = (Int(width & 0x3FFF), Int(height & 0x3FFF))
        case "VP8L" where head[0] == 0x2F && findings.pixelSize == nil:
            guard let bits = head.u32(1, .little) else { return }
            findings.pixelSize = (Int(bits & 0x3FFF) + 1, Int(bits >> 14 & 0x3FFF) + 1)
        default: break
        }
    }
}
