/// How wide text stands in a terminal.
enum TextWidth {
    /// Columns of a scalar: 0 for marks that join the one before, 2 for East Asian wide ones and pictographs.
    static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x20..<0x300: return 1
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: return 0
            default: return 1
            }
        }
    }

    static func of(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + of($1) } }

    /// As much as fits; what is cut ends in `…`.
    static func fit(_ text: String, _ width: Int) -> String {
        let shown = Describe.name(text)
        if of(shown) <= width { return shown }
        var kept = String.UnicodeScalarView(), used = 0
        for scalar in shown.unicodeScalars {
            used += of(scalar)
            if used > width - 1 { break }
            kept.append(scalar)
        }
        return width > 0 ? String(kept) + "…" : ""
    }

    /// As much of the beginning and of the end as fits, with `…` between: names of one event differ at their ends.
    static func fitMiddle(_ text: String, _ width: Int) -> String {
        let shown = Describe.name(text)
        if of(shown) <= width { return shown }
        guard width > 4 else { return fit(text, width) }
        var end = String.UnicodeScalarView(), used = 0
        for scalar in shown.unicodeScalars.reversed() {
            guard used + of(scalar) <= width / 2 else { break }
            used += of(scalar)
            end.insert(scalar, at: end.startIndex)
        }
        // A mark without a width belongs to the letter before it.
        while let first = end.first, of(first) == 0 { end.removeFirst() }
        let head = fit(shown, width - used)
        return head + String(end)
    }

    /// Exactly `width` columns, cut or filled with blanks.
    static func pad(_ text: String, _ width: Int, right: Bool = false) -> String {
        let fitted = fit(text, width), blanks = String(repeating: " ", count: max(0, width - of(fitted)))
        return right ? blanks + fitted : fitted + blanks
    }
}
