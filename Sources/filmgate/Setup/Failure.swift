import ArgumentParser
import FilmgateCore
import FilmgateEngine

/// Ends the program with one of the documented codes, after everything has been said.
struct Exit: Error {
    var code: ExitStatus
    init(_ code: ExitStatus) { self.code = code }
}

extension Console {
    /// Tells an error to whoever asked, as text or as JSON.
    func tell(_ error: IngestError, json: Bool) {
        let message = AddressMask.hidden(error.message), advice = error.advice.map(AddressMask.hidden)
        if json {
            var line = JSONWriter()
            line.add("type", "error")
            line.add("code", error.code.rawValue)
            line.add("message", message)
            line.add("advice", advice)
            out(line.finished)
        } else {
            err("error: " + Describe.name(message))
            if let advice { err("  → " + Describe.name(advice)) }
        }
    }
}

/// What ends a verb before any file was settled.
enum Failure {
    /// The exit code of such an error.
    static func exitCode(_ error: IngestError) -> ExitStatus {
        if error.cause is UntruthfulAnswer { return .sourceLost }
        return switch error.code {
        case .stateLocked: .stateLocked
        case .notFound, .unreadable, .deviceGone, .deviceBusy, .accessDenied, .network, .unavailable, .rateLimited,
            .untrusted:
            .sourceLost
        case .storageFull: .full
        case .unauthorized: .signIn
        case .misconfigured: .usage
        case .cancelled: .interrupted
        default: .failure
        }
    }
}
