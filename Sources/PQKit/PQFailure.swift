import CPQ
import FilmgateCore

/// What a server said against a question: the cause of the `IngestError` that it became.
public struct PQRefusal: Error, Sendable, Hashable {
    /// Five characters, as in PostgreSQL's appendix A.
    public var state: String
    /// The server's own words, cut to 300 characters and cleared of control characters.
    public var words: String
}

/// A failure inside the kit: what it means outside, and whether the connection can be used again.
struct PQFailure: Error {
    var error: IngestError
    var keepsConnection = false

    init(_ error: IngestError, keepsConnection: Bool = false) {
        (self.error, self.keepsConnection) = (error, keepsConnection)
    }

    /// What the server at `place` said.
    init(state: String, words: String, at place: String) {
        let refusal = PQRefusal(state: state, words: Self.shown(words)), meaning = Self.meaning(state)
        let message = "\(place): \(PQWords.sentence(refusal.words))"
        var error = IngestError(meaning.code, message, advice: meaning.advice, cause: refusal)
        if state.hasPrefix("53") { error.retryAfter = .seconds(10) }
        let isGone = state.hasPrefix("08") || state.hasPrefix("57P") || state == "25006"
        self.init(error, keepsConnection: !isGone)
    }

    private static func meaning(_ state: String) -> (code: IngestError.Code, advice: String?) {
        switch state {
        case "42501": (.unauthorized, "Give the role what it needs, or use another.")
        case "3D000": (.misconfigured, "Make the database, or correct its name in the address.")
        case "42883", "42P01", "3F000", "42703": (.misconfigured, nil)
        case "57014": (.unavailable, "The server stopped the question: it took too long.")
        case "25006": (.unavailable, "This server takes no changes: it is a standby.")
        case "23505": (.nameTaken, nil)
        default:
            switch state.prefix(2) {
            case "08", "40", "53", "55", "57", "58": (.unavailable, nil)
            case "28": (.unauthorized, "Check the role and its password, or its certificate.")
            case "0A", "42": (.misconfigured, nil)
            case "22", "23", "P0": (.rejected, nil)
            default: (.unexpected, nil)
            }
        }
    }

    /// How a connection could not be made, in libpq's words, which hold the server's state where it gave one.
    init(connecting words: String, at place: String) {
        let said = Self.states(words), own = Self.ownWords(words)
        let isProven = !Self.doubts.contains { own.contains($0) }
        // libpq tries the next address after a server that is starting: what another one said is the reason.
        if isProven, let told = said.last(where: { $0.state != "57P03" }) ?? said.last {
            self.init(state: told.state, words: told.words, at: place)
            return
        }
        let shown = PQWords.sentence(Self.shown(PQWords.causes(words)))
        if words.contains(" alert "), Self.objections.contains(where: { words.contains($0) }) {
            let advice = "`certificate` has to be valid now, and signed by an authority that the server knows."
            self.init(IngestError(.unauthorized, "\(place) does not accept this certificate: \(shown)", advice: advice))
            return
        }
        if !isProven {
            let advice =
                "`root` names the certificate that signed the server's; the server needs TLS and SCRAM. Do not go on without."
            self.init(IngestError(.untrusted, "\(place) cannot be proven to be the server: \(shown)", advice: advice))
        } else if words.contains("password supplied") {
            self.init(
                IngestError(
                    .unauthorized, "\(place) asks for a password.", advice: "Say where it is kept: `password: ${…}`."))
        } else {
            self.init(IngestError(.unavailable, "\(place): \(shown)"))
        }
    }

    private static var verbose: Regex<(Substring, Substring, Substring)> { #/:  ([0-9A-Z]{5}): ([^\n]*)/# }

    /// What each address that was tried said, in the form of verbose messages: `FATAL:  28P01: password …`.
    private static func states(_ words: String) -> [(state: String, words: String)] {
        words.matches(of: verbose).map { (String($0.1), String($0.2)) }
    }

    /// libpq's own lines, without those that hold a server's words.
    ///
    /// A server says where in its source it was (`LOCATION:  …`).
    private static func ownWords(_ words: String) -> String {
        words.split(separator: "\n").filter { line in
            line.firstMatch(of: verbose) == nil && line.firstMatch(of: #/^[A-Z]+:  /#) == nil
        }.joined(separator: "\n")
    }

    /// Pieces of libpq's messages when TLS or the way of signing in is weaker than was demanded.
    private static let doubts = [
        "certificate", "SSL", "channel binding", "does not match host name", "SCRAM", "root.crt",
    ]

    /// What a server says of a client's certificate, in the words of its TLS.
    private static let objections = [
        "unknown ca", "bad certificate", "certificate expired", "certificate required", "decrypt error",
    ]

    /// On one line, without control characters.
    static func shown(_ words: String) -> String {
        let line = words.unicodeScalars.prefix(300).map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) }
        return String(line).split(separator: " ").joined(separator: " ")
    }
}
