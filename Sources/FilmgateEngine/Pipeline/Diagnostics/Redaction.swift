import FilmgateCore

/// Hides what is or may be a secret in the lines that diagnostics show: a value written into the file by mistake must not reach a log.
enum Redaction {
    static let dot: Unicode.Scalar = "•"
    private static let words = ["token", "secret", "passw", "passphrase", "key", "credential", "authorization", "cookie"]

    /// `text` with the values at `marks` and those of keys that sound like secrets dotted out; lines and columns stay where they are.
    static func hidden(_ text: String, at marks: [Mark]) -> String {
        var lines = SourceLines.split(text), index = 0
        let columns = Dictionary(grouping: marks) { $0.line - 1 }
        while index < lines.count {
            let found = starts(in: lines[index]) + (columns[index] ?? []).map { $0.column - 1 }
            for range in AddressMask.ranges(in: lines[index]) {
                for at in range { lines[index][at] = dot }
            }
            var next = index + 1
            for start in found.sorted() {
                guard let end = hide(&lines, index, from: start) else { continue }
                // It went on to the end of the line, so the others are hidden too.
                next = end
                break
            }
            index = next
        }
        var result = String.UnicodeScalarView()
        for (index, line) in lines.enumerated() {
            if index > 0 { result.append("\n") }
            result.append(contentsOf: line)
        }
        return String(result)
    }

    /// Where the values of telling keys begin.
    private static func starts(in line: [Unicode.Scalar]) -> [Int] {
        var starts: [Int] = [], name = ""
        for (index, scalar) in line.enumerated() {
            if scalar == ":", index + 1 < line.count, line[index + 1] == " " {
                let folded = name.lowercased()
                if folded == "pin" || words.contains(where: folded.contains) { starts.append(index + 2) }
                name = ""
            } else if scalar.properties.isAlphabetic || scalar == "_" || scalar == "-" {
                name.unicodeScalars.append(scalar)
            } else if scalar != "\"", scalar != "'" {
                name = ""
            }
        }
        return starts
    }

    /// Dots from `start` to the end of the line, and the deeper lines below where the value is a block; references and maps stay.
    ///
    /// Returns the line that comes after what was hidden; nil when there was nothing to hide.
    private static func hide(_ lines: inout [[Unicode.Scalar]], _ index: Int, from start: Int) -> Int? {
        let line = lines[index]
        guard let first = line.indices.dropFirst(max(start, 0)).first(where: { line[$0] != " " }) else { return nil }
        if line[first] == "{" || line[first] == "[" || isReference(line[first...]) { return nil }
        var end = line.count
        while end > first, line[end - 1] == "}" || line[end - 1] == "]" || line[end - 1] == " " { end -= 1 }
        for at in first..<max(end, first) { lines[index][at] = dot }
        var next = index + 1
        guard line[first] == "|" || line[first] == ">" else { return next }
        let depth = indentation(line)
        while next < lines.count, lines[next].isEmpty || indentation(lines[next]) > depth {
            for at in lines[next].indices where lines[next][at] != " " { lines[next][at] = dot }
            next += 1
        }
        return next
    }

    private static func isReference(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        let bare = text.drop { $0 == "\"" || $0 == "'" }
        return bare.starts(with: ["$", "{"])
    }

    private static func indentation(_ line: [Unicode.Scalar]) -> Int { line.prefix { $0 == " " }.count }
}
