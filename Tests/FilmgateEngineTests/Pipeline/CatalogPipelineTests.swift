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
        var isOnThisMachine: Bool { place == "socket" }
        private var absent: IngestError { IngestError(.unavailable, "Not here.") }
        func condition() async throws(IngestError) -> CatalogCondition { throw absent }
        func migration() async throws(IngestError) -> [String] { throw absent }
        func migrate() async throws(IngestError) -> [String] { throw absent }
        func join(_ identity: StationIdentity) async throws(IngestError) -> StationMembership { throw absent }
        func open(_ membership: StationMembership, last session: Int64?) async throws(IngestError) -> CatalogSession {
            throw absent
        }
        func renew(_ session: Int64, status: String?) async throws(IngestError) -> CatalogRenewal? { throw absent }
        func leave(_ session: Int64) async throws(IngestError) { throw absent }
        func tell(_ report: StationReport, _ session: Int64) async throws(IngestError) -> Int64? { throw absent }
        func claim(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> [ClaimAnswer] { throw absent }
        func release(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> Int { throw absent }
        func copies(of sha256: [String]) async throws(IngestError) -> [CatalogCopy] { throw absent }
        func stations() async throws(IngestError) -> [StationSummary] { throw absent }
        func revoke(_ station: String) async throws(IngestError) -> Bool { throw absent }
        func release(claimsOf station: String) async throws(IngestError) -> Int? { throw absent }
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
        return PipelineLoader(registry: registry, reader: YAMLReader(), includeDirectories: []).load(
            text: text, file: "desk.yaml")
    }

    @Test func aCatalogueIsRead() throws {
        let pipeline = try #require(
            try load(
                "catalog:\n  shared: { url: \"postgresql://x\", password: \"${env:X}\" }\n  station: desk-3\n  site: press"
            ).pipeline)
        #expect(pipeline.catalog?.use.module == "shared")
        #expect(pipeline.catalog?.station.station == "desk-3")
        #expect(pipeline.catalog?.station.site == "press")
        let registry = try ModuleRegistry([.catalog(Shared.self)])
        let builder = PlanBuilder(
            registry: registry, secrets: NoSecrets(), ledger: nil, logger: Logger(label: "test"), state: "/nonexistent",
            event: nil)
        #expect(try builder.catalog(of: pipeline)?.place == "postgresql://x")
        let none = try builder.catalog(of: PipelineFile(file: "none"))
        #expect(none?.place == nil)
    }

    /// `{station}`: what the pipeline says, else this machine's name; one part of a path.
    @Test(arguments: [
        ("catalog:\n  shared: { url: x }\n  station: desk-3", "desk-3"),
        ("catalog:\n  shared: { url: x }\n  station: \"a/b\"", nil),
        ("catalog:\n  shared: { url: x }", StationName.ofMachine), ("", StationName.ofMachine),
    ])
    func theStationsNameForTemplates(_ catalog: String, _ name: String?) throws {
        let pipeline = try #require(try load(catalog).pipeline)
        let registry = try ModuleRegistry(try Fake.registry().entries + [.catalog(Shared.self)])
        let builder = PlanBuilder(
            registry: registry, secrets: NoSecrets(), ledger: nil, logger: Logger(label: "test"), state: "/nonexistent",
            event: nil)
        let station = try builder.plan(pipeline).station
        if let name {
            #expect(station == SafeName.component(name))
        } else {
            #expect(!station.contains("/") && station.hasPrefix("a"))
        }
    }

    @Test(arguments: ["", "catalog:", "catalog: {}"]) func withoutOneThereIsNone(_ text: String) throws {
        let loaded = try load(text)
        #expect(loaded.pipeline?.catalog == nil)
        #expect((loaded.pipeline == nil) == (text == "catalog: {}"))
    }

    @Test(arguments: [
        ("catalog: shared", "wrong-type"), ("catalog: {}", "no-module"), ("catalog: { station: a }", "no-module"),
        ("catalog: { shred: { url: x } }", "unknown-module"), ("catalog: { shared: {} }", "missing-key"),
        ("catalog: { shared: { url: x }, statoin: a }", "unknown-key"),
        ("catalog: { statoin: a, shared: { url: x } }", "unknown-key"),
        ("catalog: { shared: { url: x }, password: \"${env:X}\" }", "not-single-key"),
        ("catalog: { shared: { url: x, password: secret } }", "inline-secret"),
        ("catalog: { folder: {} }", "wrong-module-kind"),
        ("catalog: { shared: { url: x }, station: \"a\\tb\" }", "bad-name"),
        ("catalog: { shared: { url: x }, station: \"\" }", "bad-name"),
        ("catalog: { shared: { url: x }, station: \" \" }", "bad-name"),
        ("catalog: { shared: { url: x }, station: \"desk-3 \" }", "bad-name"),
        ("catalog: { shared: { url: x }, station: \"desk\\u202E3\" }", "bad-name"),
        ("catalog: { shared: { url: x }, station: \"\(String(repeating: "x", count: 65))\" }", "bad-name"),
        ("catalog: { shared: { url: x }, share: [nas] }", "unknown-target"),
        ("catalog: { shared: { url: x }, share: archive }", "wrong-type"),
        ("catalog: { shared: { url: x }, when_away: wait }", "unknown-choice"),
        ("catalog: { shared: { url: x }, one_machine: 1 }", "wrong-type"),
        ("catalog: { shared: { url: x }, known_cards: skip }", "unknown-choice"),
        ("catalog: { shared: { url: x }, known_cards: told }", "unknown-choice"),
        ("catalog: { shared: { url: x }, known_cards: [tell] }", "wrong-type"),
    ])
    func mistakesHaveTheirPlace(_ text: String, _ code: String) throws {
        let loaded = try load(text)
        #expect(loaded.pipeline == nil)
        let errors = loaded.diagnostics.filter { $0.severity == .error }
        #expect(errors.map(\.error.code) == [code], "\(errors.map(\.error.message))")
        #expect(errors.first?.error.mark.line == 9)
    }

    @Test(
        arguments: [("", .tell), ("known_cards: tell", .tell), ("known_cards: off", .off)]
            as [(String, StationRule.KnownCards)])
    func whetherAKnownCardIsTold(_ text: String, _ known: StationRule.KnownCards) throws {
        let pipeline = try #require(try load("catalog:\n  shared: { url: x }\n  \(text)").pipeline)
        #expect(pipeline.catalog?.station.knownCards == known)
    }

    /// No card is left unread on another station's word, and whoever wants that is told so.
    @Test func aCardIsNeverSkipped() throws {
        let error = try load("catalog: { shared: { url: x }, known_cards: skip }").diagnostics.first?.error
        #expect(
            error?.message == "`known_cards` cannot be `skip`: every card is read, whatever another station says of it."
        )
        #expect(error?.hint == "Write `tell` to be told that a card was taken elsewhere, or `off`.")
    }

    /// A gallery at an address.
    struct Remote: Module, UploadTarget {
        struct Config: ModuleConfig {
            var url = "", asks = true, path: Template?
            static let schema: Schema<Self> = [
                .field("url", \.url, "Where it is.").required(), .field("asks", \.asks, "It can be asked."),
                .field("path", \.path, "What files are called there."),
            ]
        }
        static let manifest = Manifest("remote", "A gallery for tests.")
        let traits: TargetTraits
        init(_ config: Config, _ context: ModuleContext) {
            var traits = TargetTraits(identity: "remote:\(config.url)", layout: config.path, idempotent: false)
            (traits.address, traits.answersByDigest) = (config.url, config.asks)
            self.traits = traits
        }
        func check() async throws(IngestError) {}
        func upload(_ job: UploadJob) async throws(IngestError) -> Receipt { Receipt(state: .done) }
    }

    @Test(arguments: [
        ("url: \"https://g.example/\"", "shared: { url: x }", []),
        ("url: \"https://g.example/\", asks: false", "shared: { url: x }", ["warning cannot-be-asked"]),
        ("url: \"https://g.example/\", path: \"{station}-{counter:4}\"", "shared: { url: x }", []),
        ("url: \"http://10.0.0.1/\"", "shared: { url: x }", ["warning one-network"]),
        ("url: \"http://localhost/\"", "shared: { url: x }", ["error not-shared"]),
        ("url: \"http://localhost/\"", "shared: { url: socket }, one_machine: true", ["warning one-machine"]),
        (
            "url: \"http://localhost/\"", "shared: { url: x }, one_machine: true",
            ["error not-shared", "error one-machine"]
        ),
    ])
    func checkSaysWhatSharingRisks(_ gallery: String, _ catalog: String, _ expected: [String]) throws {
        let registry = try ModuleRegistry(try Fake.registry().entries + [.catalog(Shared.self), .target(Remote.self)])
        let text = """
            version: 1
            sources:
              - card: {}
            stages:
              - exif: {}
              - upload: { to: [gallery] }
            targets:
              gallery: { remote: { \(gallery) } }
            catalog: { \(catalog), share: [gallery] }
            """
        let loaded = PipelineLoader(registry: registry, reader: YAMLReader(), includeDirectories: []).load(
            text: text, file: "desk.yaml")
        let pipeline = try #require(loaded.pipeline, "\(loaded.diagnostics)")
        let builder = PlanBuilder(
            registry: registry, secrets: NoSecrets(), ledger: nil, logger: Logger(label: "test"), state: "/nonexistent",
            event: nil)
        let found = builder.mistakes(in: pipeline)
        #expect(found.map { "\($0.severity.rawValue) \($0.error.code)" } == expected)
        #expect(found.allSatisfy { $0.error.mark.line == 9 })
        // A run shares what `check` allows, and nothing else.
        let isShared = !expected.contains { $0.hasPrefix("error") }
        #expect(try builder.plan(pipeline).shared.isEmpty == !isShared)
    }

    /// Two stations count by themselves: at a target that both fill their numbers need the station's name.
    @Test(arguments: [
        ("{counter:4}", "", "gallery", 13, 64), ("{event}/{counter:4}.jpg", "", "gallery", 13, 72),
        ("{station}/{counter:4}", "", "gallery", nil, nil), ("{counter:4}-{station}", "", "gallery", nil, nil),
        ("{name}", ", rename: \"{counter:4}\"", "gallery", 8, 5),
        ("{stem}", ", rename: \"{counter}\"", "gallery", 8, 5),
        ("{name}", ", rename: \"{station}-{counter:4}\"", "gallery", nil, nil),
        ("{station}/{name}", ", rename: \"{counter:4}\"", "gallery", nil, nil),
        ("{name}", ", rename: \"{counter:4}\", deliver: { other: [jpeg] }", "gallery", nil, nil),
        // Of this station alone: nobody else counts there.
        ("{counter:4}", "", "other", nil, nil),
    ])
    func aSharedTargetCountsByStation(
        _ path: String, _ profile: String, _ share: String, _ line: Int?, _ column: Int?
    ) throws {
        let registry = try ModuleRegistry(try Fake.registry().entries + [.catalog(Shared.self), .target(Remote.self)])
        let text = """
            version: 1
            sources:
              - card: {}
            stages:
              - exif: {}
              - upload: { to: [gallery, other] }
            profiles:
              - { match: { make: Acme }, photographer: Ann\(profile) }
            catalog:
              shared: { url: x }
              share: [\(share)]
            targets:
              gallery: { remote: { url: "https://gallery.example/", path: "\(path)" } }
              other: { remote: { url: "https://other.example/", path: "{name}" } }
            """
        let loaded = PipelineLoader(registry: registry, reader: YAMLReader(), includeDirectories: []).load(
            text: text, file: "desk.yaml")
        let pipeline = try #require(loaded.pipeline, "\(loaded.diagnostics)")
        let builder = PlanBuilder(
            registry: registry, secrets: NoSecrets(), ledger: nil, logger: Logger(label: "test"), state: "/nonexistent",
            event: nil)
        let found = builder.mistakes(in: pipeline)
        #expect(found.map(\.error.code) == (line == nil ? [] : ["station-counter"]), "\(found)")
        #expect(found.allSatisfy { $0.severity == .error && $0.error.hint?.contains("{station}") == true })
        #expect(found.first?.error.mark.line == line && found.first?.error.mark.column == column)
    }
}
