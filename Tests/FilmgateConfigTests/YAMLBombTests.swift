import FilmgateCore
import Testing

@testable import FilmgateConfig

/// Texts that are small to write and huge to resolve: each is refused at once, with a place.
@Suite struct YAMLBombTests {
    func code(_ text: String) -> String {
        do throws(ConfigError) { return "read: \(try YAMLReader().read(text: text, file: "bomb.yaml").kindName)" } catch
        {
            return error.code
        }
    }

    @Test func aliasBomb() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...30 {
            text +=
                "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
                + "]\n"
        }
        #expect(code(text) == "anchor-refused")
    }

    @Test func aliasesAsKeys() {
        var text = "a0: &a0 x\n"
        for level in 1...12 {
            text +=
                "a\(level): &a\(level) {" + (0..<9).map { "[*a\(level - 1), \($0)]: 1" }.joined(separator: ", ") + "}\n"
        }
        #expect(code(text) == "anchor-refused")
    }

    /// A scan that trusts quotes can be led to believe that the anchors stand inside a quoted text.
    @Test(arguments: [
        "a: b\n  'c\nd: &x [1]\ne: *x\nf: '\n",
        "{a: b\n 'c, d: &x 1, e: *x, f: '}\n",
        "a: |\n  '\nb: &x 1\nc: *x\nd: '\n",
        "a: # '\n  - &x 1\n  - *x # '\n",
    ]) func aliasesHiddenBehindQuotes(text: String) {
        #expect(["anchor-refused", "alias-refused", "syntax"].contains(code(text)), "\(code(text))")
    }

    @Test func mergeBomb() { #expect(code("a: {<<: {b: 1}}\n") == "merge-key") }

    /// What is repeated, how often, and what comes last.
    @Test(arguments: [
        ("[", 500_000, ""), ("{a: ", 100_000, ""), ("- ", 300_000, "x"), ("? ", 300_000, "x"), ("[", 900, ""),
        ("- ", 900, "x"), ("{{", 400, "x"),
    ]) func deepNesting(piece: String, times: Int, end: String) {
        let code = code(String(repeating: piece, count: times) + end)
        #expect(["too-deep", "syntax"].contains(code), "\(code)")
    }

    @Test func deepIndentation() {
        var text = ""
        for level in 0..<900 { text += String(repeating: " ", count: level) + "a:\n" }
        #expect(code(text) == "too-deep")
    }

    @Test func wideList() { #expect(code("[" + String(repeating: "a,", count: 400_000) + "a]") == "too-many-nodes") }

    @Test func wideMap() {
        #expect(code((0..<90_000).map { "k\($0): \n" }.joined()) == "too-many-nodes")
    }

    @Test func hugeKey() { #expect(code("? " + String(repeating: "k", count: 500_000) + "\n: 1\n") == "bad-key") }

    @Test func hugeText() { #expect(code("a: \"" + String(repeating: "x", count: 1 << 20) + "\"") == "file-too-large") }
}
