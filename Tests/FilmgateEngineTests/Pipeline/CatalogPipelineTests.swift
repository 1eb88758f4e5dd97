import FilmgateConfig
import FilmgateCore
import Logging
import Testing

@testable import FilmgateEngine

@Suite struct CatalogPipelineTests {
    struct Shared: Module, Catalog {
        struct Config: ModuleConfig {
            var url = "", password = Secret()
            static let schema: Schema<Self> = [
                .field("url", \.url, "Where it is.").required(), .field("password", \.password, "How to sign in."),
            ]
        }
        static let manifest = Manifest("shared", "A catalogue for tests.")
        let place: String
        init(_ config: Config, _ context: ModuleContext) { place = config.url }
        private var absent: IngestError { IngestError(.unavailable, "Not here.") }
        func condition() async throws(IngestError) -> CatalogCondition { throw absent }
        func migration() async throws(IngestError) -> [String] { throw absent }
        func migrate() async throws(IngestError) -> [String] { throw absent }
        func join(_ identity: StationIdentity) async throws(IngestError) -> StationMembership { throw absent }
        func open(_ membership: StationMembership, last session: Int64?) async throws(IngestError) -> CatalogSession { throw absent }
        func renew(_ session: Int64, status: String?) async throws(IngestError) -> Bool { throw absent }
        func leave(_ session: Int64) async throws(IngestError) { throw absent }
        func tell(_ report: StationReport, _ session: Int64) async throws(IngestError) -> Int64? { throw absent }
        func claim(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> [ClaimAnswer] { throw absent }
        func release(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> Int { throw absent }
        func copies(of sha256: [String]) async throws(IngestError) -> [CatalogCopy] { throw absent }
        func stations() async throws(IngestError) -> [StationSummary] { throw absent }
        func close() async {}
    }

    private func load(_ catalog: String) throws -> LoadedPipeline {
        let registry = try ModuleRegistry(try Fake.registry().entries + [.catalog(Shared.self)])
        let text = """
            version: 1
            sources:
              - card: {}
            stages:
              - exif: {}
              - upload: { to: [archive] }
            targets:
              archive: { folder: { path: /srv/photos } }
            \(catalog)
            """
        return PipelineLoader(registry: registry, reader: YAMLReader(), includeDirectories: []).load(text: text, file: "desk.yaml")
    }

    @Test func aCatalogueIsRead() throws {
        let pipeline = try #require(
            try load("catalog:\n  shared: { url: \"postgresql://x\", password: \"${env:X}\" }\n  station: desk-3\n  site: press").pipeline)
        #expect(pipeline.catalog?.use.module == "shared")
        #expect(pipeline.catalog?.station.station == "desk-3")
        #expect(pipeline.catalog?.station.site == "press")
        let registry = try ModuleRegistry([.catalog(Shared.self)])
        let builder = PlanBuilder(
            registry: registry, secrets: NoSecrets(), ledger: nil, logger: Logger(label: "test"), state: "/nonexistent", event: nil)
        #expect(try builder.catalog(of: pipeline)?.place == "postgresql://x")
        let none = try builder.catalog(of: PipelineFile(file: "none"))
        #expect(none?.place == nil)
    }

    @Test(arguments: ["", "catalog:", "catalog: {}"]) func withoutOneThereIsNone(_ text: String) throws {
        let loaded = try load(text)
        #expect(loaded.pipeline?.catalog == nil)
        #expect((loaded.pipeline == nil) == (text == "catalog: {}"))
    }

    @Test(arguments: [
        ("catalog: shared", "wrong-type"), ("catalog: {}", "no-module"), ("catalog: { station: a }", "no-module"),
        ("catalog: { shred: { url: x } }", "unknown-module"), ("catalog: { shared: {} }", "missing-key"),
        ("catalog: { shared: { url: x }, statoin: a }", "unknown-key"), ("catalog: { statoin: a, shared: { url: x } }", "unknown-key"),
        ("catalog: { shared: { url: x }, password: \"${env:X}\" }", "not-single-key"),
        ("catalog: { shared: { url: x, password: secret } }", "inline-secret"), ("catalog: { folder: {} }", "wrong-module-kind"),
        ("catalog: { shared: { url: x }, station: \"a\\tb\" }", "bad-name"),
    ])
    func mistakesHaveTheirPlace(_ text: String, _ code: String) throws {
        let loaded = try load(text)
        #expect(loaded.pipeline == nil)
        let errors = loaded.diagnostics.filter { $0.severity == .error }
        #expect(errors.map(\.error.code) == [code], "\(errors.map(\.error.message))")
        #expect(errors.first?.error.mark.line == 9)
    }
}
