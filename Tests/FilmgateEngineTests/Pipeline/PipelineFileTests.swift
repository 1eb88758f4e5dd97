import FilmgateConfig
import FilmgateCore
import FilmgateEngine
import Testing

@Suite struct PipelineFileTests {
    static let wedding = """
        version: 1
        name: wedding
        event: { required: true, hold: false }
        sources:
          - card:   { paths: [/media/*/*] }
          - folder: { path: ~/Hot, settle: 2s }
        profiles:
          - match: { make: Canon, model: "EOS R*" }
            photographer: Ann
            clock_offset: "+00:03:12"
            zone: Europe/Oslo
            accept: [jpeg, raw, video]
            deliver: { gallery: [jpeg], archive: [jpeg, raw, video] }
            rename: "{captured:yyyyMMdd-HHmmss}-{photographer}-{stem}"
        stages:
          - exif: {}
          - select: { min_rating: 1, unrated: pass }
          - dedupe: {}
          - upload: { to: [archive, gallery], workers: 4 }
        targets:
          archive: { folder: { path: "~/Pictures/{event}/{captured:yyyy-MM-dd}", verify: reread } }
          gallery: { http: { url: "https://gallery.example/api/assets", auth: studio } }
        auth:
          studio: { bearer: { token: "${env:TOKEN}" } }
        """

    /// Stages and targets for tests that are about something else.
    static let ending = "stages: [exif: {}, upload: {to: [a]}]\ntargets: {a: {folder: {path: /a}}}\n"

    static func load(_ text: String, overrides: [String] = []) throws -> LoadedPipeline {
        let loader = PipelineLoader(
            registry: try Fake.registry(), reader: YAMLReader(), overrides: overrides.compactMap { Override($0) })
        return loader.load(text: text, file: "p.yaml")
    }

    @Test func theExampleOfTheDesignIsRead() throws {
        let loaded = try Self.load(Self.wedding)
        #expect(loaded.diagnostics == [])
        let pipeline = try #require(loaded.pipeline)
        #expect(pipeline.name == "wedding" && pipeline.event.required && !pipeline.event.hold)
        #expect(pipeline.sources.map(\.module) == ["card", "folder"])
        #expect(pipeline.stages.map(\.module) == ["exif", "select", "dedupe", "upload"])
        #expect(pipeline.targets.map(\.name) == ["archive", "gallery"] && pipeline.target("gallery")?.module == "http")
        #expect(pipeline.deliverTo == ["archive", "gallery"])
        #expect(pipeline.spool.max == ByteCount(64 << 30))
        #expect(pipeline.target("archive")?.mark == Mark(file: "p.yaml", line: 21, column: 3))
        let profile = pipeline.profiles.resolve(make: "CANON ", model: "EOS R5", serial: nil, owner: nil)
        #expect(
            profile.photographer == "Ann" && profile.clockOffset?.seconds == 192 && profile.zone?.name == "Europe/Oslo")
        #expect(profile.deliver == ["gallery": [.jpeg], "archive": [.jpeg, .raw, .video]])
        #expect(profile.decided["zone"]?.mark.line == 8)
    }
}
