import Testing

@testable import FilmgateCore

@Suite struct TemplateTests {
    private func rendered(
        _ source: String, _ text: [String: String] = [:], captured: CivilTime? = nil, counter: Int? = nil
    ) throws
        -> String
    {
        try #require(Template(source)).rendered(with: TemplateValues(text: text, captured: captured, counter: counter))
    }

    private let time = CivilTime(year: 2026, month: 5, day: 1, hour: 7, minute: 8, second: 9, nanosecond: 42_999_999)

    @Test func fillsIn() throws {
        #expect(
            try rendered("{event}/{stem}.{ext}", ["event": "wedding", "stem": "IMG_1", "ext": "JPG"])
                == "wedding/IMG_1.JPG")
        #expect(try rendered("", [:]) == "")
        #expect(try rendered("plain", [:]) == "plain")
    }

    @Test func bracesAreDoubled() throws {
        #expect(try rendered("{{{stem}}}", ["stem": "x"]) == "{x}")
        #expect(try rendered("{{stem}}") == "{stem}")
        #expect(try rendered("}}{{") == "}{")
    }

    @Test func slashesComeFromTheTemplateAlone() throws {
        #expect(try rendered("{event}/{stem}", ["event": "../a/b", "stem": "/etc/passwd"]) == ".._a_b/_etc_passwd")
        #expect(try rendered("a/{make}", ["make": ".."]) == "a/_")
        #expect(try rendered("a/{make}", ["make": "x\u{0}\ny"]) == "a/x__y")
    }

    @Test func emptyValuesAreUnknownButExtensionsMayBeMissing() throws {
        #expect(try rendered("{make}/{captured}/{counter}/{stem}.{ext}", ["stem": "a"]) == "unknown/unknown/unknown/a")
        #expect(try rendered("{stem}-{ext}", ["stem": "a"]) == "a-")
        #expect(try rendered("{captured:yyyy/MM}") == "unknown")
    }

    @Test func datePatterns() throws {
        #expect(try rendered("{captured}", captured: time) == "20260501-070809")
        #expect(try rendered("{captured:}", captured: time) == "20260501-070809")
        #expect(try rendered("{captured:yyyy-MM-dd_HHmmssSSS}", captured: time) == "2026-05-01_070809042")
        #expect(try rendered("{captured:HH:mm}", captured: time) == "07_08")
        let early = try #require(CivilTime(year: 7, month: 11, day: 12))
        #expect(try rendered("{captured:yyyyMMdd SSS}", captured: early) == "00071112 000")
    }

    /// A `/` in a date pattern stands in the template, not in a value: it parts folders.
    @Test func datePatternsMayPartFolders() throws {
        #expect(try rendered("{captured:yyyy/MM/dd}/{stem}", ["stem": "a"], captured: time) == "2026/05/01/a")
        #expect(try rendered("{captured:/yyyy//../MM/}", captured: time) == "2026/_/05")
    }

    @Test func counters() throws {
        #expect(try rendered("{counter}", counter: 7) == "7")
        #expect(try rendered("{counter:4}", counter: 7) == "0007")
        #expect(try rendered("{counter:1}", counter: 12_345) == "12345")
    }

    @Test func otherEscapesReplaceTheSafeName() throws {
        let template = try #require(Template("/api/{stem}"))
        #expect(template.rendered(with: TemplateValues(text: ["stem": "a b/c"])) { "<\($0)>" } == "/api/<a b/c>")
    }

    @Test func knowsWhatItUses() {
        #expect(Template("{event}/{captured:yyyy}/{captured:MM}{{x}}")?.uses == ["event", "captured"])
    }

    @Test(arguments: [
        ("{", 0), ("ab{stem", 2), ("a}b", 1), ("{stem}}", 6), ("{nope}", 0), ("📷{nope}", 1), ("{}", 0), ("{stem:4}", 0),
        ("{captured:YYYY}", 0),
        ("{captured:yyyyy}", 0), ("{captured:hh}", 0), ("{captured:M}", 0), ("{counter:0}", 0), ("{counter:10}", 0),
        ("{counter:x}", 0), ("{stem}{Stem}", 6), ("{ stem}", 0),
    ]) func mistakesAreFoundAtTheirPlace(_ source: String, _ offset: Int) {
        guard case .failure(let fault) = Template.parse(source) else {
            Issue.record("\(source) was taken")
            return
        }
        #expect(fault.offset == offset)
        #expect(!fault.message.isEmpty)
        #expect(Template(source) == nil)
    }

    @Test func hintsNameTheNearestVariable() {
        let hint: String? = if case .failure(let fault) = Template.parse("{stemm}") { fault.hint } else { nil }
        #expect(hint == "Did you mean `{stem}`?")
    }

    /// The column in the file is the brace's, also inside quotes.
    @Test func decodingPointsAtTheBrace() {
        for (quoted, column) in [(false, 13), (true, 14)] {
            let node = ConfigNode(.scalar("ab/{oops}", quoted: quoted), Mark(file: "f", line: 3, column: 10))
            let error = #expect(throws: ConfigError.self) { try Template(node: node) }
            #expect(error?.mark == Mark(file: "f", line: 3, column: column))
            #expect(error?.code == "bad-template")
        }
    }
}
