/// The bytes that a path or file name stands for on Linux.
///
/// Names that are not UTF-8 travel through the program as text in which each such byte is the scalar U+10FF00 + byte.
enum PathBytes {
    static func of(_ text: String) -> [UInt8] {
        // Only text with a plane-16 scalar (lead byte F4) can hold such a stand-in.
        guard text.utf8.contains(0xF4) else { return Array(text.utf8) }
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if scalar.value >= 0x10FF80, let byte = UInt8(exactly: scalar.value - 0x10FF00) {
                bytes.append(byte)
            } else {
                bytes += Array(String(scalar).utf8)
            }
        }
        return bytes
    }
}
