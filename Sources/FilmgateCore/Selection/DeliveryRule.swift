/// What one target gets: a list of kinds, or a rule of several conditions that must all hold.
///
/// What it leaves out is filtered for that target alone. Sidecars and memos are not judged themselves: they go where
/// the primary of their shot goes.
public struct DeliveryRule: Sendable, Hashable, ConfigSection, ExpressibleByArrayLiteral {
    /// What the camera's protection (the lock or key button) decides.
    public enum Protected: String, Sendable, Hashable, CaseIterable, ConfigValue { case any, only }

    /// Nil = all.
    public var kinds: [MediaKind]?
    /// Empty = all.
    public var formats: [FileExtension] = []
    /// As for `select`: -1 is what the camera calls rejected.
    public var minRating = -1
    public var unrated = Unrated.pass
    public var picks = Picks.any
    public var protected = Protected.any
    /// Width times height; where a file does not say its size, it passes.
    public var minPixels = 0
    public var name: Glob?
    /// From this moment on, and up to this moment: of two neighbours with the same bound, one takes a frame.
    public var after: TimeBound?, before: TimeBound?

    public init() {}
    public init(arrayLiteral kinds: MediaKind...) { self.kinds = kinds }

    public static let schema: Schema<Self> = [
        .field("kinds", \.kinds, "Kinds of file; absent: all."),
        .field("formats", \.formats, "Extensions, such as [jpg, cr3]; absent: all."),
        .field(
            "min_rating", \.minRating, in: -1...5, "Lowest rating that passes; -1 is what the camera calls rejected."),
        .field(
            "unrated", \.unrated, "What happens to frames without a rating; wait: they wait until somebody rates them."),
        .field("picks", \.picks, "only: frames wait until somebody picks them; rejected ones are left out."),
        .field("protected", \.protected, "Frames that were protected in the camera: no difference, or only those."),
        .field("min_pixels", \.minPixels, in: 0...1_000_000_000_000, "Fewest pixels, width times height."),
        .field("name", \.name, "Names that pass, a pattern such as IMG_*.CR3, any case; absent: all."),
        .field("after", \.after, "Taken from this moment on: 2026-05-01 (its midnight) or 2026-05-01T18:30."),
        .field("before", \.before, "Taken before this moment."),
    ]

    public static var kind: ValueKind { .either([.list(MediaKind.kind), .section(schema.descriptions)]) }

    public init(node: ConfigNode) throws(ConfigError) {
        switch node.value {
        case .list:
            self.init()
            kinds = try [MediaKind](node: node)
        case .map, .null:
            var errors: [ConfigError] = []
            self = Self.schema.decode(node, errors: &errors)
            if let first = errors.first { throw first }
        case .scalar: throw node.wrongList()
        }
    }

    public func validate(at node: ConfigNode) throws(ConfigError) {
        guard let after, let before, after.first >= before.first else { return }
        throw ConfigError(
            node["before"]?.mark ?? node.mark, "empty-range",
            "`before` is not later than `after`: nothing would be delivered.",
            hint: after.first == before.first
                ? "Both count from the moment's beginning: write the next day." : "Exchange the two.")
    }

    /// Only kinds are asked for.
    public var isOnlyKinds: Bool {
        var plain = DeliveryRule()
        plain.kinds = kinds
        return self == plain
    }

    /// Whether no file passes both, by its kind or its format.
    public func isApart(from other: DeliveryRule) -> Bool {
        let own = Set(kinds ?? MediaKind.allCases), haveFormats = !formats.isEmpty && !other.formats.isEmpty
        return own.isDisjoint(with: other.kinds ?? MediaKind.allCases)
            || haveFormats && Set(formats).isDisjoint(with: other.formats)
    }

    /// What it must know of a frame, beyond its name and kind.
    public var asks: Set<FrameFacts.Fact> {
        var facts: Set<FrameFacts.Fact> = []
        if minRating > -1 || unrated != .pass { facts.insert(.rating) }
        if protected == .only { facts.insert(.protection) }
        if minPixels > 0 { facts.insert(.pixels) }
        if after != nil || before != nil { facts.insert(.time) }
        return facts
    }

    /// As a person would write it.
    public var shown: String? {
        if isOnlyKinds { return kinds?.shown ?? (kinds == nil ? "{}" : "[]") }
        let given: [(String, String?)] = [
            ("kinds", kinds.map { $0.shown ?? "[]" }), ("formats", formats.shown),
            ("min_rating", minRating > -1 ? "\(minRating)" : nil),
            ("unrated", unrated != .pass ? unrated.rawValue : nil), ("picks", picks == .only ? picks.rawValue : nil),
            ("protected", protected == .only ? protected.rawValue : nil),
            ("min_pixels", minPixels > 0 ? "\(minPixels)" : nil), ("name", name?.source), ("after", after?.text),
            ("before", before?.text),
        ]
        return "{ " + given.compactMap { name, value in value.map { "\(name): \($0)" } }.joined(separator: ", ") + " }"
    }
}

extension DeliveryRule {
    /// What the rule says of a frame.
    public enum Decision: Sendable, Hashable {
        case takes
        case refuses(String)
        /// Nobody has marked it yet, and the rule waits for that; why, in words.
        case waits(String)
        /// It depends on what is not known yet.
        case undecided
    }

    /// Every condition on kinds is left to the caller, who words it.
    public func decision(on frame: FrameFacts) -> Decision {
        var isOpen = false
        for (fact, refusal) in [
            (nil, formatRefusal), (nil, nameRefusal), (nil, rejectionRefusal), (.rating, ratingRefusal),
            (.protection, protectionRefusal), (.pixels, sizeRefusal), (.time, timeRefusal),
        ] as [(FrameFacts.Fact?, (FrameFacts) -> String?)] {
            if let fact, frame.unknown.contains(fact) {
                isOpen = isOpen || asks.contains(fact)
            } else if let reason = refusal(frame) {
                return .refuses(reason)
            }
        }
        if isOpen { return .undecided }
        guard case .waits(let reason) = marks.decision(rating: frame.rating, pick: frame.pick) else { return .takes }
        return .waits(reason)
    }

    /// What it asks of marks.
    public var marks: MarkRule { MarkRule(picks: picks, minRating: minRating, unrated: unrated) }

    private func rejectionRefusal(_ frame: FrameFacts) -> String? {
        picks == .only && frame.pick == .rejected ? MarkRule.rejected : nil
    }

    private func formatRefusal(_ frame: FrameFacts) -> String? {
        guard !formats.isEmpty, !formats.contains(FileExtension(FileName(frame.name).ext)) else { return nil }
        return "\(frame.name) is not in `formats: \(formats.shown ?? "")`"
    }

    private func nameRefusal(_ frame: FrameFacts) -> String? {
        guard let name, !name.matches(frame.name) else { return nil }
        return "\(frame.name) does not match `name: \(name.source)`"
    }

    private func ratingRefusal(_ frame: FrameFacts) -> String? {
        SelectionRule.refusal(rating: frame.rating, below: minRating, unrated: unrated)
    }

    private func protectionRefusal(_ frame: FrameFacts) -> String? {
        protected == .only ? SelectionRule.refusal(unprotected: frame.isProtected) : nil
    }

    private func sizeRefusal(_ frame: FrameFacts) -> String? {
        guard let pixels = frame.pixels, pixels < minPixels else { return nil }
        return "\(pixels) pixels, below `min_pixels: \(minPixels)`"
    }

    private func timeRefusal(_ frame: FrameFacts) -> String? {
        guard let time = frame.time else { return nil }
        if let after, time.civilSeconds < after.first { return "taken \(time), before `after: \(after.text)`" }
        if let before, time.civilSeconds >= before.first { return "taken \(time), not before `before: \(before.text)`" }
        return nil
    }
}
