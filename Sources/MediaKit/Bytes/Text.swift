extension Bytes {
    /// The text up to the first NUL without trailing blanks; bytes that are not UTF-8 are read as Latin-1.
    ///
    /// Nil when nothing is left.
    var text: String? {
        var end = 0
        while end < count, self[end] != 0 { end += 1 }
        while end > 0, let last = self[end - 1], last == 0x20 || (0x09...0x0D).contains(last) { end -= 1 }
        return end == 0 ? nil : first(end).rawText
    }

    /// All bytes as text.
    var rawText: String {
        withUnsafeBytes { raw in
            String(validating: raw, as: UTF8.self) ?? String(String.UnicodeScalarView(raw.map { Unicode.Scalar($0) }))
        }
    }

    /// Little- or big-endian UTF-16 up to the first zero unit; nil when empty or longer than `limit` units.
    func utf16Text(at offset: Int, _ order: ByteOrder, limit: Int = 512) -> String? {
        var units: [UInt16] = []
        var place = offset
        while let unit = u16(place, order), unit != 0 {
            guard units.count < limit else { return nil }
            units.append(unit)
            place += 2
        }
        return units.isEmpty ? nil : String(decoding: units, as: UTF16.self)
    }
}
