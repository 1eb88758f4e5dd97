/// A copy of an Exif block with its identifier in front and without its maker note, as libexif gets it.
///
/// Follows the same pointers as libexif does. A directory is visited once, and what points outside is noted, not
/// followed.
struct SanitisedBlock {
    private(set) var bytes: [UInt8]
    private(set) var damaged = false
    private let order: ByteOrder
    private let view: Bytes
    private var visited: Set<Int> = []

    static let identifier: [UInt8] = Array("Exif\0\0".utf8)

    init(_ tiff: Bytes, _ order: ByteOrder) {
        (self.order, view) = (order, tiff)
        bytes = Self.identifier
        bytes.reserveCapacity(tiff.count + 6)
        bytes.append(contentsOf: tiff.array)
    }

    /// Blanks every maker note entry: libexif skips an entry whose tag and format are 0.
    mutating func clean() {
        guard let first = view.u32(4, order).map(Int.init) else { damaged = true; return }
        visit(first, depth: 0)
        if let count = view.u16(first, order), let next = view.u32(first + 2 + Int(count) * 12, order), next != 0 {
            visit(Int(next), depth: 0)
        }
    }

    private mutating func visit(_ start: Int, depth: Int) {
        guard depth < 8, visited.count < 32, visited.insert(start).inserted, let count = view.u16(start, order) else {
            damaged = true
            return
        }
        for index in 0..<Int(count) {
            let entry = start + 2 + index * 12
            guard let tag = view.u16(entry, order), let pointer = view.u32(entry + 8, order) else {
                damaged = true; return
            }
            switch tag {
            case Tag.makerNote: for byte in 0..<4 { bytes[6 + entry + byte] = 0 }
            case Tag.exifPointer, Tag.gpsPointer: visit(Int(pointer), depth: depth + 1)
            case Tag.interoperabilityPointer:
                // Holds no facts: what is wrong with it, as in frames of some cameras, harms nothing.
                let known = damaged
                visit(Int(pointer), depth: depth + 1)
                damaged = known
            default: break
            }
        }
    }
}
