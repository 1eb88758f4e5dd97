/// Text for XML 1.0 (fifth edition, §2.2 and §2.4).
package enum XMLEscaping {
    /// True when `text` can stand in XML and mean the same file to everyone: no control characters that XML forbids, no
    /// noncharacters, and no bytes that are not UTF-8 (`PathText` writes those as U+10FF80…U+10FFFF).
    package static func canHold(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FF7F: true
            default: false
            }
        }
    }

    /// `text` for element content or an attribute in double quotes; white space that a parser would change is spelt
    /// out.
    package static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "\t", "\n", "\r", "\u{85}", "\u{2028}":
                result.append(contentsOf: "&#x\(String(scalar.value, radix: 16));".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
