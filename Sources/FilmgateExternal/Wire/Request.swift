import FilmgateCore
import HTTPKit

/// One thing that a child is asked to do.
struct Request: Sendable {
    var verb: String
    var arguments: JSONObject = [:]

    /// How long it may take, however often the child says that it goes on; nil where files move.
    ///
    /// `answers`: for questions that may need a look at the far side.
    func longest(_ silence: Duration, answers: Duration) -> Duration? {
        switch verb {
        case "configure", "secrets", "ready", "sign", "renew": max(silence, Worker.greeting)
        case "places", "check", "find", "occupancy", "events": max(silence, answers)
        case "finish": max(silence, answers * 6)
        default: nil
        }
    }

    func line(_ id: Int64) -> JSONValue {
        .object(arguments.adding(["id": .integer(id), "do": .string(verb)]))
    }
}

/// How a child answered.
enum Answer: Sendable {
    case done(JSONValue)
    case failed(IngestError)
    /// It does not know the request.
    case unsupported
    /// It wants something from us before it goes on.
    case question(JSONValue)
}

/// What a child reports as its failure, taken at its word where that can do no harm.
enum Reported {
    /// Codes that are a child's to give; the others mean something about Filmgate itself.
    static let codes: Set<IngestError.Code> = Set(IngestError.Code.allCases).subtracting([
        .cancelled, .unexpected, .stateLocked,
    ])

    /// An unknown code is worth another try: nothing is given up because of a slip.
    static func failure(_ value: JSONValue, name: String) -> IngestError {
        let given = value["code"]?.string.flatMap { IngestError.Code(rawValue: $0) }
        let code = given.flatMap { codes.contains($0) ? $0 : nil } ?? .unavailable
        let message = value["message"]?.string.map(shown) ?? ""
        let wait = value["retryAfter"]?.real.map { Duration.milliseconds(Int64(min(max(0, $0), 86_400) * 1000)) }
        return IngestError(
            code, message.isEmpty ? "The module `\(name)` failed without a message." : "\(name): \(message)",
            advice: value["advice"]?.string.map(shown), retryAfter: wait)
    }

    /// One line, without control characters, at most 500 characters.
    static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(2000).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .surrogate: " "
            default: scalar
            }
        }
        return String(
            String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ").prefix(500))
    }
}
