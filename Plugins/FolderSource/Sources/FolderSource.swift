import CardKit
import FileKit
public import FilmgateCore
import Glibc

/// A folder into which files are put during a shoot: by tethering software, by a share, by hand.
public struct FolderSource: Module, SourceDriver {
    /// What becomes of a file that was taken.
    public enum Take: String, Sendable, CaseIterable, ConfigValue {
        /// It stays.
        case copy
        /// It is removed once every target has proof of it.
        case move
        /// It stays and is not even copied: targets read it where it lies.
        case inplace
    }
    public enum Watching: String, Sendable, CaseIterable, ConfigValue { case auto, events, polling }

    public struct Config: ModuleConfig {
        public var path = "", settle = Duration.seconds(2), incomplete = Duration.seconds(60)
        public var companions = Duration.seconds(5)
        public var take = Take.copy, watching = Watching.auto, poll = Duration.seconds(2)
        public var rescan = Duration.seconds(300)
        public var hidden = false

        public init() {}

        public static let schema: Schema<Self> = [
            .field("path", \.path, "The folder; it is watched with all below it.").required(),
            .field(
                "settle", \.settle, in: .zero...(.seconds(3600)),
                "How long a file must stay as it is before it is taken."),
            .field(
                "incomplete", \.incomplete, in: .zero...(.seconds(86_400)),
                "How long to wait for the rest of a file that is not whole; then it is taken and flagged."),
            .field(
                "companions", \.companions, in: .zero...(.seconds(3600)),
                "How long a finished file waits for others of its shot that are being written, and a sidecar for its picture."
            ),
            .field(
                "take", \.take,
                "Copy files, move them (they are removed once every target has proof), or send them from where they lie."
            ),
            .field(
                "watching", \.watching,
                "How changes are noticed: by events, by looking again and again, or what suits the file system."),
            .field(
                "poll", \.poll, in: .milliseconds(100)...(.seconds(3600)),
                "How often to look where there are no events."),
            .field(
                "rescan", \.rescan, in: .seconds(1)...(.seconds(86_400)),
                "How often to look through everything for what no event told."),
            .field("hidden", \.hidden, "Also take what begins with a dot."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) {
            if path.isEmpty {
                throw ConfigError(node["path"]?.mark ?? node.mark, "bad-path", "The path must not be empty.")
            }
        }
    }

    static let name = "folder"
    public static let manifest = Manifest(
        name, "Takes what is put into a folder during a shoot, once it is whole.", stability: .beta, gives: [.file])

    private let config: Config, context: ModuleContext

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (self.config, self.context) = (config, context)
    }

    public var traits: SourceTraits { SourceTraits(lookEvery: nil) }
    public var folders: [String] { [try? Self.withHome(config.path)].compactMap { $0 } }

    public func places() async throws(IngestError) -> [SourcePlace] {
        let path = config.path
        return try await BlockingPool(width: 1).run { () throws(IngestError) in
            let real = FileSystem.canonical(try Self.withHome(path))
            guard let facts = try FileFacts.of(real) else {
                throw IngestError(
                    .notFound, "\(PathText.shown(real)) is not there.", advice: "Create the folder, or mount its disk.")
            }
            guard facts.kind == .directory else {
                throw IngestError(.notFound, "\(PathText.shown(real)) is not a folder.")
            }
            var place = SourcePlace(source: Self.name, address: real, label: Paths.name(real))
            place.visit = Self.visit(real) ?? ""
            return [place]
        }
    }

    /// Tells the folder from another one of the same name; nil when there is none.
    static func visit(_ path: String) -> String? {
        guard let facts = (try? FileFacts.of(path)) ?? nil, facts.kind == .directory else { return nil }
        return "\(facts.device) \(facts.inode)"
    }

    public func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession {
        let (config, context) = (config, context)
        return try await BlockingPool(width: 1).run { () throws(IngestError) in
            // Where another folder or disk came to lie, it is found again as that.
            guard Self.visit(place.address) == place.visit else {
                throw IngestError(
                    .notFound, "\(PathText.shown(place.address)) is gone.",
                    advice: "Create the folder, or mount its disk.")
            }
            let volume = try Volumes.current().volume(of: place.address)
            let card = Card(root: place.address, volume: volume, source: Self.name)
            return FolderSession(
                place: place, card: card, config: config, loop: try HotLoop(card, config, context.logger),
                context: context)
        }
    }

    private static func withHome(_ path: String) throws(IngestError) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        guard let home = getenv("HOME") else {
            throw IngestError(
                .misconfigured, "`~` stands for the home folder, but HOME is not set.", advice: "Write the path out.")
        }
        return String(cPath: home) + path.dropFirst()
    }
}
