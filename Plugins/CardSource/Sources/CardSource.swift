import FileKit
public import FilmgateCore

/// Memory cards, mounted or as a dump in a folder.
public struct CardSource: Module, SourceDriver {
    public struct Config: ModuleConfig {
        public var paths: [String] = []
        public var hidden = false

        public init() {}

        public static let schema: Schema<Self> = [
            .field(
                "paths", \.paths,
                "Cards, folders or single files; `~` and globs such as /media/*/* (folders only) are understood. Without any: mounted removable cards."
            ),
            .field("hidden", \.hidden, "Also take what begins with a dot; off, such names are listed as filtered."),
        ]
    }

    static let name = "card"
    public static let manifest = Manifest(
        name, "Takes everything from memory cards, mounted or copied into a folder.", gives: [.file])

    private let config: Config, context: ModuleContext

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) { (self.config, self.context) = (config, context) }

    /// Asked again when something was mounted or taken away.
    public var traits: SourceTraits { SourceTraits(lookEvery: nil) }
    public func changes() -> AsyncStream<Void>? { MountWatch.changes() }

    /// One place per card or folder, in the order of `paths`; files named one by one make one place per folder.
    public func places() async throws(IngestError) -> [SourcePlace] {
        let config = config
        let finder = PlaceFinder(logger: context.logger)
        return try await BlockingPool("card places", width: 1).run { () throws(IngestError) in
            try finder.places(config.paths).map { found in
                var place = SourcePlace(source: Self.name, address: found.folder, label: found.label)
                place.visit = found.mount
                return place
            }
        }
    }

    public func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession {
        let config = config
        let finder = PlaceFinder(logger: context.logger)
        return try await BlockingPool("card opening", width: 1).run { () throws(IngestError) in
            let names = try finder.names(in: place.address, of: config.paths)
            let volume = try Volumes.current().volume(of: place.address)
            try DirectoryScan(root: place.address).run { _ in .stop }
            return CardSession(place: place, only: names, card: Card(root: place.address, volume: volume), hidden: config.hidden)
        }
    }
}
