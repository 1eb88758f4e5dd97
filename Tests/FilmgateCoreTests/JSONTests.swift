import FilmgateCore
import Testing

@Suite struct JSONTests {
    func parse(_ text: String) -> JSONValue? { JSONValue(Array(text.utf8)) }

    @Test func readsWhatServersSend() throws {
        let value = try #require(
            parse(
                #" {"data": {"items": [{"id": 9007199254740993, "name": "é\n😀"}], "ok": true, "x": null, "f": -1.5e2}} "#
            ))
        #expect(value.at("data.items.0.id")?.text == "9007199254740993")
        #expect(value.at("data.items.0.name") == .string("é\n😀"))
        #expect(
            value.at("data.ok") == .bool(true) && value.at("data.x") == .null && value.at("data.f") == .number(-150))
        #expect(value.at("data.items.1") == nil && value.at("data.nothing") == nil && value.at("data.f.g") == nil)
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\":}", "{\"a\" 1}", "{a:1}", "[1 2]", "\"", "\"\\x\"", "\"\\u12\"", "01", "+1",
        "tru", "nul", "1 1", "--1", "\u{1}", "\"a\nb\"", "1e999",
    ])
    func refuses(_ text: String) { #expect(parse(text) == nil) }

    @Test func surrogatesNeverTrap() {
        #expect(parse(#""\ud83d\ude00""#) == .string("😀"))
        #expect(parse(#""\ud83d""#) == .string("\u{FFFD}"))
        #expect(parse(#""\ud83dx""#) == .string("\u{FFFD}x"))
        #expect(parse(#""\ud83d\u0041""#) == .string("\u{FFFD}A"))
        #expect(parse(#""\udc00""#) == .string("\u{FFFD}"))
    }

    @Test func depthIsBounded() {
        #expect(parse(String(repeating: "[", count: 64) + String(repeating: "]", count: 64)) != nil)
        #expect(parse(String(repeating: "[", count: 100_000)) == nil)
        #expect(parse(String(repeating: "{\"a\":", count: 100_000)) == nil)
    }

    /// Whatever is cut off or changed, the reader ends without a trap.
    @Test func damagedDocumentsNeverTrap() {
        let text = Array(#"{"a":[1,-2.5e3,"x\u00e9\n",true,false,null,{"b":{}}],"c":"\ud83d\ude00"}"#.utf8)
        for cut in text.indices { #expect(JSONValue(Array(text[..<cut])) == nil) }
        for index in text.indices {
            for byte: UInt8 in [0, 0x22, 0x5C, 0x7B, 0x5B, 0xFF, 0x75] {
                var damaged = text
                damaged[index] = byte
                _ = JSONValue(damaged)
            }
        }
    }
}
