import FilmgateCore
import Testing

@testable import FilmgateConfig

@Suite struct YAMLReaderTests {
    func mistake(_ text: String) -> String {
        do throws(ConfigError) {
            return "read: \(try YAMLReader().read(text: text, file: "p.yaml").kindName)"
        } catch {
            return "\(error.mark.line):\(error.mark.column) \(error.code)"
        }
    }

    @Test func readsMapsListsAndTextWithPlaces() throws {
        let root = try YAMLReader().read(text: "version: 1\nstages:\n  - exif: {}\n  - \"4\"\nnone:\n", file: "p.yaml")
        #expect(root["version"]?.value == .scalar("1", quoted: false))
        #expect(root["version"]?.mark == Mark(file: "p.yaml", line: 1, column: 10))
        #expect(root["none"]?.value == .null)
        guard case .list(let items) = root["stages"]?.value else { throw ConfigError(Mark(), "test", "no list") }
        #expect(items[0].mark == Mark(file: "p.yaml", line: 3, column: 5))
        #expect(items[1].value == .scalar("4", quoted: true))
    }

    @Test func columnsCountUnicodeScalarsAndSkipTheByteOrderMark() throws {
        let root = try YAMLReader().read(text: "\u{FEFF}{ä: é, n: 2}", file: "p.yaml")
        #expect(root["n"]?.mark.column == 11)
    }

    @Test func introducersInsideTextStay() throws {
        let text =
            "- /media/*/*\n- Ann's *x & !y\n- \"*.jpg\"\n- '&a'\n- a?b=*c # & *x !t\n- {a: \"!\"}\n- |\n  *bold\n  !x\n"
        let root = try YAMLReader().read(text: text, file: "p.yaml")
        guard case .list(let items) = root.value else { throw ConfigError(Mark(), "test", "no list") }
        let expected = ["/media/*/*", "Ann's *x & !y", "*.jpg", "&a", "a?b=*c"]
        for (item, text) in zip(items, expected) { #expect(try item.text() == text) }
        #expect(try items[5]["a"]?.text() == "!")
        #expect(try items[6].text() == "*bold\n!x\n")
    }

    @Test(arguments: [
        ("a: &x 1", "1:4 anchor-refused"), ("a: *x", "1:4 alias-refused"), ("a: !!str 1", "1:4 tag-refused"),
        ("- &a", "1:3 anchor-refused"),
        ("a: [1, *b]", "1:8 alias-refused"), ("a: &x\n  b: 1", "1:4 anchor-refused"), ("*a : 1", "1:1 alias-refused"),
        ("a: !t [1, 2]", "1:4 tag-refused"), ("x: 1\na: {<<: 1}", "2:5 merge-key"), ("!!map {a: 1}", "1:1 tag-refused"),
        ("&root\na: 1\n", "1:1 anchor-refused"),
    ]) func refusesReferences(text: String, expected: String) { #expect(mistake(text) == expected) }

    @Test(arguments: [
        ("a: 1\nb: 2\na: 3", "3:1 duplicate-key"), ("{b: 1, a: 1, \"a\": 2}", "1:14 duplicate-key"),
        ("a: 1\nb: {x: 1, y: 2,\n x: 3}", "3:2 duplicate-key"), ("a: 1\na: 2\na: 3", "2:1 duplicate-key"),
        ("'k': 1\n\"k\": 2", "2:1 duplicate-key"), ("b: 1\na: 1\nb: 2\na: 2", "4:1 duplicate-key"),
        ("x:\n  - {p: 1}\n  - p: 1\n    q: 2\n    p: 3\n", "5:5 duplicate-key"), ("a*: 1\na*: 2", "2:1 duplicate-key"),
        ("a*: 1\na*: 2\na*: 3", "2:1 duplicate-key"), ("{[a]: 1, [a]: 2}", "1:2 bad-key"),
        ("a: 1\r\na: 2\r\n", "2:1 duplicate-key"), ("\"\\x61\": 1\na: 2", "1:1 duplicate-key"),
    ]) func duplicateKeysPointAtTheSecond(text: String, expected: String) { #expect(mistake(text) == expected) }

    @Test(arguments: [
        ("", "1:1 empty-file"), ("# nothing\n", "1:1 empty-file"), ("---\n", "read: nothing"),
        ("a: 1\n---\nb: 2", "2:1 several-documents"), ("a:\n\t- 1", "2:1 tab-indentation"),
        ("a: 1\n  b: 2", "2:4 syntax"), ("a: [1, 2\nb: 3", "1:4 syntax"), ("a: \"x", "1:4 syntax"),
        ("a: @x", "1:4 syntax"), ("a: \"\\q\"", "1:5 syntax"), ("a: b\u{7}", "1:5 control-character"),
        ("a: \"\\0\"", "1:4 control-character"),
        (": 1", "1:1 syntax"), ("? \n: 1", "1:2 bad-key"), ("{[a]: 1}", "1:2 bad-key"), ("a\nb: 1", "2:2 syntax"),
        ("a: \u{1FFFE}x", "1:4 control-character"),
        ("a: x\u{2028}y", "1:5 control-character"), ("a: 1\n]", "2:1 syntax"), ("a: - b", "1:4 syntax"),
    ]) func mistakesHaveAPlaceAndACode(text: String, expected: String) { #expect(mistake(text) == expected) }

    @Test func badEncodingPointsAtTheByte() throws {
        #expect(
            throws: ConfigError(
                Mark(file: "f", line: 2, column: 4), "bad-encoding", "This is not UTF-8 text.",
                hint: "Save the file as UTF-8.")
        ) {
            try YAMLText.decoded(Array("a: ä\nb: ".utf8) + [0xE4, 0x20], file: "f")
        }
    }
}
