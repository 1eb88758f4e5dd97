/// What happens to frames without a rating.
public enum Unrated: String, Sendable, Hashable, CaseIterable, ConfigValue {
    case pass, drop
    /// They wait until somebody rates them.
    case wait
}

/// What a person's picking decides: nothing, or that a frame waits until it is picked.
public enum Picks: String, Sendable, Hashable, CaseIterable, ConfigValue { case any, only }

/// The single conditions of which `select` and the rules per target are made.
///
/// Each says in words why it does not let something pass, naming the option as the pipeline file spells it; nil when it
/// does.
public enum SelectionRule {
    public static func refusal(rating: Int?, below least: Int, unrated: Unrated) -> String? {
        guard let rating else { return unrated == .drop ? "not rated, and `unrated: drop`" : nil }
        guard rating < least else { return nil }
        return "\(rating == -1 ? "rejected (rating -1)" : "rating \(rating)"), below `min_rating: \(least)`"
    }

    public static func refusal(unprotected isProtected: Bool) -> String? {
        isProtected ? nil : "not protected in the camera, and `protected: only`"
    }

    public static func refusal(of kind: MediaKind, outside kinds: [MediaKind], option: String) -> String? {
        kinds.contains(kind) ? nil : "kind \(kind.rawValue) is not in `\(option): \(kinds.shown ?? "[]")`"
    }

    /// `least` and `most` include all that they cover, such as a whole day.
    public static func refusal(taken time: CivilTime, since least: TimeBound?, until most: TimeBound?) -> String? {
        if let least, time.civilSeconds < least.first { return "taken \(time), before `since: \(least.text)`" }
        if let most, time.civilSeconds > most.last { return "taken \(time), after `until: \(most.text)`" }
        return nil
    }
}
