import FilmgateConfig
import FilmgateCore
import Testing

@testable import FilmgateEngine

@Suite struct BuiltinPipelineTests {
    func load(_ node: ConfigNode) throws -> LoadedPipeline {
        PipelineLoader(registry: try Fake.registry(), reader: YAMLReader()).load(node: node)
    }

    @Test func importsToEveryDirectory() throws {
        let loaded = try load(BuiltinPipeline.importing(to: ["/srv/a", "/srv/b/"], verify: "size", mhl: true))
        #expect(loaded.diagnostics == [])
        let pipeline = try #require(loaded.pipeline)
        #expect(pipeline.deliverTo == ["to", "to-2"] && pipeline.targets.map(\.name) == ["to", "to-2"])
        #expect(
            pipeline.stages.map(\.module) == ["exif", "dedupe", "upload"] && pipeline.sources.map(\.module) == ["card"])
        let target = try #require(pipeline.target("to-2"))
        #expect(try target.node["path"]?.text() == "/srv/b/{captured:yyyy}/{captured:yyyy-MM-dd}")
        #expect(try target.node["verify"]?.text() == "size" && Bool(node: try #require(target.node["mhl"])))
    }

    /// No directory name can become a variable, a home folder or a YAML value.
    @Test(arguments: [
        ("/a/{event}", "/a/{event}/2026/2026-05-01"), ("/a/}{", "/a/}{/2026/2026-05-01"),
        ("~x", "./~x/2026/2026-05-01"), ("/", "/2026/2026-05-01"), ("/true", "/true/2026/2026-05-01"),
        ("/ünï 📷: *&!#", "/ünï 📷: *&!#/2026/2026-05-01"), ("/a\n", "/a\n/2026/2026-05-01"),
    ]) func directoriesAreLiteral(directory: String, expected: String) throws {
        let pipeline = try #require(try load(BuiltinPipeline.importing(to: [directory])).pipeline)
        let template = try Template(node: try #require(pipeline.targets[0].node["path"]))
        let captured = CivilTime(year: 2026, month: 5, day: 1)
        #expect(template.rendered(with: TemplateValues(text: ["event": "no"], captured: captured)) == expected)
    }
}
