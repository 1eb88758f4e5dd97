import FilmgateCore
import Foundation
import Testing

@testable import FilmgateEngine

@Suite struct DiagnosticTests {
    func printed(_ line: String, column: Int, hint: String? = nil) -> String {
        let error = ConfigError(Mark(file: "p", line: 1, column: column), "code", "Wrong.", hint: hint)
        return DiagnosticPrinter(texts: ["p": line]).text(Diagnostic(.error, error))
    }

    @Test func theCaretStandsUnderThePlace() {
        #expect(
            printed("a: b", column: 4, hint: "Right.")
                == "p:1:4: error: Wrong.\n    1 | a: b\n      |    ^\n      = Right.")
        #expect(printed("写: b", column: 4).contains("\n      |     ^"))
        #expect(printed("e\u{301}\u{200D}: b", column: 6).contains("\n      |    ^"))
        #expect(printed("\tb", column: 2).contains("\n      | \t^"))
        #expect(printed("ab", column: 99).contains("\n      |   ^"))
        #expect(printed("ab", column: 0).contains("\n      | ^"))
    }

    @Test func longLinesAreCutAroundThePlace() {
        let text = printed(
            String(repeating: "x", count: 5000) + "!" + String(repeating: "y", count: 5000), column: 5001)
        let lines = text.split(separator: "\n")
        #expect(lines[1].count < 120 && lines[1].contains("x!y") && lines[1].hasSuffix("…") && lines[1].contains("| …"))
        #expect(
            lines[1].firstIndex(of: "!").map { lines[1].distance(from: lines[1].startIndex, to: $0) } == lines[2].count
                - 1)
    }

    @Test func nothingThatCouldSteerATerminalIsPrinted() {
        let error = ConfigError(
            Mark(file: "p\u{1B}[2J", line: 1, column: 1), "code", "Unknown `\u{1B}]0;x\u{7}\u{202E}`.", hint: "\r\n")
        let text = DiagnosticPrinter(texts: ["p\u{1B}[2J": "\u{9B}31m\u{2066}"]).text(Diagnostic(.warning, error))
        #expect(
            !text.unicodeScalars.contains {
                $0 != "\n" && ($0.value < 0x20 || (0x7F..<0xA0).contains($0.value)) || $0 == "\u{202E}"
                    || $0 == "\u{2066}"
            })
        #expect(text.contains("warning: Unknown `\\u{1b}]0;x\\u{7}\\u{202e}`."))
    }

    @Test func jsonHasThePromisedFields() throws {
        let placed = Diagnostic(
            .error, ConfigError(Mark(file: "p.yaml", line: 3, column: 7), "unknown-key", "Unknown.", hint: "Known."))
        let json = try #require(JSONSerialization.jsonObject(with: JSONEncoder().encode(placed)) as? [String: Any])
        #expect(
            json["type"] as? String == "diagnostic" && json["severity"] as? String == "error"
                && json["file"] as? String == "p.yaml")
        #expect(json["line"] as? Int == 3 && json["column"] as? Int == 7 && json["code"] as? String == "unknown-key")
        #expect(json["message"] as? String == "Unknown." && json["hint"] as? String == "Known.")
        let bare = Diagnostic.warning(Mark(file: "--set a"), "c", "M.")
        let second = try #require(JSONSerialization.jsonObject(with: JSONEncoder().encode(bare)) as? [String: Any])
        #expect(second["line"] is NSNull && second["column"] is NSNull && second["hint"] is NSNull)
    }

    @Test(arguments: [
        "token: canary", "  api_key: 'canary' # mine", "- { user: ann, password: canary }",
        "{\"Client-Secret\": canary}", "pin:   canary", "url: https://ann:canary@host/x",
        "url: \"https://canary@host\"", "url: 'https://ann:can/canary@host/{name}'",
        "- https://host/x?token=canary&album={event}", "{ url: https://host/x?canary }",
        "a: https://host/#access_token=canary", "to: ann:canary@host", "Authorization: Bearer canary",
        "key: |\n  canary\n  canary\nnext: 1", "{ a: { token: \"canary, x\"", "passphrase: >-\n\n   canary",
        "{ token: can,canary }", "{ token: canary}canary, a: b }", "{ token: 'canary'canary }",
        "{ token: 'can''canary', a: b }", "{ token: \"can\\\"canary\", a: b }", "token: a, b: canary",
        "token: \"canary", "{ a: '{', token: canary, secret: canary }", "{ token: canary, canary }",
    ]) func tellingKeysAreDottedOut(text: String) {
        let hidden = Redaction.hidden(text, at: [])
        #expect(!hidden.contains("canary"), "\(hidden)")
        #expect(hidden.unicodeScalars.count == text.unicodeScalars.count)
    }

    @Test(arguments: [
        ("s: { bearer: { token: abc, bogus: 2, other: 3 } }", "s: { bearer: { token: •••, bogus: 2, other: 3 } }"),
        ("s: { token: 'a, b', \"x\": 2 } # mine", "s: { token: ••••••, \"x\": 2 } # mine"),
        ("[{ token: abc }, { url: x }]", "[{ token: ••• }, { url: x }]"),
        ("token: 'abc' # mine", "token: ••••• # mine"),
        ("{ token: a, pin: 1, user: u }", "{ token: •, pin: •, user: u }"),
        ("b: { url: https://h/x?sig=abc, auth: s }", "b: { url: https://h/x?sig=•••, auth: s }"),
        ("{ url: https://h/x?sig=abc}", "{ url: https://h/x?sig=•••}"),
    ]) func onlyTheSecretIsHidden(text: String, shown: String) { #expect(Redaction.hidden(text, at: []) == shown) }

    @Test(arguments: [
        "token: ${env:X}", "token: \"${file:/run/x}\"", "api_key: { header: X-Key }",
        "archive: { folder: { path: /a } }", "url: https://host/a@b",
        "url: https://host:8443/a@b?album={event}&key=${env:X}", "mail: ann@host", "time: 12:30", "keys: [a]",
        "monkeys", "# token is set elsewhere", "sftp: { key: ~/.ssh/studio }",
    ]) func otherTextStays(text: String) { #expect(Redaction.hidden(text, at: []) == text) }

    @Test(arguments: [
        ("`https://ann:canary@host/a` is no address.", "`https://•••@host/a` is no address."),
        ("See https://host/x?sig=canary&album={event}, please", "See https://host/x?sig=•••&album={event}, please"),
        ("`ann:canary@host`", "`•••@host`"), ("ptpip://10.0.0.1:15740: what?", "ptpip://10.0.0.1:15740: what?"),
    ]) func messagesShowNoSecretsOfAddresses(message: String, shown: String) {
        let diagnostic = Diagnostic(
            .error, ConfigError(Mark(file: "p", line: 1, column: 1), "c", message, hint: message))
        #expect(diagnostic.error.message == shown && diagnostic.error.hint == shown)
    }

    @Test func marksHideWhatHasNoTellingKey() {
        let text = "auth:\n  a: { bearer: { tkn: canary } }\n  b: x"
        let hidden = Redaction.hidden(text, at: [Mark(file: "p", line: 2, column: 23)])
        #expect(hidden == "auth:\n  a: { bearer: { tkn: •••••• } }\n  b: x")
        #expect(
            Redaction.hidden("a", at: [Mark(file: "p", line: 9, column: 9), Mark(file: "p", line: 1, column: 50)])
                == "a")
    }
}
