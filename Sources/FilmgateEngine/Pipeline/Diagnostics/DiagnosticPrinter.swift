import FilmgateCore

/// Shows diagnostics to a person: the place, the sentence, the offending line with a caret, and what was probably
/// meant.
public struct DiagnosticPrinter: Sendable {
    /// Characters of a long line that are shown around the place.
    static let window = 100
    let texts: [String: [[Unicode.Scalar]]]

    /// `texts` by file, as `LoadedPipeline` gives them, with secrets hidden.
    public init(texts: [String: String]) { self.texts = texts.mapValues(SourceLines.split) }

    /// Several lines; the last without its end.
    public func text(_ diagnostic: Diagnostic) -> String {
        let error = diagnostic.error, mark = error.mark
        let place =
            mark.line > 0 ? "\(mark.file):\(mark.line):\(mark.column): " : mark.file.isEmpty ? "" : "\(mark.file): "
        var result = Printable.text("\(place)\(diagnostic.severity.rawValue): \(error.message)")
        let gutter = String(repeating: " ", count: max(5, "\(mark.line)".count + 1))
        if let line = texts[mark.file].flatMap({ mark.line > 0 && mark.line <= $0.count ? $0[mark.line - 1] : nil }) {
            let (shown, before) = Self.cut(line, around: mark.column)
            let number = "\(mark.line)"
            result += "\n" + gutter.dropLast(number.count) + number + " | " + Printable.text(shown) + "\n"
            result += gutter + " | " + Printable.padding(below: before) + "^"
        }
        if let hint = error.hint { result += "\n" + gutter + " = " + Printable.text(hint) }
        return result
    }

    public func text(_ diagnostics: [Diagnostic]) -> String { diagnostics.map(text).joined(separator: "\n") }

    /// The part of a line that is shown, and what of it stands before the place.
    private static func cut(_ line: [Unicode.Scalar], around column: Int) -> (
        shown: [Unicode.Scalar], before: ArraySlice<Unicode.Scalar>
    ) {
        let at = min(max(column - 1, 0), line.count)
        guard line.count > window else { return (line, line[..<at]) }
        let start = max(0, min(at - window / 2, line.count - window)), end = start + window
        let head: [Unicode.Scalar] = start > 0 ? ["…"] : [], tail: [Unicode.Scalar] = end < line.count ? ["…"] : []
        let shown = head + line[start..<end] + tail
        return (shown, shown[..<(head.count + at - start)])
    }
}

/// Lines as the reader counts them: ended by LF, CR or CR LF; without a byte order mark.
enum SourceLines {
    static func split(_ text: String) -> [[Unicode.Scalar]] {
        var lines: [[Unicode.Scalar]] = [[]], last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { last = scalar }
            if scalar == "\u{FEFF}", last == nil { continue }
            if scalar == "\n", last == "\r" { continue }
            if scalar == "\n" || scalar == "\r" { lines.append([]) } else { lines[lines.count - 1].append(scalar) }
        }
        return lines
    }
}
