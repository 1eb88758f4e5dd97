import FilmgateCore

/// What of the catalogue's words the page passes on: what it knows, and to those who may not see everything less.
enum StationObject {
    private typealias Member = (name: String, type: JSONValue)
    private static let text: JSONValue = ["type": ["string", "null"]], whole: JSONValue = ["type": ["integer", "null"]]
    private static let flag: JSONValue = ["type": ["boolean", "null"]]

    /// For everybody who works here; names of stations are no secret to them.
    private static let shown: [Member] = [
        ("name", ["type": "string"]), ("site", text), ("present", flag), ("silence_s", ["type": ["number", "null"]]),
        ("told", whole), ("untold", whole), ("revoked", flag),
    ]
    /// From role operate: what says which cards and programs there are.
    private static let trusted: [Member] = [
        ("version", text), ("clock_ahead_ms", whole), ("cards", ["type": ["array", "null"]]),
        ("targets", ["type": ["array", "null"]]), ("sources", ["type": ["array", "null"]]),
    ]
    private static let ownShown = ["station", "told", "waiting", "held", "up", "since", "claims"]
    private static let ownTrusted = ["catalog", "trouble"]

    static let shape = schema(shown + trusted, required: ["name", "present"])
    static let copyShape = schema(
        [
            ("station", ["type": "string"]), ("state", ["type": "string"]), ("place", ["type": "string"]),
            ("detail", text), ("verified", text), ("size", whole), ("at", text),
        ], required: ["station", "state", "place"])

    static func station(_ line: JSONValue, _ role: Role) -> JSONValue {
        only(line, (role >= .operate ? shown + trusted : shown).map(\.name))
    }
    static func own(_ line: JSONValue, _ role: Role) -> JSONValue {
        masked(only(line, role >= .operate ? ownShown + ownTrusted : ownShown))
    }
    static func copy(_ line: JSONValue) -> JSONValue {
        masked(only(line, copyShape["properties"]?.members?.keys ?? []))
    }

    /// A viewer learns that something is wrong, and not at which address.
    static func trouble(_ trouble: CatalogView.Failure, _ role: Role) -> JSONValue {
        guard role >= .operate else {
            return ["code": .string(trouble.code), "message": "The catalogue cannot be asked now.", "advice": .null]
        }
        return [
            "code": .string(trouble.code), "message": .string(AddressMask.hidden(trouble.message)),
            "advice": word(trouble.advice.map(AddressMask.hidden)),
        ]
    }

    static func word(_ text: String?) -> JSONValue { text.map { JSONValue.string($0) } ?? .null }

    private static func only(_ line: JSONValue, _ names: [String]) -> JSONValue {
        .object(JSONObject((line.members ?? JSONObject()).filter { names.contains($0.key) }))
    }

    private static func masked(_ value: JSONValue) -> JSONValue {
        .object(
            JSONObject(
                (value.members ?? JSONObject()).map { member in
                    (member.key, member.value.string.map { word(AddressMask.hidden($0)) } ?? member.value)
                }))
    }

    private static func schema(_ members: [Member], required: [String]) -> JSONValue {
        [
            "type": "object", "properties": .object(JSONObject(members.map { (key: $0.name, value: $0.type) })),
            "required": .array(required.map { .string($0) }), "additionalProperties": .bool(false),
        ]
    }
}
