import FilmgateCore
import HTTPKit
import Testing

@testable import FilmgateExternal

@Suite struct HelloTests {
    private func hello(
        _ fields: String = "[]", protocol number: Int = 1, kind: String = "target", name: String = "x"
    ) throws -> Hello {
        let text =
            #"{"hello":{"protocol":\#(number),"kind":"\#(kind)","manifest":{"name":"\#(name)","summary":"S."},"fields":\#(fields)}}"#
        guard let value = JSONValue(Array(text.utf8)) else { throw IngestError(.unexpected, "No JSON: \(text)") }
        return try Hello(value, name: "x")
    }

    @Test func whatItSaysWronglyIsToldToItsAuthor() {
        for (make, words) in [
            ({ try hello(protocol: 2) }, "protocol 2"), ({ try hello(kind: "camera") }, "kind"),
            ({ try hello(name: "y") }, "its name"),
            ({ try hello(#"[{"name":"A b","kind":"text","help":"H."}]"#) }, "no name"),
            ({ try hello(#"[{"name":"a","kind":"float","help":"H."}]"#) }, "no known kind"),
            (
                { try hello(#"[{"name":"a","kind":"text","help":"H."},{"name":"a","kind":"text","help":"H."}]"#) },
                "twice"
            ),
            ({ try hello(#"[{"name":"a","kind":"integer","help":"H.","range":[5,1]}]"#) }, "range"),
            ({ try hello(#"[{"name":"a","kind":{"list":"secret"},"help":"H."}]"#) }, "no known kind"),
        ] as [(() throws -> Hello, String)] {
            do {
                _ = try make()
                Issue.record("Taken: \(words)")
            } catch { #expect("\(error)".contains(words), "\(error)") }
        }
    }

    private static let fields = """
        [{"name":"folder","kind":"path","help":"F.","required":true},{"name":"wait","kind":"duration","help":"W.","default":30,"range":[1,60]},
         {"name":"room","kind":"bytes","help":"R."},{"name":"key","kind":"secret","help":"K."},{"name":"mode","kind":{"choice":["a","b"]},"help":"M."},
         {"name":"many","kind":{"list":"integer"},"help":"L."},
         {"name":"deep","kind":"section","help":"D.","fields":[{"name":"token","kind":"secret","help":"T."},{"name":"on","kind":"boolean","help":"O."}]}]
        """

    private func node(_ pairs: [(String, ConfigNode)]) -> ConfigNode {
        ConfigNode(.map(pairs.map { ConfigNode.Pair(ConfigNode.Key($0.0, Mark()), $0.1) }))
    }
    private func plain(_ text: String) -> ConfigNode { ConfigNode(.scalar(text, quoted: false)) }

    @Test func optionsAreReadAsTheirKindsSay() throws {
        let hello = try hello(Self.fields)
        let given = node([
            ("folder", plain("/srv")), ("room", plain("2KiB")), ("key", plain("${env:K}")), ("mode", plain("b")),
            ("many", ConfigNode(.list([plain("1"), plain("2")]))),
            ("deep", node([("token", plain("${env:T}")), ("on", plain("true"))])),
        ])
        let reader = OptionReader(given, hello.fields)
        #expect(reader.errors.isEmpty)
        #expect(
            reader.options == [
                "folder": .string("/srv"), "wait": .integer(30), "room": .integer(2048), "mode": .string("b"),
                "many": .array([.integer(1), .integer(2)]), "deep": .object(["on": .bool(true)]),
            ])
        #expect(reader.secrets == ["key": Secret(.environment("K")), "deep.token": Secret(.environment("T"))])
        #expect(hello.fields[1].description.defaultText == "30s" && hello.fields[1].description.range == "1s…1m")
    }

    @Test func mistakesAreThoseOfBuiltInModules() throws {
        let hello = try hello(Self.fields)
        let given = node([
            ("fodler", plain("/srv")), ("wait", plain("2h")), ("key", plain("hunter2")), ("mode", plain("c")),
            ("room", plain("2")), ("deep", plain("x")),
        ])
        let codes = OptionReader(given, hello.fields).errors.map(\.code)
        #expect(
            codes == [
                "unknown-key", "out-of-range", "inline-secret", "unknown-choice", "wrong-unit", "wrong-type",
                "missing-key",
            ])
    }

    @Test func namesThatAreNoTextKeepTheirBytes() throws {
        let name = "a\u{10FFE9}\u{10FF80}b😀\\", wire = WireText.of(.string(name))
        #expect(wire == #""a\udce9\udc80b😀\\""#)
        #expect(JSONValue(WireText.incoming(Array(wire.utf8)))?.text == name)
        let pair = WireText.incoming(Array(#""\ud83d\ude00 \\udce9 \ud83d""#.utf8))
        #expect(JSONValue(pair)?.text == "😀 \\udce9 \u{FFFD}")
    }

    @Test func onlyProgramsOfTheRightNameAreModules() throws {
        for path in [
            "/bin/sh", "filmgate-module-x", "/nowhere/filmgate-module-x", "/tmp/filmgate-module-",
            "/tmp/filmgate-module-A",
        ] {
            #expect(throws: IngestError.self) { try ModuleProgram(path) }
        }
    }
}
