/// What a station told of files that lie on a card: its word, by which nothing is decided.
public struct CardAtStation: Sendable, Hashable {
    public var station: String
    /// How the files ended there, of those that were asked for.
    public var endings: [Ending: Int]
    /// When it met the last of them: nanoseconds since 1970, by that station's clock.
    public var at: Int64

    public init(station: String, endings: [Ending: Int], at: Int64) {
        (self.station, self.endings, self.at) = (station, endings, at)
    }

    /// How many of the files it has met.
    public var files: Int { endings.values.reduce(0, +) }

    /// Those that each target has that was to have them there.
    public var delivered: Int {
        [Ending.delivered, .duplicate, .alreadySeen].reduce(0) { $0 + endings[$1, default: 0] }
    }

    /// This, and what the same station told of other files.
    public func and(_ other: CardAtStation) -> CardAtStation {
        CardAtStation(station: station, endings: endings.merging(other.endings) { $0 + $1 }, at: max(at, other.at))
    }

    /// One value for each station, by name.
    package static func together(_ words: [CardAtStation]) -> [CardAtStation] {
        var found: [String: CardAtStation] = [:]
        for word in words { found[word.station] = found[word.station]?.and(word) ?? word }
        return found.values.sorted { $0.station < $1.station }
    }
}
