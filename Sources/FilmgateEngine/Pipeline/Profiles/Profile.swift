public import FilmgateCore

/// What holds for the assets of a make, a model, an owner or one body.
///
/// Nil = this profile does not say.
public struct Profile: Sendable, ModuleConfig {
    /// One key of `deliver`, with its place.
    struct DeliverEntry: Sendable, Hashable { var target: String, mark: Mark }

    public var photographer: String?
    /// Added to camera time for names and selection, never to identity.
    public var clockOffset: ClockOffset?
    /// Kinds to ingest; nil = all media and sidecars.
    public var accept: [MediaKind]?
    /// What targets get; nil = what `upload` says.
    public var deliver: [String: DeliveryRule]?
    /// Yields the stem.
    public var rename: Template?
    /// What the make writes where a movie's header should hold UTC.
    public var movieClock: MovieClock?
    /// How the make names and marks things; for people, in `profile show`.
    public var conventions: MakeConventions?
    /// Written into metadata by the `stamp` stage, instead of what its own options say.
    public var stamp: StampRule?
    /// For camera times without an offset; set by the decoder from `zoneName`.
    public internal(set) var zone: ZoneRules?
    /// Set by the decoder from the node in `match`.
    public internal(set) var matchRule = ProfileMatch()
    /// Where it stands.
    public internal(set) var mark = Mark()
    var zoneName: String?, match = ConfigNode(.null)
    var delivering: [DeliverEntry] = []

    public init() {}

    public static let schema: Schema<Self> = [
        .field("match", \.match, "The cameras that it is for; absent = all."),
        .field("photographer", \.photographer, "Value of {photographer}."),
        .field(
            "clock_offset", \.clockOffset,
            "Added to camera time for names and selection, never to identity, such as \"+00:03:12\"."),
        .field(
            "zone", \.zoneName,
            "Time zone of the camera's clock: a name such as Europe/Oslo or a fixed offset such as \"+02:00\"."),
        .field(
            "movie_clock", \.movieClock,
            "What the make's movies hold in their headers: utc, as the standard says, or local time."),
        .field(
            "habits", \.conventions, "How the make names and marks its files; shown by `profile show`, decides nothing."
        ),
        .field("accept", \.accept, "Kinds of file to ingest; absent = all media and sidecars."),
        .field(
            "deliver", \.deliver,
            "What targets get, by their names: kinds, or a rule as in upload; absent = what upload says."),
        .field("stamp", \.stamp, "What the `stamp` stage writes, instead of what its own options say."),
        .field("rename", \.rename, "Template for the stem of delivered files; the extension is appended."),
    ]

    private static let extensionEnding = ".{ext}"

    public func validate(at node: ConfigNode) throws(ConfigError) {
        if let accept, accept.isEmpty, let place = node["accept"] {
            throw ConfigError(place.mark, "empty-list", "An empty `accept` would ingest nothing.")
        }
        guard let rename, let place = node["rename"] else { return }
        if rename.source.isEmpty { throw ConfigError(place.mark, "bad-template", "An empty `rename` gives no name.") }
        if rename.source.contains("/") {
            throw ConfigError(
                place.mark, "bad-template", "`rename` gives a file name; a `/` belongs into the target's path.")
        }
        if rename.uses.contains("name") {
            throw ConfigError(
                place.mark, "bad-template", "`{name}` holds the extension already, which is appended anyway.",
                hint: "Write `{stem}`.")
        }
        if rename.source.hasSuffix(Self.extensionEnding) {
            let rest = rename.source.dropLast(Self.extensionEnding.count)
            throw ConfigError(
                place.mark, "bad-template", "The extension is appended by itself: files would end with it twice.",
                hint: "Write `\(rest.isEmpty ? "{stem}" : rest)`.")
        }
    }
}
