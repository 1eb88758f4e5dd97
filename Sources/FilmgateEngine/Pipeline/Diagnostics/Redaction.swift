package import FilmgateCore

/// Hides what is or may be a secret in the lines that diagnostics show: a value written into the file by mistake must
/// not reach a log.
package enum Redaction {
    static let dot: Unicode.Scalar = "•"
    private static let words = [
        "token", "secret", "passw", "passphrase", "key", "credential", "authorization", "cookie",
    ]

    /// `text` with the values at `marks` and those of keys that sound like secrets dotted out; lines and columns stay
    /// where they are.
    package static func hidden(_ text: String, at marks: [Mark]) -> String {
        var lines = SourceLines.split(text), index = 0
        let columns = Dictionary(grouping: marks) { $0.line - 1 }
        while index < lines.count {
            let found = starts(in: lines[index]) + (columns[index] ?? []).map { $0.column - 1 }
            for range in AddressMask.ranges(in: lines[index]) {
                // What closes a flow map behind an address without quotes is not the address's.
                let end = lines[index][range].lastIndex { $0 != "," && $0 != "}" && $0 != "]" } ?? range.lowerBound
                for at in range.lowerBound...end { lines[index][at] = dot }
            }
            var next = index + 1, shown = 0
            for start in found.sorted() where start >= shown {
                guard let hidden = hide(&lines, index, from: start) else { continue }
                (shown, next) = (hidden.end, max(next, hidden.next))
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

    /// Dots for the value at `start`, and the deeper lines below where it is a block; references, files and maps stay.
    ///
    /// Returns where the value ends, and the line that comes after what was hidden; nil when there was nothing to hide.
    private static func hide(_ lines: inout [[Unicode.Scalar]], _ index: Int, from start: Int) -> (end: Int, next: Int)?
    {
        let line = lines[index]
        guard let first = line.indices.dropFirst(max(start, 0)).first(where: { line[$0] != " " }) else { return nil }
        if line[first] == "{" || line[first] == "[" || isReference(line[first...]) { return nil }
        let end = ValueEnd.find(in: line, from: first)
        for at in first..<max(end, first) { lines[index][at] = dot }
        var next = index + 1
        guard line[first] == "|" || line[first] == ">" else { return (end, next) }
        let depth = indentation(line)
        while next < lines.count, lines[next].isEmpty || indentation(lines[next]) > depth {
            for at in lines[next].indices where lines[next][at] != " " { lines[next][at] = dot }
            next += 1
        }
        return (line.count, next)
    }

    private static func isReference(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        let bare = text.drop { $0 == "\"" || $0 == "'" }
        // A file below the user's home is named, as a key's of sftp.
        return bare.starts(with: ["$", "{"]) || bare.starts(with: ["~", "/"])
    }

    private static func indentation(_ line: [Unicode.Scalar]) -> Int { line.prefix { $0 == " " }.count }
}

/// Where a value on one line of YAML ends.
///
/// Where that is in doubt, it is the end of the line: rather too much is hidden than a part of a secret shown.
enum ValueEnd {
    /// The position behind the value that begins at `first`.
    static func find(in line: [Unicode.Scalar], from first: Int) -> Int {
        if line[first] == "\"" || line[first] == "'" {
            guard let end = quoteEnd(in: line, from: first), isOver(line[end...]) else { return lineEnd(line, first) }
            return end
        }
        guard isInFlow(line[..<first]) else { return lineEnd(line, first) }
        for at in first..<line.count {
            let rest = line[(at + 1)...]
            let isBracket = line[at] == "}" || line[at] == "]"
            guard line[at] == "," && beginsWithKey(rest) || isBracket && isOver(line[at...]) else { continue }
            return (line[first..<at].lastIndex { $0 != " " } ?? at - 1) + 1
        }
        return lineEnd(line, first)
    }

    /// Without the brackets that close what was opened before.
    private static func lineEnd(_ line: [Unicode.Scalar], _ first: Int) -> Int {
        var end = line.count
        while end > first, line[end - 1] == "}" || line[end - 1] == "]" || line[end - 1] == " " { end -= 1 }
        return end
    }

    private static func quoteEnd(in line: [Unicode.Scalar], from first: Int) -> Int? {
        var at = first + 1
        while at < line.count {
            if line[at] == "\\", line[first] == "\"" {
                at += 1
            } else if line[at] == line[first] {
                guard line[first] == "'", at + 1 < line.count, line[at + 1] == "'" else { return at + 1 }
                at += 1
            }
            at += 1
        }
        return nil
    }

    /// Only brackets, a comment, or the next key of a flow map.
    private static func isOver(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
        let rest = rest.drop { $0 == " " || $0 == "}" || $0 == "]" }
        return rest.isEmpty || rest.first == "#"
            || rest.first == "," && (rest.count == 1 || beginsWithKey(rest.dropFirst()))
    }

    /// `name: ` or the brace of the next entry, after any space.
    private static func beginsWithKey(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
        let rest = rest.drop { $0 == " " }
        if rest.first == "{" { return true }
        let name = rest.prefix { $0.properties.isAlphabetic || $0 == "_" || $0 == "-" || $0 == "\"" || $0 == "'" }
        return !name.isEmpty && rest.dropFirst(name.count).starts(with: [":", " "])
    }

    /// A bracket was opened on this line and not closed.
    private static func isInFlow(_ before: ArraySlice<Unicode.Scalar>) -> Bool {
        var depth = 0, quote: Unicode.Scalar?
        for scalar in before {
            if let open = quote {
                if scalar == open { quote = nil }
            } else {
                switch scalar {
                case "\"", "'": quote = scalar
                case "{", "[": depth += 1
                case "}", "]": depth -= 1
                default: break
                }
            }
        }
        return depth > 0
    }
}
