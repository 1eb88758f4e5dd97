public import FilmgateCore

/// What a movie's header holds.
public enum MovieClock: String, Sendable, Hashable, CaseIterable, ConfigValue { case utc, local }

/// How a make names and marks its files, in words: what a person wants to know when a file is not where it was
/// expected.
public struct MakeConventions: Sendable, Hashable, ConfigSection {
    public var folders = "", files = "", raw = "", sidecars = "", memos = "", spans = "", clock = "", rating = ""
    public var ptp = ""

    public init() {}

    public static let schema: Schema<Self> = [
        .field("folders", \.folders, "Folders on its cards."),
        .field("files", \.files, "Names of its files."),
        .field("raw", \.raw, "Extensions of its RAW files."),
        .field("sidecars", \.sidecars, "Files that belong to others."),
        .field("memos", \.memos, "How voice memos are named."),
        .field("spans", \.spans, "How one recording spreads over several files."),
        .field("clock", \.clock, "What its times mean."),
        .field("rating", \.rating, "Where ratings and protection are written."),
        .field("ptp", \.ptp, "What to know when it is connected."),
    ]

    /// By the keys' names; what is not said is left out.
    public var lines: [(name: String, text: String)] {
        [
            ("folders", folders), ("files", files), ("raw", raw), ("sidecars", sidecars), ("memos", memos),
            ("spans", spans), ("clock", clock), ("rating", rating), ("ptp", ptp),
        ].filter { !$0.1.isEmpty }
    }
}
