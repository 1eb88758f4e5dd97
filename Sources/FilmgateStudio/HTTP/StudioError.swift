import FilmgateCore
import HTTPTypes

/// Why a request is not answered, for programs and for people: `{type: "error", code, message, advice}`.
struct StudioError: Error, Sendable {
    var status: HTTPResponse.Status, code: String, message: String, advice: String?
    /// Of an order of marks that broke off: what takes its first parts back, and how many pictures they are.
    var undo: String? = nil, pictures: Int? = nil
    /// How long to wait before the same is asked for again; nil where waiting alone does not help.
    var retryAfter: Duration? = nil

    init(
        _ status: HTTPResponse.Status, _ code: String, _ message: String, advice: String? = nil,
        retryAfter: Duration? = nil
    ) {
        (self.status, self.code, self.message, self.advice) = (status, code, message, advice)
        self.retryAfter = retryAfter
    }

    init(_ error: IngestError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .notFound: .notFound
            case .stateLocked, .unavailable, .misconfigured, .accessDenied, .storageFull: .serviceUnavailable
            default: .internalServerError
            }
        self.init(
            status, error.code.rawValue, AddressMask.hidden(error.message),
            advice: error.advice.map(AddressMask.hidden), retryAfter: error.retryAfter)
    }

    var json: String {
        var object = JSONWriter()
        object.add("type", "error")
        object.add("code", code)
        object.add("message", message)
        object.add("advice", advice)
        if let undo {
            object.add("undo", undo)
            object.add("pictures", pictures)
        }
        return object.finished
    }

    static let noSession = StudioError(
        .unauthorized, "unauthorized", "This browser is not paired.",
        advice: "Open the link that `filmgate studio link` prints, or type its code.")
    static func role(_ needed: Role, has: Role) -> StudioError {
        StudioError(
            .forbidden, "accessDenied", "This needs the role \(needed.rawValue); this session has \(has.rawValue).",
            advice: "`filmgate studio link --role \(needed.rawValue)` makes a code that may.")
    }
    static func unknown(_ path: String) -> StudioError {
        StudioError(
            .notFound, "notFound", "There is nothing at this address.",
            advice: "/api/v1/openapi.json lists all addresses.")
    }
    static func usage(_ message: String, advice: String? = nil) -> StudioError {
        StudioError(.badRequest, "misconfigured", message, advice: advice)
    }
}
