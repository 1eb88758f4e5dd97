import FilmgateCore

/// CIFF 1.0 r4: a heap with its directory at the end.
///
/// CRW files, and APP0 of old JPEGs.
enum CIFFFile {
    private static let names: UInt16 = 0x080A, owner: UInt16 = 0x0810, imageInfo: UInt16 = 0x1810
    private static let serial: UInt16 = 0x180B
    private static let captured: UInt16 = 0x180E
    static let depthLimit = 8, entryLimit = 512

    static func locate(in file: ByteRegion, into findings: inout Findings) {
        var damaged = true
        if let order = ByteOrder(mark: file.upTo(2)), let start = file.u32(2, order),
            let heap = file.from(UInt64(start))
        {
            damaged = !walk(heap, order, depth: 0) { tag, value in take(tag, value, order, into: &findings) }
        }
        if damaged { findings.flags.insert(MediaFlag.exifDamaged) }
    }

    /// Visits each record, folders included.
    ///
    /// False when a directory does not lie in its heap.
    static func walk(_ heap: ByteRegion, _ order: ByteOrder, depth: Int, _ visit: (UInt16, ByteRegion) -> Void) -> Bool
    {
        guard depth < depthLimit, heap.count >= 6, let place = heap.u32(heap.count - 4, order),
            let count = heap.u16(UInt64(place), order), Int(count) <= entryLimit
        else { return false }
        var whole = true
        for index in 0..<UInt64(count) {
            let entry = UInt64(place) + 2 + index * 10
            guard let tag = heap.u16(entry, order) else { return false }
            let value: ByteRegion?
            if tag & 0xC000 == 0x4000 {
                value = heap.part(entry + 2, 8)
            } else if let length = heap.u32(entry + 2, order), let offset = heap.u32(entry + 6, order) {
                value = heap.part(UInt64(offset), UInt64(length))
            } else {
                value = nil
            }
            guard let value else { whole = false; continue }
            if tag & 0x3800 == 0x2800 || tag & 0x3800 == 0x3000 {
                whole = walk(value, order, depth: depth + 1, visit) && whole
            } else {
                visit(tag & 0x3FFF, value)
            }
        }
        return whole
    }

    private static func take(_ tag: UInt16, _ value: ByteRegion, _ order: ByteOrder, into findings: inout Findings) {
        findings.take { facts in
            switch tag {
            case names:
                // Six bytes for the make, the rest for the model.
                let bytes = value.upTo(256)
                (facts.make, facts.model) = (bytes.first(6).text, bytes.from(6).text)
            case owner: facts.owner = value.upTo(256).text
            case serial: facts.serial = value.u32(0, order).map { padded(Int($0), 10) }
            case imageInfo:
                guard let width = value.u32(0, order), let height = value.u32(4, order), width > 0, height > 0,
                    width < 1 << 20,
                    height < 1 << 20
                else { return }
                (facts.width, facts.height) = (Int(width), Int(height))
            case captured:
                guard let seconds = value.u32(0, order), seconds > 0 else { return }
                facts.captured = CivilTime(unixSeconds: Int64(seconds))
                // The seconds count civil time; the zone beside them counts only when bit 31 of the third word says so.
                let known = (value.u32(8, order) ?? 0) & 1 << 31 != 0
                let zone = value.u32(4, order).map { Int(Int32(bitPattern: $0)) / 60 }
                facts.captured?.offsetMinutes = known ? zone.flatMap { abs($0) <= 900 ? $0 : nil } : nil
            default: break
            }
        }
    }
}
