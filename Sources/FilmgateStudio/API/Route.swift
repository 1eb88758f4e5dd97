import FilmgateCore
import HTTPTypes

/// One address of the API: what it takes, who may ask, what it answers.
///
/// The server, the OpenAPI document and the tests read the same table of these.
struct Route: Sendable {
    /// Who may ask.
    enum Need: Sendable, Equatable {
        case nothing
        /// Any session or token.
        case session
        case role(Role)
    }
    struct Parameter: Sendable {
        enum Kind: Sendable {
            case text(longest: Int), number(ClosedRange<Int>), words([String])
            /// As answers have times; with an offset, so that it is a moment.
            case time
        }
        var name: String, kind: Kind, help: String
        var isInPath = false
    }
    /// A member of the request's JSON object; all of them are texts.
    struct Field: Sendable {
        var name: String, help: String, isRequired: Bool
        var words: [String]?
    }
    struct Answering: Sendable {
        var status: Int, help: String, shape: String
        /// Objects come one after the other, as server-sent events, instead of one.
        var isStream = false
        /// A picture comes instead.
        ///
        /// A page shows it by its address alone, without any header, so half a session is enough.
        var isPicture = false
        var type: String { isStream ? "text/event-stream" : isPicture ? "image/jpeg" : "application/json" }
    }

    var method: HTTPTypes.HTTPRequest.Method, path: String, need: Need, id: String, summary: String
    var parameters: [Parameter] = [], fields: [Field] = []
    /// A JSON object is sent, even where it has no members.
    var takesBody = false
    /// A member `selection` besides the fields: the files that are meant, where not all are.
    var takesSelection = false
    /// Its shape, where it is more than texts.
    var bodyShape: String?
    var answer: Answering
    var run: @Sendable (Call) async throws -> Answer

    /// The values of the parts in braces; nil where the address is another one.
    func match(_ address: some Sequence<Substring>) -> [String: String]? {
        let parts = path.split(separator: "/"), address = Array(address)
        guard parts.count == address.count else { return nil }
        var values: [String: String] = [:]
        for (part, value) in zip(parts, address) {
            if part.hasPrefix("{") {
                values[String(part.dropFirst().dropLast())] = String(value)
            } else if part != value {
                return nil
            }
        }
        return values
    }
}

/// A request that was let in, with its parameters checked.
struct Call: Sendable {
    /// Nil where the route needs nobody.
    var grant: Grant?
    var values: [String: String] = [:]
    /// The members of the body.
    var body: [String: String] = [:]
    /// The body of a route that says its shape.
    var object = JSONObject()
    var address = "", agent = ""
    /// What a client that was here before has seen last, and by what it knows its own request again.
    var lastEvent: String?, idempotencyKey: String?
    /// The ETag of what a client has already.
    var knownTag: String?

    var role: Role { grant?.role ?? .view }
    /// What of the shoot is shown.
    var scope: GrantScope { grant?.scope ?? GrantScope() }
    func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }
    /// One or more of these words; nil where the parameter is not given.
    func words<Word: RawRepresentable & Hashable>(_ name: String) -> Set<Word>? where Word.RawValue == String {
        values[name].map { Set($0.split(separator: ",").compactMap { Word(rawValue: String($0)) }) }
    }
    /// `without=event` instead of an event's name.
    var isWithoutEvent: Bool {
        get throws(StudioError) {
            guard values["without"] != nil else { return false }
            if values["event"] != nil { throw .usage("Either `event` or `without=event`.") }
            return true
        }
    }
    /// Nanoseconds since 1970: the first, or the last of what such a time says.
    func time(_ name: String, last: Bool = false) -> Int64? {
        guard let time = values[name].flatMap({ CivilTime($0) }), let seconds = time.unixSeconds else { return nil }
        // Nobody's files are from another century.
        let whole = min(max(seconds, -9_000_000_000), 9_000_000_000) * 1_000_000_000
        return whole + Int64(time.nanosecond ?? (last ? 999_999_999 : 0))
    }
}

extension Route {
    /// The parameters of the address, each as the table says; anything else is refused by name.
    func values(path: [String: String], query: [(name: String, value: String)]) throws(StudioError) -> [String: String]
    {
        var values: [String: String] = [:]
        for (name, value) in path.map({ ($0.key, $0.value) }) + query.map({ ($0.name, $0.value) }) {
            guard let parameter = parameters.first(where: { $0.name == name }) else {
                throw .usage(
                    "There is no parameter \(JSONString.quoted(name)) here.",
                    advice: "It takes: \(Self.list(parameters.map(\.name))).")
            }
            guard values[name] == nil else { throw .usage("The parameter \(name) comes twice.") }
            try parameter.check(value)
            values[name] = value
        }
        return values
    }

    /// The whole body.
    static func object(_ bytes: [UInt8]) throws(StudioError) -> JSONObject {
        guard case .object(let members) = JSONValue(bytes) else { throw .usage("The body is no JSON object.") }
        return members
    }

    /// The members of the body, each as the table says.
    func body(_ members: JSONObject) throws(StudioError) -> [String: String] {
        var values: [String: String] = [:]
        for (name, value) in members where !takesSelection || name != "selection" {
            guard let field = fields.first(where: { $0.name == name }) else {
                throw .usage(
                    "There is no field \(JSONString.quoted(name)) here.",
                    advice: "It takes: \(Self.list(fields.map(\.name) + (takesSelection ? ["selection"] : []))).")
            }
            guard let text = value.string, text.utf8.count <= 256 else {
                throw .usage("The field \(name) is a text of at most 256 bytes.")
            }
            if let words = field.words, !words.contains(text) {
                throw .usage("The field \(name) is one of: \(Self.list(words)).")
            }
            values[name] = text
        }
        for field in fields where field.isRequired && values[field.name] == nil {
            throw .usage("The field \(field.name) is missing.")
        }
        return values
    }

    private static func list(_ words: [String]) -> String { words.isEmpty ? "none" : words.joined(separator: ", ") }
}

extension Route.Parameter {
    func check(_ value: String) throws(StudioError) {
        switch kind {
        case .text(let longest):
            guard value.utf8.count <= longest, !value.utf8.contains(0) else {
                throw .usage("\(name) is a text of at most \(longest) bytes.")
            }
        case .number(let range):
            guard let number = Int(value), String(number) == value, range.contains(number) else {
                throw .usage("\(name) is a whole number from \(range.lowerBound) to \(range.upperBound).")
            }
        case .words(let words):
            let given = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard given.allSatisfy({ words.contains($0) }) else {
                throw .usage("\(name) is one or more of: \(words.joined(separator: ", ")), with commas between.")
            }
        case .time:
            guard CivilTime(value)?.unixSeconds != nil else {
                throw .usage(
                    "\(name) is a time with its offset.", advice: "Such as 2026-05-01T12:30:00Z; a + is sent as %2B.")
            }
        }
    }
}
