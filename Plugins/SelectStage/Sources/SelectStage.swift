public import FilmgateCore

/// Lets pass what fits by kind, rating, protection, time and name; a shot's sidecars and memos share the fate of their
/// frames.
public struct SelectStage: Module, Stage {
    /// What the camera's protection (the lock or key button) decides.
    public enum Protected: String, Sendable, CaseIterable, ConfigValue { case any, only, skip }

    public struct Config: ModuleConfig {
        public var accept: [MediaKind] = []
        public var minRating = -1
        public var unrated = Unrated.pass
        public var picks = Picks.any
        public var protected = Protected.any
        public var since: TimeBound?, until: TimeBound?
        public var include: [Glob] = [], exclude: [Glob] = []
        public init() {}

        var asksTimes: Bool { since != nil || until != nil }
        var marks: MarkRule { MarkRule(picks: picks, minRating: minRating, unrated: unrated) }

        public static let schema: Schema<Self> = [
            .field("accept", \.accept, "Kinds that pass; absent: all."),
            .field(
                "min_rating", \.minRating, in: -1...5,
                "Lowest rating that passes; -1 is what the camera calls rejected."),
            .field(
                "unrated", \.unrated,
                "What happens to frames without a rating; wait: they wait until somebody rates them."),
            .field("picks", \.picks, "only: frames wait until somebody picks them; rejected ones are filtered."),
            .field(
                "protected", \.protected,
                "Frames that were protected in the camera: no difference, only those, or all others."),
            .field("since", \.since, "Earliest time of capture, as 2026-05-01 or 2026-05-01T18:30."),
            .field("until", \.until, "Latest time of capture; a date includes its whole day."),
            .field("include", \.include, "Names that pass (IMG_*.CR3, any case); absent: all."),
            .field("exclude", \.exclude, "Names that do not."),
        ]

        public func validate(at node: ConfigNode) throws(ConfigError) {
            guard let since, let until, since.first > until.last else { return }
            throw ConfigError(
                node["until"]?.mark ?? node.mark, "empty-range", "`until` lies before `since`: nothing would pass.",
                hint: "Exchange the two.")
        }
    }

    public static let manifest = Manifest(
        "select", "Lets files pass by kind, rating, protection, time and name.", needs: [.media], gives: [.selected])

    public let traits: StageTraits
    private let rules: Rules

    public init(_ config: Config, _ context: ModuleContext) throws(IngestError) {
        rules = Rules(config)
        var traits = StageTraits()
        (traits.asksTimes, traits.selects) = (config.asksTimes, true)
        if config.marks.waits { traits.awaits = config.marks }
        self.traits = traits
    }

    public func refusal(ofName name: String, _ kind: MediaKind) -> String? { rules.refusal(ofName: name, kind) }

    public func refusal(of asset: Asset, in shot: Shot) -> String? { rules.refusal(of: asset, in: shot) }

    public func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict {
        guard let reason = rules.refusal(of: asset, in: shot) else { return .pass(asset) }
        return .finish(asset, .filtered, reason: reason, twin: nil)
    }
}
