/// The page's style without the spaces that only its readers need.
enum StyleText {
    /// Lines that hold a text in quotes stay as they are.
    static func shortened(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.allSatisfy({ $0 != "\"" && $0 != "'" }) else { return String(line) }
            var line = String(line.drop { $0 == " " })
            for (long, short) in [
                (" { ", "{"), (" {", "{"), ("; }", "}"), (" }", "}"), ("} ", "}"), ("; ", ";"), (": ", ":"),
                (", ", ","),
            ] {
                line = line.replacing(long, with: short)
            }
            return line
        }.joined(separator: "\n")
    }
}
