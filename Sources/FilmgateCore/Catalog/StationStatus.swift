/// What a station says of itself with each renewal of its session, for people at the other stations.
public struct StationStatus: Sendable, Hashable {
    /// A card that it took frames from.
    public struct Card: Sendable, Hashable {
        /// The volume's identity, and what its folder was called where it was mounted.
        public var volume: String, label: String
        /// When a frame of it was met last: nanoseconds since 1970, by that station's clock.
        public var at: Int64

        public init(volume: String, label: String, at: Int64) {
            (self.volume, self.label, self.at) = (volume, label, at)
        }
    }
    /// Changes that the catalogue had not been told yet.
    public var untold: Int64
    /// Deliveries that it still has to make, or that wait for somebody there.
    public var waiting: Int64
    /// The latest first.
    public var cards: [Card]

    public init(untold: Int64, waiting: Int64 = 0, cards: [Card]) {
        (self.untold, self.waiting, self.cards) = (untold, waiting, cards)
    }
}

extension StationStatus {
    /// More cards than this are not told, and none is believed.
    public static let mostCards = 5
    private static let longest = 128

    /// As the catalogue keeps it.
    public var json: String {
        var object = JSONWriter()
        object.add("untold", Int(untold))
        object.add("waiting", Int(waiting))
        object.add("cards", objects: cards.prefix(Self.mostCards).map(\.object))
        return object.finished
    }

    /// What another station told, which may be anything; nil for what `json` never writes.
    public init?(json: String) {
        guard json.utf8.count <= 65_536, let object = JSONValue(Array(json.utf8)), let untold = object["untold"]?.whole,
            untold >= 0
        else { return nil }
        self.untold = untold
        // Earlier versions did not say.
        waiting = max(0, object["waiting"]?.whole ?? 0)
        cards = (object["cards"]?.items ?? []).prefix(Self.mostCards).compactMap { card in
            guard let volume = card["volume"]?.string, let label = card["label"]?.string,
                let at = card["at"]?.string.flatMap({ CivilTime($0) })?.civilSeconds, at >= 0,
                volume.utf8.count <= Self.longest, label.utf8.count <= Self.longest
            else { return nil }
            return Card(
                volume: volume, label: label, at: at.multipliedReportingOverflow(by: 1_000_000_000).partialValue)
        }
    }
}

extension StationStatus.Card {
    /// As lists of stations have it.
    package var object: JSONWriter {
        var object = JSONWriter()
        object.add("volume", volume)
        object.add("label", label)
        object.add("at", CivilTime(unixSeconds: at / 1_000_000_000)?.description)
        return object
    }
}
