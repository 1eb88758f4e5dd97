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

    /// The text for these bytes, so that `of` gives them back exactly.
    static func text(of bytes: [UInt8]) -> String {
        // Only a byte F4 can begin what would read as a stand-in itself.
        if !bytes.contains(0xF4), let text = String(validating: bytes, as: UTF8.self) { return text }
        var scalars = String.UnicodeScalarView(), rest = bytes[...]
        while let first = rest.first {
            let whole = (1...4).lazy.compactMap {
                String(validating: rest.prefix($0), as: UTF8.self)?.unicodeScalars.first
            }.first
            if let whole, whole.value < 0x10FF80 {
                scalars.append(whole)
                rest = rest.dropFirst(whole.utf8.count)
            } else {
                if let scalar = Unicode.Scalar(0x10FF00 + UInt32(first)) { scalars.append(scalar) }
                rest = rest.dropFirst()
            }
        }
        return String(scalars)
    }
}
