import FilmgateCore

/// Matroska and WebM (RFC 9559): segment information with the date in UTC and the duration.
enum MatroskaFile {
    private static let segment: UInt32 = 0x1853_8067, info: UInt32 = 0x1549_A966, cluster: UInt32 = 0x1F43_B675
    private static let date: UInt32 = 0x4461, duration: UInt32 = 0x4489, scale: UInt32 = 0x2AD7B1
    /// Seconds from 1970-01-01 to 2001-01-01.
    private static let epoch: Int64 = 978_307_200

    static func locate(in file: ByteRegion, into findings: inout Findings) {
        walk(file) { id, body in
            guard id == segment else { return true }
            walk(body) { id, body in
                if id == info { take(body, into: &findings) }
                return id != info && id != cluster
            }
            return false
        }
    }

    private static func take(_ body: ByteRegion, into findings: inout Findings) {
        var unit: UInt64 = 1_000_000, length: Double?
        walk(body) { id, value in
            let bytes = value.upTo(8)
            switch id {
            case date:
                guard let ticks = bytes.u64(0, .big).map({ Int64(bitPattern: $0) }) else { break }
                findings.takeUTC(
                    CivilTime(unixSeconds: epoch + Int64((Double(ticks) / 1e9).rounded(.down)), offsetMinutes: 0))
            case scale: unit = bytes.array.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            case duration:
                length =
                    bytes.count == 4
                    ? bytes.u32(0, .big).map { Double(Float(bitPattern: $0)) }
                    : bytes.u64(0, .big).map { Double(bitPattern: $0) }
            default: break
            }
            return true
        }
        guard let seconds = length.map({ $0 * Double(unit) / 1e9 }), seconds > 0, seconds < 1e8 else { return }
        findings.take { $0.duration = seconds }
    }

    /// Visits the elements of one level until `visit` returns false; the last may run past the end.
    private static func walk(_ region: ByteRegion, _ visit: (UInt32, ByteRegion) -> Bool) {
        var place: UInt64 = 0
        for _ in 0..<512 {
            let head = region.upTo(12, at: place)
            guard let first = head[0], first >= 0x10 else { return }
            let idSize = first.leadingZeroBitCount + 1
            let id = head.first(idSize).array.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard let mark = head[idSize], mark != 0 else { return }
            let lengthSize = mark.leadingZeroBitCount + 1
            guard let bytes = head.part(idSize, lengthSize) else { return }
            let raw = bytes.array.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let size = raw & ((1 << (7 * UInt64(lengthSize))) - 1)
            let start = place + UInt64(idSize + lengthSize)
            guard start <= region.count, let body = region.part(start, min(size, region.count - start)) else { return }
            guard visit(id, body), size <= region.count - start else { return }
            place = start + size
        }
    }
}
