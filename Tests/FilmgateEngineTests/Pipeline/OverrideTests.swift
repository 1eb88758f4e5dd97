import FilmgateCore
import Testing

@testable import FilmgateEngine

@Suite struct OverrideTests {
    @Test func valuesAreReplacedAddedAndTyped() throws {
        let loaded = try PipelineFileTests.load(
            PipelineFileTests.wedding,
            overrides: [
                "stages.select.min_rating=3", "spool.max=10GiB", "event.required=false",
                "profiles.0.photographer=Bea = x", "sources.folder.path=/x",
            ])
        let pipeline = try #require(loaded.pipeline)
        #expect(pipeline.spool.max == ByteCount(10 << 30) && !pipeline.event.required)
        #expect(try Int(node: #require(pipeline.stages[1].node["min_rating"])) == 3)
        #expect(pipeline.profiles.profiles[0].photographer == "Bea = x")
        #expect(try pipeline.sources[1].node["path"]?.text() == "/x")
    }

    @Test func overridesAreCheckedAgainstTheRest() throws {
        let loaded = try PipelineFileTests.load(
            PipelineFileTests.wedding, overrides: ["stages.upload.to=[archive]", "sources.1.folder.path=/x"])
        #expect(loaded.diagnostics.map(\.error.code) == ["target-not-in-upload", "unused-target"])
    }

    @Test(arguments: [
        ("stages.select.min_rating=lots", "wrong-type"), ("stages.selct.min_rating=1", "no-such-key"),
        ("stages.select.min_ratng=1", "unknown-key"),
        ("targets.archve.folder.verify=size", "no-such-key"), ("stages.upload.workers=[", "syntax"),
        ("stages.upload.workers=&a 1", "anchor-refused"),
        ("profiles.7.photographer=x", "no-such-key"), ("name.x.y=1", "no-such-key"),
        ("auth.studio.bearer.token=canary", "inline-secret"), ("nme=x", "unknown-key"),
        ("targets.archive.folder.verify={a: 1}", "wrong-type"),
    ]) func mistakesNameTheOption(text: String, code: String) throws {
        let loaded = try PipelineFileTests.load(PipelineFileTests.wedding, overrides: [text])
        let error = try #require(loaded.diagnostics.first { $0.severity == .error }?.error)
        let path = String(text.prefix { $0 != "=" })
        #expect(error.code == code && error.mark == Mark(file: "--set \(path)"))
        let printed = DiagnosticPrinter(texts: loaded.texts).text(loaded.diagnostics)
        #expect(printed.hasPrefix("--set \(path): error: ") && !printed.contains("canary"))
    }

    @Test(arguments: ["", "a", "=1", ".a=1", "a..b=1", "a.=1"]) func formsThatAreNone(text: String) {
        #expect(Override(text) == nil)
    }
}
