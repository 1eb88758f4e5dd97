import CardKit
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

        /// An empty word is a variable that was not set, and never the folder that one happens to be in.
        public func validate(at node: ConfigNode) throws(ConfigError) {
            guard let index = paths.firstIndex(of: "") else { return }
            var mark = node["paths"]?.mark ?? node.mark
            if case .list(let items)? = node["paths"]?.value, index < items.count { mark = items[index].mark }
            throw ConfigError(
                mark, "bad-path", "A path must not be empty.",
                hint: "Without `paths`, mounted removable cards are taken.")
        }
    }

    static let name = "card"
    public static let manifest = Manifest(
        name, "Takes everything from memory cards, mounted or copied into a folder.", gives: [.file])

    /// Names of the files that cameras keep for themselves and make anew: indexes, print orders, markers.
    ///
    /// Compared with the end of a path, case ignored; `*` stands for any text, `#` for a digit.
    public static var housekeeping: [String] { Housekeeping.names + Housekeeping.caches }

    /// Whether `path` (relative or absolute) is one of ``housekeeping`` or what an operating system left behind that
    /// never holds a picture.
    ///
    /// Looks at the name only.
    public static func isHousekeeping(path: String) -> Bool { Housekeeping.contains(path: path) }

    /// What the bytes of a file are whose name says junk or housekeeping, in words; nil when they may well be that.
    ///
    /// Reads the first few bytes. Files of which only the folder says what they are (`AVF_INFO`) are taken at its word.
    public static func disguise(of path: String) throws(IngestError) -> String? {
        let parts = path.utf8.split(separator: 0x2F).suffix(2).map { String(Substring($0)) }
        guard let name = parts.last, parts.count < 2 || SafeName.folded(parts[0]) != "avf_info" else { return nil }
        return try HiddenPictureCheck.content(of: path, name: name)
    }

    private let config: Config, context: ModuleContext

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        (self.config, self.context) = (config, context)
    }

    /// Asked again when something was mounted or taken away.
    public var traits: SourceTraits { SourceTraits(lookEvery: nil) }
    public var folders: [String] { PlaceFinder(logger: context.logger).spelledOut(config.paths) }
    public func changes() -> AsyncStream<Void>? { MountWatch.changes() }

    /// One place per card or folder, in the order of `paths`; files named one by one make one place per folder.
    public func places() async throws(IngestError) -> [SourcePlace] {
        let config = config
        let finder = PlaceFinder(logger: context.logger)
        return try await BlockingPool(width: 1).run { () throws(IngestError) in
            try finder.places(config.paths).map { found in
                var place = SourcePlace(source: Self.name, address: found.folder, label: found.label)
                (place.visit, place.takesAll, place.isFound) = (found.mount, found.names == nil, found.isFound)
                return place
            }
        }
    }

    /// Where the mounted card begins that a place is only a part of; nil for a whole card, and for dumps in other
    /// folders.
    public func card(around place: SourcePlace) async throws(IngestError) -> String? {
        let finder = PlaceFinder(logger: context.logger)
        return try await BlockingPool(width: 1).run { () throws(IngestError) in
            try finder.card(around: place.address, takesAll: place.takesAll)
        }
    }

    /// Where the dump begins that a place is only a part of, by the folders that are in it; nil for a whole one.
    public func whole(around place: SourcePlace) async throws(IngestError) -> String? {
        let finder = PlaceFinder(logger: context.logger)
        return try await BlockingPool(width: 1).run { () throws(IngestError) in
            finder.whole(around: place.address, takesAll: place.takesAll)
        }
    }

    public func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession {
        let config = config
        let finder = PlaceFinder(logger: context.logger)
        return try await BlockingPool(width: 1).run { () throws(IngestError) in
            let names = try finder.names(in: place.address, of: config.paths)
            let volume = try Volumes.current().volume(of: place.address)
            try DirectoryScan(root: place.address).run { _ in .stop }
            return CardSession(
                place: place, only: names, card: Card(root: place.address, volume: volume, source: Self.name),
                hidden: config.hidden)
        }
    }
}
