/// The small picture that a body gives for a file: 160 × 120, one shade of grey, the file's name as its comment.
enum VirtualThumbnail {
    static let width: UInt16 = 160, height: UInt16 = 120

    /// A baseline JPEG (ITU-T T.81) that every decoder takes; other names, other bytes.
    static func jpeg(of name: String) -> [UInt8] {
        let comment = Array(name.utf8.prefix(200)), shade = comment.reduce(UInt8(0)) { $0 &+ $1 } & 0x1F
        var bytes: [UInt8] = [0xFF, 0xD8]
        bytes += segment(0xFE, comment)
        bytes += segment(0xDB, [0] + [UInt8](repeating: 16, count: 64))
        bytes += segment(
            0xC0, [8, UInt8(height >> 8), UInt8(height & 0xFF), UInt8(width >> 8), UInt8(width & 0xFF), 1, 1, 0x11, 0])
        // A difference of nothing is `0`, one of six bits `10`; and the end of every block is `0`.
        bytes += segment(0xC4, [0x00, 1, 1] + [UInt8](repeating: 0, count: 14) + [0, 6])
        bytes += segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
        bytes += segment(0xDA, [1, 1, 0x00, 0, 63, 0])
        return bytes + scan(shade) + [0xFF, 0xD9]
    }

    /// 300 blocks: the first has the shade, the others are like it: nine bits, and two for each that follows.
    private static func scan(_ shade: UInt8) -> [UInt8] {
        [0b1010_0000 | shade] + [UInt8](repeating: 0, count: 74) + [0x01]
    }

    private static func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        let length = UInt16(body.count + 2)
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + body
    }
}
