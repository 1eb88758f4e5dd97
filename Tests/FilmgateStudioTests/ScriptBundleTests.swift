import FilmgateCore
import Testing

@testable import FilmgateStudio

@Suite struct ScriptBundleTests {
    @Test func modulesBecomeFunctions() throws {
        let text = try #require(
            ScriptBundle.text(
                [
                    ("a.js", "import { b, c } from \"./b.js\";\nexport async function f(x) {}\nexport const g = b;\n"),
                    ("b.js", "export class C {}\nexport function b() { return import(\"./a.js\"); }\n"),
                ], first: "a.js"))
        for part in [
            "const { b, c } = use(\"b.js\");\nasync function f(x) {}\nconst g = b;\n\nreturn { f, g };",
            "class C {}\nfunction b() { return Promise.resolve(\"a.js\").then(use); }\n\nreturn { C, b };",
            "\nuse(\"a.js\");\n",
        ] {
            #expect(text.contains(part), "\(text)")
        }
    }

    /// Of a comment nothing is left but its line; what only begins or ends like one is code.
    @Test func commentsStayBehind() throws {
        let text = try #require(
            ScriptBundle.text(
                [
                    (
                        "a.js",
                        "// One.\n  /** Two. */\n  f(); // three\n/** four */ g(/** five */)\n/** six */ i = /** seven */\n"
                    )
                ],
                first: "a.js"))
        #expect(
            text.contains("() => {\n\n\nf(); // three\n/** four */ g(/** five */)\n/** six */ i = /** seven */\n"),
            "\(text)")
    }

    /// Types are for those who write the page; what stands in quotes is none.
    @Test func typesStayBehind() throws {
        let text = try #require(
            ScriptBundle.text(
                [
                    (
                        "a.js",
                        "/**\n * One.\n * @param {x} a\n */\nf(/** @type {a} */ (b), \"/** @c */\", /** @type {d} */ (e));\n"
                    )
                ], first: "a.js"))
        #expect(text.contains("() => {\n\n\n\n\nf((b), \"/** @c */\", (e));\n"), "\(text)")
    }

    @Test(arguments: [
        "import x from \"./b.js\";", "import { a as b } from \"./b.js\";", "import \"./b.js\";", "export default 5;",
        "export { a };", "import { a } from \"https://elsewhere.example/b.js\";", "export let x = 5;",
        "export * from \"./b.js\";", "f(`one",
    ]) func whatIsSaidInAnotherWayIsLeft(_ line: String) {
        #expect(ScriptBundle.text([("a.js", line + "\n")], first: "a.js") == nil)
    }

    /// What only `import()` leads to is in the second file, and what it imports by name with it.
    @Test func whatIsWantedLaterComesLater() throws {
        let texts = try #require(
            ScriptBundle.texts(
                [
                    ("a.js", "import { b } from \"./b.js\";\nexport const f = () => import(\"./c.js\");\n"),
                    ("b.js", "export const b = () => import(\"./a.js\");\n"),
                    ("c.js", "import { d } from \"./d.js\";\nexport const c = d;\n"), ("d.js", "export const d = 1;\n"),
                ], first: "a.js", soon: []))
        #expect(texts.first.contains("const f = () => more(\"c.js\");"), "\(texts)")
        #expect(texts.first.contains("const b = () => Promise.resolve(\"a.js\").then(use);"))
        for name in ["a.js", "b.js"] { #expect(texts.first.contains("modules[\"\(name)\"]")) }
        for name in ["c.js", "d.js"] { #expect(texts.rest.contains("modules[\"\(name)\"]")) }
        #expect(texts.rest.hasPrefix("export const add = (modules, use, more) => {\n"))
    }

    /// A browser that comes for the first time asks for four files: the page, its style, its icon and its scripts.
    @Test func thePageAsksForOneScript() async throws {
        try await StudioBench.with { bench async throws in
            let page = try bench.client.send("GET", "/", [:]).body
            let names = page.matches(of: /(?:href|src)="(\/page\/[^"]+)"/).map { String($0.1) }
            #expect(names.count == 3)
            let script = try #require(names.first { $0.hasSuffix("/page.js") })
            let text = try bench.client.send("GET", script, [:]).body
            for module in ["main.js", "sheet.js", "stream.js", "capture.js"] {
                #expect(text.contains("modules[\"\(module)\"] = () => {"))
            }
            #expect(!text.contains("\nimport ") && !text.contains("\nexport "))
            #expect(!text.contains("import(\"./"), "what it asks for later is one file")
            let rest = try bench.client.send("GET", script.replacing("page.js", with: ScriptBundle.rest), [:]).body
            for module in ["cards.js", "deliveries.js", "tools.js"] {
                let start = "modules[\"\(module)\"] = () => {"
                #expect(rest.contains(start) && !text.contains(start))
            }
            let one = script.replacing("page.js", with: "sheet.js")
            #expect(try bench.client.send("GET", one, [:]).status == 200)
            #expect(try Self.sizes(["/"] + names, bench, [:]) <= 120_000)
            #expect(try Self.sizes(["/"] + names, bench, ["Accept-Encoding": "gzip"]) <= 40_000)
        }
    }

    private static func sizes(_ paths: [String], _ bench: StudioBench, _ headers: [String: String]) throws -> Int {
        try paths.reduce(0) { sum, path in
            let length = try bench.client.send("GET", path, headers)["Content-Length"]
            return sum + (try #require(length.flatMap { Int($0) }, "\(path)"))
        }
    }
}
