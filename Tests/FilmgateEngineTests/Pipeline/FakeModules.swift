import FilmgateCore
import FilmgateEngine

/// Small modules with the options of the real ones: enough to check a pipeline file against, never run.
enum Fake {
    static func registry() throws -> ModuleRegistry {
        try ModuleRegistry([
            .source(Card.self), .source(Hot.self), .stage(Exif.self), .stage(Select.self), .stage(Dedupe.self),
            .stage(Upload.self), .target(Folder.self), .target(HTTP.self), .auth(Bearer.self),
        ])
    }

    struct Card: Module, SourceDriver {
        struct Config: ModuleConfig {
            var paths: [String] = []
            static let schema: Schema<Self> = [.field("paths", \.paths, "Where cards are mounted.")]
        }
        static let manifest = Manifest("card", "Memory cards and their dumps.")
        init(_ config: Config, _ context: ModuleContext) {}
        func places() async throws(IngestError) -> [SourcePlace] { [] }
        func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession {
            throw IngestError(.notFound, "None.")
        }
    }

    struct Hot: Module, SourceDriver {
        struct Config: ModuleConfig {
            var path = "", settle = Duration.seconds(2)
            static let schema: Schema<Self> = [
                .field("path", \.path, "The folder to watch.").required(),
                .field(
                    "settle", \.settle, in: .milliseconds(100)...Duration.seconds(600), "How long a file must rest."),
            ]
        }
        static let manifest = Manifest("folder", "A hot folder.")
        init(_ config: Config, _ context: ModuleContext) {}
        func places() async throws(IngestError) -> [SourcePlace] { [] }
        func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession {
            throw IngestError(.notFound, "None.")
        }
    }

    enum Unrated: String, CaseIterable, ConfigValue { case pass, drop }

    struct Exif: Module, Stage {
        static let manifest = Manifest("exif", "Reads what a file says about itself.", needs: [.file], gives: [.media])
        init(_ config: NoOptions, _ context: ModuleContext) {}
        func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict { .pass(asset) }
    }

    struct Select: Module, Stage {
        struct Config: ModuleConfig {
            var minRating: Int?, unrated = Unrated.pass
            static let schema: Schema<Self> = [
                .field("min_rating", \.minRating, "Least rating."),
                .field("unrated", \.unrated, "What becomes of files without a rating."),
            ]
        }
        static let manifest = Manifest("select", "Leaves out what is not wanted.", needs: [.media], gives: [.selected])
        init(_ config: Config, _ context: ModuleContext) {}
        func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict { .pass(asset) }
    }

    struct Dedupe: Module, Stage {
        static let manifest = Manifest(
            "dedupe", "Ends what has been delivered already.", needs: [.digest, .media], gives: [.unique])
        init(_ config: NoOptions, _ context: ModuleContext) {}
        func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict { .pass(asset) }
    }

    struct Upload: Module, Stage {
        struct Config: ModuleConfig {
            var to: [String] = [], workers: Int = 4
            static let schema: Schema<Self> = [
                .field("to", \.to, "Names of targets.").required(),
                .field("workers", \.workers, in: 1...64, "Deliveries at once."),
            ]
        }
        static let manifest = Manifest("upload", "Delivers.", needs: [.file, .digest], gives: [.receipt])
        init(_ config: Config, _ context: ModuleContext) {}
        func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict { .pass(asset) }
    }
}
