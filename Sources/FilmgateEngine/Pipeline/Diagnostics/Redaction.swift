import FilmgateCore

/// Hides what is or may be a secret in the lines that diagnostics show: a value written into the file by mistake must not reach a log.
enum Redaction {
    static let dot: Unicode.Scalar = "•"
    private static let words = ["token", "secret", "passw", "passphrase", "key", "credential", "authorization", "cookie"]

    /// `text` with the values at `marks` and those of keys that sound like secrets dotted out; lines and columns stay where they are.
    static func hidden(_ text: String, at marks: [Mark]) -> String {
        var lines = SourceLines.split(text)
        for index in lines.indices {
            for start in starts(in: lines[index]) { hide(&lines, index, from: start) }
            hideUserInfo(&lines[index])
        }
        for mark in marks where lines.indices.contains(mark.line - 1) { hide(&lines, mark.line - 1, from: mark.column - 1) }
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
    private static func hide(_ lines: inout [[Unicode.Scalar]], _ index: Int, from start: Int) {
        let line = lines[index]
        guard let first = line.indices.dropFirst(max(start, 0)).first(where: { line[$0] != " " }) else { return }
        if line[first] == "{" || line[first] == "[" || isReference(line[first...]) { return }
        var end = line.count
        while end > first, line[end - 1] == "}" || line[end - 1] == "]" || line[end - 1] == " " { end -= 1 }
        for at in first..<max(end, first) { lines[index][at] = dot }
        guard line[first] == "|" || line[first] == ">" else { return }
        let depth = indentation(line)
        for below in lines.indices.dropFirst(index + 1) {
            if !lines[below].isEmpty, indentation(lines[below]) <= depth { break }
            for at in lines[below].indices where lines[below][at] != " " { lines[below][at] = dot }
        }
    }

    private static func isReference(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        let bare = text.drop { $0 == "\"" || $0 == "'" }
        return bare.starts(with: ["$", "{"])
    }

    private static func indentation(_ line: [Unicode.Scalar]) -> Int { line.prefix { $0 == " " }.count }

    /// `https://user:password@host`.
    private static func hideUserInfo(_ line: inout [Unicode.Scalar]) {
        guard line.contains("@") else { return }
        var start: Int?
        for index in line.indices {
            if index >= 2, line[index] == "/", line[index - 1] == "/", line[index - 2] == ":" {
                start = index + 1
            } else if let from = start, line[index] == "@" {
                for at in from..<index { line[at] = dot }
            } else if line[index] == "/" || line[index] == " " {
                start = nil
            }
        }
    }
}
