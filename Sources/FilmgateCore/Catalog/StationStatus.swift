/// What a station says of itself with each renewal of its session, for people at the other stations.
public struct StationStatus: Sendable, Hashable {
    /// A card that it took frames from.
    public struct Card: Sendable, Hashable {
        /// The volume's identity, and what its folder was called where it was mounted.
        public var volume: String, label: String
        /// When a frame of it was met last: nanoseconds since 1970, by that station's clock.
        public var at: Int64
        /// How much of it was read when that was said; nil where nobody reads it, and where it is read.
        public var percent: Int?

        public init(volume: String, label: String, at: Int64, percent: Int? = nil) {
            (self.volume, self.label, self.at, self.percent) = (volume, label, at, percent)
        }
    }
    /// A target that it has not delivered everything to.
    public struct Target: Sendable, Hashable {
        public var name: String
        /// Deliveries to make, and their bytes.
        public var waiting: Int64, bytes: UInt64
        /// How many of them wait for somebody or something, and why the latest of these does.
        public var held: Int64, reason: String?

        public init(name: String, waiting: Int64, bytes: UInt64, held: Int64 = 0, reason: String? = nil) {
            (self.name, self.waiting, self.bytes, self.held, self.reason) = (name, waiting, bytes, held, reason)
        }
    }
    /// Changes that the catalogue had not been told yet.
    public var untold: Int64
    /// Deliveries that it still has to make, or that wait for somebody there.
    public var waiting: Int64
    /// The latest first.
    public var cards: [Card]
    /// Where those deliveries go, the most first; empty also for stations of before, which did not say.
    public var targets: [Target]
    /// What people call the cameras, watched folders and receivers that its run can reach.
    public var sources: [String]

    public init(untold: Int64, waiting: Int64 = 0, cards: [Card], targets: [Target] = [], sources: [String] = []) {
        (self.untold, self.waiting, self.cards, self.targets) = (untold, waiting, cards, targets)
        self.sources = sources
    }
}

extension StationStatus {
    /// More cards than this are not told, and none is believed.
    public static let mostCards = 5
    /// The same of targets.
    public static let mostTargets = 8
    /// The same of sources.
    public static let mostSources = 5
    private static let longest = 128
    fileprivate static let longestReason = 256

    /// As the catalogue keeps it.
    public var json: String {
        var object = JSONWriter()
        object.add("untold", Int(untold))
        object.add("waiting", Int(waiting))
        object.add("cards", objects: cards.prefix(Self.mostCards).map(\.object))
        object.add("targets", objects: targets.prefix(Self.mostTargets).map(\.object))
        object.add("sources", Self.told(sources))
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
            let percent = card["percent"]?.whole.flatMap { 0...99 ~= $0 ? Int($0) : nil }
            return Card(
                volume: volume, label: label, at: at.multipliedReportingOverflow(by: 1_000_000_000).partialValue,
                percent: percent)
        }
        targets = (object["targets"]?.items ?? []).prefix(Self.mostTargets).compactMap(Self.target)
        sources = Self.told(object["sources"]?.texts ?? [])
    }

    private static func told(_ sources: [String]) -> [String] {
        Array(sources.filter { $0.utf8.count <= longest }.prefix(mostSources))
    }

    private static func target(_ told: JSONValue) -> Target? {
        guard let name = told["name"]?.string, name.utf8.count <= longest, let waiting = told["waiting"]?.whole,
            waiting > 0, let bytes = told["bytes"]?.whole.flatMap({ UInt64(exactly: $0) })
        else { return nil }
        let held = min(max(0, told["held"]?.whole ?? 0), waiting), reason = told["reason"]?.string
        return Target(
            name: name, waiting: waiting, bytes: bytes, held: held,
            reason: reason.flatMap { held > 0 && $0.utf8.count <= longestReason ? $0 : nil })
    }
}

extension StationStatus.Card {
    /// As lists of stations have it.
    package var object: JSONWriter {
        var object = JSONWriter()
        object.add("volume", volume)
        object.add("label", label)
        object.add("at", CivilTime(unixSeconds: at / 1_000_000_000)?.description)
        if let percent { object.add("percent", percent) }
        return object
    }
}

extension StationStatus.Target {
    /// As lists of stations have it.
    package var object: JSONWriter {
        var object = JSONWriter()
        object.add("name", name)
        object.add("waiting", Int(waiting))
        object.add("bytes", bytes)
        object.add("held", Int(held))
        object.add("reason", reason.flatMap(Self.shown))
        return object
    }

    /// The beginning of a reason without the secrets of addresses in it, as short as readers want it.
    private static func shown(_ reason: String) -> String? {
        var shown = "", room = StationStatus.longestReason
        for character in AddressMask.hidden(reason).prefix(80) {
            room -= character.utf8.count
            if room < 0 { break }
            shown.append(character)
        }
        return shown.isEmpty ? nil : shown
    }
}

/// A target that not everything was delivered to: as the ledger calls it, and as others are told of it.
public struct OpenTarget: Sendable, Hashable {
    public var identity: String, told: StationStatus.Target
    /// How many of the deliveries that wait there failed, so that only a person sends them.
    public var failed: Int64

    public init(identity: String, told: StationStatus.Target, failed: Int64 = 0) {
        (self.identity, self.told, self.failed) = (identity, told, failed)
    }
}
