/// Text from outside on a terminal: nothing that could move the cursor or turn the writing direction, and carets under
/// the right place.
enum Printable {
    static func text(_ text: String) -> String {
        text.unicodeScalars.contains(where: isHarmful) ? self.text(Array(text.unicodeScalars)) : text
    }

    static func text(_ scalars: [Unicode.Scalar]) -> String {
        var result = ""
        for scalar in scalars {
            if isHarmful(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// As much space as `scalars` take when printed; tabs stay tabs.
    static func padding(below scalars: ArraySlice<Unicode.Scalar>) -> String {
        var result = ""
        for scalar in scalars {
            if scalar == "\t" {
                result += "\t"
            } else if isHarmful(scalar) {
                result += String(repeating: " ", count: 4 + String(scalar.value, radix: 16).count)
            } else {
                result += String(repeating: " ", count: columns(of: scalar))
            }
        }
        return result
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09: false
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// Columns on a terminal: 0 for marks that combine, 2 for East Asian wide characters and emoji (Unicode UAX #11).
    static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
        }
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
        0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
