/// Finds where a text that could not be composed seems to use an anchor, alias or tag, to name that as the cause.
///
/// Only for the sentence: safety rests on `YAMLPlaceholders`, not on this scan, which reads line by line and knows no
/// multi-line quotes.
enum YAMLReference {
    struct Found { var introducer: Unicode.Scalar, line: Int, column: Int }

    /// The first one at or before `lastLine`.
    static func first(in text: String, before lastLine: Int) -> Found? {
        var number = 0
        for line in text.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" }) {
            number += 1
            if number > lastLine { return nil }
            if let (introducer, column) = first(in: Array(line)) {
                return Found(introducer: introducer, line: number, column: column)
            }
        }
        return nil
    }

    private static func first(in line: [Unicode.Scalar]) -> (Unicode.Scalar, Int)? {
        var fresh = true, quote: Unicode.Scalar?, last: Unicode.Scalar = " "
        for (index, scalar) in line.enumerated() {
            defer { last = scalar }
            if let open = quote {
                if scalar == open, open == "'" || last != "\\" { (quote, fresh) = (nil, false) }
                continue
            }
            switch scalar {
            case " ", "\t": fresh = fresh || ":-?,".unicodeScalars.contains(last)
            case "#" where last == " " || last == "\t": return nil
            case "\"" where fresh, "'" where fresh: quote = scalar
            case "&" where fresh && isNamed(line, index), "*" where fresh && isNamed(line, index), "!" where fresh:
                return (scalar, index + 1)
            case "[", "{", ",": fresh = true
            case "-" where fresh, "?" where fresh: break
            default: fresh = false
            }
        }
        return nil
    }

    /// Anchors and aliases have a name right behind the character.
    private static func isNamed(_ line: [Unicode.Scalar], _ index: Int) -> Bool {
        index + 1 < line.count && line[index + 1].properties.isAlphabetic
            || index + 1 < line.count && ("0"..."9").contains(line[index + 1])
    }
}
