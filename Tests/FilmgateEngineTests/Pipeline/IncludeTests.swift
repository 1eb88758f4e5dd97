import FilmgateConfig
import FilmgateCore
import Testing

@testable import FilmgateEngine

@Suite struct IncludeTests {
    /// Files in memory.
    struct Files: ConfigReader {
        var files: [String: String]
        func text(path: String) throws(ConfigError) -> String {
            guard let text = files[path] else {
                throw ConfigError(Mark(file: path), "file-not-found", "There is no such file.")
            }
            return text
        }
        func read(text: String, file: String) throws(ConfigError) -> ConfigNode {
            try YAMLReader().read(text: text, file: file)
        }
    }

    static func pipeline(_ include: String, _ profiles: String = "[]") -> String {
        "version: 1\nsources: [card: {}]\ninclude: \(include)\nprofiles: \(profiles)\n" + PipelineFileTests.ending
    }

    static func profile(_ name: String, include: String = "[]") -> String {
        "version: 1\ninclude: \(include)\nprofiles: [{photographer: \(name)}]\n"
    }

    func load(_ files: [String: String]) throws -> LoadedPipeline {
        PipelineLoader(registry: try Fake.registry(), reader: Files(files: files)).load(path: "dir/p.yaml")
    }

    @Test func theIncludingFileComesFirstThenTheOrderOfInclusion() throws {
        let files = [
            "dir/p.yaml": Self.pipeline("[./a.yaml, ./b.yaml, /c.yaml]", "[{photographer: own}]"),
            "dir/a.yaml": Self.profile("a", include: "[./sub/d.yaml]"),
            "dir/sub/d.yaml": Self.profile("d", include: "[../b.yaml]"), "dir/sub/../b.yaml": Self.profile("b"),
            "dir/b.yaml": Self.profile("b"),
            "/c.yaml": Self.profile("c"),
        ]
        let loaded = try load(files)
        #expect(loaded.diagnostics == [])
        let profiles = try #require(loaded.pipeline).profiles
        #expect(profiles.profiles.compactMap(\.photographer).prefix(3) == ["own", "a", "d"])
        let resolved = profiles.resolve(make: nil, model: nil, serial: nil, owner: nil)
        #expect(resolved.photographer == "own" && resolved.decided["photographer"]?.mark.file == "dir/p.yaml")
    }

    @Test(arguments: [
        ("[./p.yaml]", "include-cycle"), ("[./nothing.yaml]", "include-not-found"),
        ("[unheard-of]", "include-not-found"), ("[a.yaml]", "bad-include"), ("[\"\"]", "bad-include"),
        ("[[a]]", "wrong-type"), ("a", "wrong-type"), ("[./broken.yaml]", "syntax"),
        ("[./x\0.yaml]", "control-character"),
    ]) func mistakes(include: String, code: String) throws {
        let loaded = try load([
            "dir/p.yaml": Self.pipeline(include), "dir/broken.yaml": "version: 1\nprofiles: [", "a.yaml": "",
        ])
        #expect(loaded.pipeline == nil && loaded.diagnostics.map(\.error.code) == [code])
    }

    @Test func aCycleBetweenFilesEnds() throws {
        let files = [
            "dir/p.yaml": Self.pipeline("[./a.yaml]"), "dir/a.yaml": Self.profile("a", include: "[./b.yaml]"),
            "dir/b.yaml": Self.profile("b", include: "[./a.yaml]"),
        ]
        #expect(try load(files).diagnostics.map(\.error.code) == ["include-cycle"])
    }

    @Test func noMoreThanAHundredFiles() throws {
        var files = ["dir/p.yaml": Self.pipeline("[" + (0..<300).map { "./f\($0).yaml" }.joined(separator: ", ") + "]")]
        for index in 0..<300 { files["dir/f\(index).yaml"] = Self.profile("x") }
        #expect(try load(files).diagnostics.map(\.error.code) == ["too-many-includes"])
        var chain = ["dir/p.yaml": Self.pipeline("[./f0.yaml]")]
        for index in 0..<300 { chain["dir/f\(index).yaml"] = Self.profile("x", include: "[./f\(index + 1).yaml]") }
        #expect(try load(chain).diagnostics.map(\.error.code) == ["too-many-includes"])
    }
}
