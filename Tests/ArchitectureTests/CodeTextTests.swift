import Testing

@Suite struct CodeTextTests {
    @Test(arguments: [
        (#"let a = "x!" // y!"#, #"let a = "" "#), (#"f("\(b!)")"#, #"f((b!)"")"#), ("/* a!\n */c", "\nc"),
        ("\"\"\"\na!\n\"\"\"", "\n\n\"\""),
        (##"let r = #"a"!"# + d"##, #"let r = "" + d"#), (#""\"!""#, #""""#),
    ])
    func keepsCodeOnly(_ text: String, _ code: String) {
        #expect(CodeText.stripped(text).joined(separator: "\n") == code)
    }

    @Test func findsImportsAndFunctions() {
        let file = Repository.File(
            path: "Sources/X/Y.swift",
            text: "public import A\n@testable import struct B.C\n// import D\nfunc f(\n    a: Int\n) {\n    g()\n}\n")
        #expect(LayerTests.imports(of: file) == ["A", "B"])
        #expect(SizeTests.functions(of: file).map { [$0.line, $0.length] } == [[4, 5]])
    }
}
