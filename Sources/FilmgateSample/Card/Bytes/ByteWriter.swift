/// A growing run of bytes with the integers of file formats, in one byte order.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []
    let bigEndian: Bool

    init(bigEndian: Bool = true) { self.bigEndian = bigEndian }

    var count: Int { bytes.count }

    mutating func put<T: FixedWidthInteger>(_ value: T) {
        withUnsafeBytes(of: bigEndian ? value.bigEndian : value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ more: [UInt8]) { bytes += more }

    /// The text's bytes without a terminator: four-character codes, signatures.
    mutating func put(text: String) { bytes += Array(text.utf8) }

    mutating func zeros(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }

    /// Pads to a multiple of `step`.
    mutating func align(to step: Int) { zeros((step - bytes.count % step) % step) }

    /// Overwrites what was put at `offset` before.
    mutating func patch<T: FixedWidthInteger>(_ value: T, at offset: Int) {
        withUnsafeBytes(of: bigEndian ? value.bigEndian : value.littleEndian) {
            bytes.replaceSubrange(offset..<offset + MemoryLayout<T>.size, with: $0)
        }
    }
}
