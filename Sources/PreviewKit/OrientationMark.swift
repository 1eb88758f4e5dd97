/// The one word of Exif that a picture gets which is not turned itself.
enum OrientationMark {
    /// The JPEG, with a segment behind its first that says how it is turned; as it is where it stands upright.
    static func put(_ orientation: Int, into jpeg: [UInt8]) -> [UInt8] {
        guard (2...8).contains(orientation), jpeg.count > 6, jpeg[2] == 0xFF else { return jpeg }
        let end = jpeg[3] == 0xE0 ? 4 + Int(jpeg[4]) << 8 + Int(jpeg[5]) : 2
        guard end <= jpeg.count else { return jpeg }
        return Array(jpeg[..<end]) + segment(UInt8(orientation)) + Array(jpeg[end...])
    }

    /// Exif with a directory of one entry: 0x0112, one short number; big-endian.
    private static func segment(_ orientation: UInt8) -> [UInt8] {
        let directory: [UInt8] = [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
        let body = Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8] + directory
        return [0xFF, 0xE1, 0, UInt8(body.count + 2)] + body
    }
}
