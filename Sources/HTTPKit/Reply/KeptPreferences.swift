public import FilmgateCore

extension Preference {
    /// `{ "value": …, "changed": … }`; nil for anything else.
    public init?(_ json: JSONValue) {
        guard case .string(let value)? = json["value"], value.utf8.count <= 65_536 else { return nil }
        switch json["changed"] {
        case .integer(let time)?: self.init(value, changed: time)
        case .number(let time)?:
            guard let time = Int64(exactly: time.rounded()) else { return nil }
            self.init(value, changed: time)
        default: return nil
        }
    }

    public var json: JSONValue { .object(["value": .string(value), "changed": .integer(changed)]) }

    /// The members of an object that are preferences; other members are somebody else's.
    public static func all(in json: JSONValue) -> [String: Preference] {
        guard case .object(let members) = json else { return [:] }
        return members.compactMapValues(Preference.init)
    }
}
