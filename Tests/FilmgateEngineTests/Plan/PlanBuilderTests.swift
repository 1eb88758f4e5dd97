import FilmgateConfig
import FilmgateCore
import Logging
import Testing

@testable import FilmgateEngine

/// What is built of a checked pipeline file, and what only the built modules can find wrong with it.
@Suite struct PlanBuilderTests {
    /// A folder to deliver to.
    private struct Archive: Module, UploadTarget {
        struct Config: ModuleConfig {
            var path = ""
            static let schema: Schema<Self> = [.field("path", \.path, "Where to.").required()]
        }
        static let manifest = Manifest("folder", "A folder.")
        let traits: TargetTraits
        init(_ config: Config, _ context: ModuleContext) {
            traits = TargetTraits(identity: config.path, localRoot: config.path)
        }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    /// A gallery with events; its identity tells what it was built with.
    private struct Gallery: Module, EventDirectory {
        struct Config: ModuleConfig {
            var auth: AuthReference?
            static let schema: Schema<Self> = [.field("auth", \.auth, "How to sign in.")]
        }
        static let manifest = Manifest("http", "A gallery.")
        let traits: TargetTraits, gallery = "https://gallery.example"
        init(_ config: Config, _ context: ModuleContext) {
            let signIn = config.auth.flatMap { context.lookup.auth[$0.name] } == nil ? "nobody" : "somebody"
            traits = TargetTraits(identity: "\(context.event ?? "no event") as \(signIn)")
        }
        func events(_ page: String?) async throws(IngestError) -> EventPage? { nil }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    private struct Watched: Module, SourceDriver {
        struct Config: ModuleConfig {
            var path = ""
            static let schema: Schema<Self> = [.field("path", \.path, "The folder.").required()]
        }
        static let manifest = Manifest("watched", "A hot folder.")
        let folders: [String]
        init(_ config: Config, _ context: ModuleContext) { folders = [config.path] }
        func places() async throws(IngestError) -> [SourcePlace] { [] }
        func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession {
            throw IngestError(.notFound, "None.")
        }
    }

    private static func registry() throws -> ModuleRegistry {
        try ModuleRegistry([
            .source(Fake.Card.self), .source(Watched.self), .stage(Fake.Exif.self), .stage(Fake.Upload.self),
            .target(Archive.self), .target(Gallery.self), .auth(Fake.Bearer.self),
        ])
    }

    private static func pipeline(_ text: String) throws -> PipelineFile {
        let loaded = PipelineLoader(registry: try registry(), reader: YAMLReader()).load(
            text: "version: 1\n" + text, file: "p.yaml")
        return try #require(loaded.pipeline, "\(loaded.diagnostics)")
    }

    private static func builder(event: String? = nil) throws -> PlanBuilder {
        PlanBuilder(
            registry: try registry(), secrets: NoSecrets(), ledger: nil, logger: Logger(label: "test"),
            state: "/nowhere", event: event)
    }

    private static let gallery = """
        sources: [{ card: { paths: ["/media/*/*"] } }, { card: { paths: ["/media/*", "/card"] } }]
        stages: [{ exif: {} }, { upload: { to: [gallery], workers: 3 } }]
        targets: { gallery: { http: { auth: studio } } }
        auth: { studio: { bearer: { token: "${env:TOKEN}" } } }
        """

    @Test func signInsAreThereBeforeTheirTargets() throws {
        let plan = try Self.builder().plan(try Self.pipeline(Self.gallery))
        #expect(plan.targets.map(\.identity) == ["no event as somebody"] && plan.signIns.map(\.name) == ["studio"])
        #expect(plan.stages.count == 2)
        // Only a source that looks at nothing but patterns may find nothing.
        #expect(plan.patterns == [0: ["/media/*/*"]])
    }

    /// A gallery calls the event by its own id; where that could not be learned, nothing is sent to it.
    @Test func aGalleryIsBuiltWithItsOwnIDOfTheEvent() throws {
        let pipeline = try Self.pipeline(Self.gallery), place = EventPlace("https://gallery.example", [("studio", nil)])
        var builder = try Self.builder(event: "smith")
        #expect(try builder.plan(pipeline).targets[0].identity == "smith as somebody")
        builder.eventIDs = [place: "42", EventPlace("https://other.example", []): "7"]
        #expect(try builder.plan(pipeline).targets[0].identity == "42 as somebody")
        builder.unknownEvents = [place: IngestError(.network, "no answer")]
        let held = try #require(try builder.plan(pipeline).targets[0].target as? HeldTarget)
        #expect(held.reason.contains("no answer"))
    }

    @Test func aSourceThatWouldFeedItselfIsNamedWithItsLine() throws {
        let pipeline = try Self.pipeline(
            """
            sources: [{ watched: { path: /srv/photos/hot } }]
            stages: [{ upload: { to: [a] } }]
            targets: { a: { folder: { path: /srv/photos } } }
            """)
        let error = #expect(throws: IngestError.self) { try Self.builder().plan(pipeline) }
        #expect(
            error?.code == .misconfigured && error?.message.hasPrefix("p.yaml:2:30: ") == true,
            "\(error?.message ?? "")")
        #expect(try Self.builder().mistakes(in: pipeline).map(\.error.code) == ["overlap"])
    }

    @Test func twoTargetsOfOneFolderAreRefused() throws {
        let pipeline = try Self.pipeline(
            """
            sources: [{ card: {} }]
            stages: [{ upload: { to: [a, b] } }]
            targets: { a: { folder: { path: /srv/photos } }, b: { folder: { path: /srv/photos/ } } }
            """)
        #expect(throws: IngestError.self) { try Self.builder().plan(pipeline) }
        let mistakes = try Self.builder().mistakes(in: pipeline)
        #expect(mistakes.map(\.error.code) == ["same-folder"] && mistakes.first?.error.mark.line == 4)
    }

    @Test func aModuleThatTheProgramLacksIsNamed() throws {
        var builder = try Self.builder()
        builder.registry = try ModuleRegistry([
            .stage(Fake.Exif.self), .stage(Fake.Upload.self), .target(Gallery.self), .auth(Fake.Bearer.self),
        ])
        let pipeline = try Self.pipeline(Self.gallery), lacking = builder
        let error = #expect(throws: IngestError.self) { try lacking.plan(pipeline) }
        #expect(error?.message == "There is no source module called `card`.")
    }

    /// Several pipelines send what they left waiting together: each place once, under its first name.
    @Test func aUnionHasEachTargetOnce() throws {
        let one = try Self.builder().plan(try Self.pipeline(Self.gallery))
        let two = try Self.builder(event: "smith").plan(try Self.pipeline(Self.gallery))
        #expect(Plan.union([one, two, one]).targets.map(\.identity) == ["no event as somebody", "smith as somebody"])
        #expect(Plan.union([one, two, one]).signIns.count == 1 && Plan.union([]).targets.isEmpty)
    }
}
