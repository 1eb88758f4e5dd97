import FilmgateCore

/// X3F: a directory at the end of the file names sections; `PROP` holds texts, an `IMA2` preview may hold an Exif
/// block.
enum X3FFile {
    static func locate(in file: ByteRegion, into findings: inout Findings) {
        guard let sections = sections(of: file) else {
            findings.flags.insert(MediaFlag.exifDamaged)
            return
        }
        let properties = sections.first { $0.type == "PROP" }
        let pictures = sections.filter { $0.type == "IMA2" || $0.type == "IMAG" }
        for section in [properties].compactMap({ $0 }) + pictures.prefix(4) {
            switch section.type {
            case "PROP": findings.take { fill(&$0, section.body) }
            case "IMA2", "IMAG":
                // Type 2, format 18: a JPEG behind the section's header.
                guard section.body.u32(12, .little) == 18, let jpeg = section.body.from(28) else { continue }
                let known = findings.pixelSize
                JPEGFile.locate(in: jpeg, into: &findings)
                findings.pixelSize = known
            default: break
            }
        }
        if let columns = file.u32(28, .little), let rows = file.u32(32, .little), (1..<1 << 20).contains(columns),
            (1..<1 << 20).contains(rows)
        {
            findings.pixelSize = (Int(columns), Int(rows))
        }
    }

    /// Nil when the directory is not where the file's last four bytes say.
    static func sections(of file: ByteRegion) -> [(type: FourCC, body: ByteRegion)]? {
        guard file.count > 40, let place = file.u32(file.count - 4, .little), let head = file.bytes(UInt64(place), 12),
            head.starts(with: "SECd"), let count = head.u32(8, .little), count <= 256
        else { return nil }
        var found: [(FourCC, ByteRegion)] = []
        for index in 0..<UInt64(count) {
            guard let entry = file.bytes(UInt64(place) + 12 + index * 12, 12), let offset = entry.u32(0, .little),
                let length = entry.u32(4, .little), let type = FourCC(entry, at: 8),
                let body = file.part(UInt64(offset), UInt64(length))
            else { return nil }
            found.append((type, body))
        }
        return found
    }

    private static func fill(_ facts: inout MediaFacts, _ section: ByteRegion) {
        guard let count = section.u32(8, .little), count <= 512 else { return }
        let bytes = section.upTo(64 << 10)
        let texts = 24 + Int(count) * 8
        for index in 0..<Int(count) {
            guard let name = bytes.u32(24 + index * 8, .little), let value = bytes.u32(28 + index * 8, .little),
                name < 1 << 16, value < 1 << 16, let key = bytes.utf16Text(at: texts + Int(name) * 2, .little),
                let text = bytes.utf16Text(at: texts + Int(value) * 2, .little)
            else { continue }
            switch key {
            case "CAMMANUF": facts.make = text
            case "CAMMODEL": facts.model = text
            case "CAMSERIAL": facts.serial = text
            case "TIME": facts.captured = Int64(text).flatMap { CivilTime(unixSeconds: $0) }.map(local)
            case "ISO": facts.iso = Int(text).flatMap { $0 > 0 && $0 <= Int(Int32.max) ? $0 : nil }
            default: break
            }
        }
    }

    /// The seconds count civil time: the format knows no zone.
    private static func local(_ time: CivilTime) -> CivilTime {
        var time = time
        time.offsetMinutes = nil
        return time
    }
}
