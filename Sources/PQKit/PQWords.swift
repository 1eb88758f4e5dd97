/// What libpq says when it cannot connect, made into what a person needs of it.
///
/// It begins every line with the server's name, gives each address that it tried a line of its own, and puts guesses
/// and advice below: one of them is to switch off that the server is proven.
enum PQWords {
    /// The causes, each once.
    static func causes(_ words: String) -> String {
        let lines = words.split(separator: "\n").filter { $0.first != "\t" }
        let attempts = lines.compactMap(cause)
        let causes = (attempts.isEmpty ? lines.prefix(1).map(String.init) : attempts).map(begunSmall)
        var told: [String] = []
        for cause in causes where !told.contains(cause) { told.append(cause) }
        return told.isEmpty ? "the connection was lost" : told.joined(separator: "; ")
    }

    /// What stands behind the name of the server; nil for a line that is not about one try.
    private static func cause(_ line: Substring) -> String? {
        let begin = #/^connection to server (at|on socket) ".*?"(?: \(.*?\))?(?:, port \d+)? failed: /#
        guard let found = line.firstMatch(of: begin) else { return nil }
        let words = String(line[found.range.upperBound...])
        return found.output.1 == "on socket" && words == "No such file or directory" ? "no server listens there" : words
    }

    /// Behind a colon: `Connection refused` begins small, `SSL error` does not.
    private static func begunSmall(_ words: String) -> String {
        guard let first = words.first, first.isUppercase, words.dropFirst().first?.isLowercase == true else {
            return words
        }
        return first.lowercased() + words.dropFirst()
    }

    /// What a person can do where no server answers, by what was told of that; nil where it says so itself.
    static func advice(on told: String) -> String? {
        if told.contains("connection refused") || told.contains("no server listens there") {
            return "Nothing listens there: is the server running? Start it, or correct the host and the port in `url`."
        }
        if ["timed out", "is unreachable", "no route to host"].contains(where: { told.contains($0) }) {
            return
                "Nothing answers there: is that machine on, and do the network and its firewall let the port through?"
        }
        if told.contains("could not translate host name") {
            return "Nobody here knows that name: correct the host in `url`, or see to the network's names."
        }
        return nil
    }

    /// With a full stop at its end.
    static func sentence(_ words: String) -> String { words.hasSuffix(".") ? words : words + "." }
}
