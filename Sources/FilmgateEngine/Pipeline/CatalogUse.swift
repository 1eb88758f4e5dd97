public import FilmgateCore
import Glibc

/// `catalog:`: the module that reaches the catalogue, and who this station says to be.
public struct CatalogUse: Sendable, Hashable {
    public var use: ModuleUse, station: StationRule
    public init(use: ModuleUse, station: StationRule) { (self.use, self.station) = (use, station) }
}

/// What a station says of itself.
public struct StationRule: Sendable, Hashable, ModuleConfig {
    /// What becomes of deliveries to shared targets while the catalogue does not answer.
    public enum WhenAway: String, Sendable, Hashable, CaseIterable, ConfigValue {
        /// Those go on whose target can be asked, or takes bytes twice without harm.
        case deliver
        case hold
    }
    /// What is said of a card that another station has taken; it is read all the same.
    public enum KnownCards: String, Sendable, Hashable, CaseIterable, ConfigValue {
        case tell
        case off

        public init(node: ConfigNode) throws(ConfigError) {
            let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
            let text = try node.text("one of \(words)")
            if let known = Self(rawValue: text) {
                self = known
                return
            }
            guard text == "skip" else {
                throw ConfigError(node.mark, "unknown-choice", "Expected one of \(words), found `\(text)`.")
            }
            throw ConfigError(
                node.mark, "unknown-choice",
                "`known_cards` cannot be `skip`: every card is read, whatever another station says of it.",
                hint: "Write `tell` to be told that a card was taken elsewhere, or `off`.")
        }
    }
    public var station = "", site = "", share: [TargetReference] = [], whenAway = WhenAway.deliver, oneMachine = false
    public var ephemeral = false, knownCards = KnownCards.tell
    public init() {}
    public static let schema: Schema<Self> = [
        .field(
            "station", \.station,
            "The name of this station, or `${env:HOSTNAME}` for what a variable says; absent: this machine's."),
        .field("site", \.site, "Where it stands, for people."),
        .field("share", \.share, "Targets that several stations deliver to: each frame is sent there by one of them."),
        .field(
            "when_away", \.whenAway,
            "What cannot be claimed while the catalogue is away: `deliver` what the target can be asked about or takes twice, or `hold` all."
        ),
        .field(
            "known_cards", \.knownCards,
            "What is said of a card that another station has taken: `tell`, or `off`. It is read all the same."),
        .field(
            "one_machine", \.oneMachine,
            "All stations run on this machine: then its own addresses may be shared. For trying out."),
        .field(
            "ephemeral", \.ephemeral,
            "It comes and goes, as a worker in a cloud: a day after it was heard last the catalogue retires it, and its name is free."
        ),
    ]

    public func validate(at node: ConfigNode) throws(ConfigError) {
        if let variable = Self.variable(in: station) {
            let mark = node["station"]?.mark ?? node.mark
            guard let value = Self.value(of: variable), !value.isEmpty else {
                throw ConfigError(
                    mark, "bad-name", "`station` is what the variable `\(variable)` says, which is not set.",
                    hint: "Set it, or leave `station` out for this machine's name.")
            }
            guard Self.isName(value) else {
                throw ConfigError(
                    mark, "bad-name", "`station` cannot be what the variable `\(variable)` says.",
                    hint:
                        "Use one line of at most 64 bytes, with no space before or behind it and no control characters."
                )
            }
        }
        for (key, text) in [("station", station), ("site", site)] where !Self.isName(text) {
            throw ConfigError(
                node[key]?.mark ?? node.mark, "bad-name", "`\(key)` cannot be this name.",
                hint: "Use one line of at most 64 bytes, with no space before or behind it and no control characters.")
        }
        if station.isEmpty, let empty = node["station"] {
            throw ConfigError(
                empty.mark, "bad-name", "`station` cannot be empty.", hint: "Leave it out for this machine's name.")
        }
    }

    /// The variable that `${env:NAME}` names; nil for any other text.
    static func variable(in text: String) -> String? {
        guard text.hasPrefix("${env:"), text.hasSuffix("}"), text.utf8.count > 7 else { return nil }
        return String(text.dropFirst(6).dropLast())
    }

    static func value(of variable: String) -> String? { getenv(variable).map { String(cString: $0) } }

    /// Empty where nobody said.
    ///
    /// Two names that people cannot tell apart would be two stations.
    public static func isName(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.unicodeScalars.allSatisfy { !isControl($0) } && text.first?.isWhitespace != true
            && text.last?.isWhitespace != true
    }

    /// Those, too, that turn the direction of writing or end a line.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
        default: false
        }
    }
}
