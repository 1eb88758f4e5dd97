import Glibc

/// What a JPEG says of itself in front of and between its scans.
struct JPEGHead {
    private(set) var width = 0, height = 0, components = 0
    /// Scans until the end of the picture; counted up to one more than are taken.
    private(set) var scans = 0
    /// The colour profile in one piece; empty where there is none, or one that is not for red, green and blue.
    private(set) var profile: [UInt8] = []
    private var parts: [UInt8: [UInt8]] = [:]

    static let mostScans = 100
    static let mostProfile = 64 << 10

    /// Nil when this is no JPEG that can be decoded.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return nil }
        var place = 2
        while let next = Self.marker(bytes, from: place) {
            let marker = bytes[next + 1]
            if marker == 0xD9 || scans > Self.mostScans { break }
            guard next + 4 <= bytes.count else { break }
            let length = Int(bytes[next + 2]) << 8 | Int(bytes[next + 3]), end = next + 2 + length
            guard length >= 2, end <= bytes.count else { break }
            if marker == 0xDA { scans += 1 } else { take(marker, bytes[(next + 4)..<end]) }
            place = end
        }
        guard width > 0, height > 0, [1, 3, 4].contains(components), scans > 0 else { return nil }
        let whole = parts.sorted { $0.key < $1.key }.flatMap(\.value)
        let isForLight =
            whole.count > 132 && whole.count <= Self.mostProfile && whole[16..<20].elementsEqual("RGB ".utf8)
        if isForLight, components != 4 { profile = whole }
    }

    /// Where the next marker is: in a scan FF is followed by 00 or by a restart marker, and elsewhere it may be
    /// repeated.
    private static func marker(_ bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress else { return nil }
            var place = start
            while place + 1 < all.count {
                guard let found = memchr(base + place, 0xFF, all.count - 1 - place) else { return nil }
                place = base.distance(to: UnsafeRawPointer(found))
                let code = all[place + 1]
                if code >= 0xC0 && code != 0xFF && !(0xD0...0xD8).contains(code) { return place }
                place += 1
            }
            return nil
        }
    }

    private mutating func take(_ marker: UInt8, _ body: ArraySlice<UInt8>) {
        let start = body.startIndex
        switch marker {
        case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA:
            guard width == 0, body.count >= 6, body[start] == 8 else { return }
            height = Int(body[start + 1]) << 8 | Int(body[start + 2])
            width = Int(body[start + 3]) << 8 | Int(body[start + 4])
            components = Int(body[start + 5])
        case 0xE2:
            guard body.count > 14, body.starts(with: Array("ICC_PROFILE\0".utf8)), parts.count < 16 else { return }
            parts[body[start + 12]] = Array(body[(start + 14)...])
        default: return
        }
    }
}
