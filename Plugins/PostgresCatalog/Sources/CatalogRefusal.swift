import CryptographyKit
import FilmgateCore
import PQKit

/// Refusals of the catalogue's own functions, and what a database means that does not know them.
enum CatalogRefusal {
    private static let lacksRights = "42501", lacksFunction = "42883"

    /// The catalogue lacks a function; one of before may be there.
    static func isOlder(_ error: IngestError) -> Bool { (error.cause as? PQRefusal)?.state == lacksFunction }
    private static let naming = "name it with `--set catalog.postgres.url=postgresql://OWNER@HOST/DATABASE`."

    /// A role that may not make or change the tables is told which one may.
    static func ofMaking(_ error: IngestError, as role: String, at place: String) -> IngestError {
        guard let refusal = error.cause as? PQRefusal, refusal.state == lacksRights else { return error }
        return IngestError(
            error.code, "catalog: the role \(role) may not make or change the tables at \(place): \(refusal.words).",
            advice: "That takes a role that may make roles, and schemas in this database, which no station's may: "
                + "\(naming) `--dry-run` prints the SQL for whoever has one.", cause: refusal)
    }

    /// A station's role is told which role may do what is done to a station.
    static func ofOwning(_ error: IngestError) -> IngestError {
        guard (error.cause as? PQRefusal)?.state == lacksRights else { return error }
        return IngestError(
            error.code, error.message,
            advice: "Only the role that the tables belong to may do this, no station: \(naming)", cause: error.cause)
    }

    /// Goes on where tables of before are asked in another way; a role that may not join is told what whoever keeps the
    /// database has to run for it.
    static func requireOlder(_ error: IngestError, joining role: String, mayBe: Bool) throws(IngestError) {
        if mayBe, isOlder(error) { return }
        let state = (error.cause as? PQRefusal)?.state ?? ""
        let grant = "GRANT filmgate_station TO \(shown(role))"
        if state == lacksRights {
            let advice = "Whoever keeps the database runs `\(grant);`."
            throw IngestError(error.code, error.message, advice: advice, cause: error.cause)
        }
        guard state.hasPrefix("28") else { throw error }
        let advice =
            "Check the role and its password, or its certificate. Where there is no such role yet, whoever keeps the database "
            + "runs `CREATE ROLE \(shown(role)) LOGIN PASSWORD '…'; \(grant);`."
        throw IngestError(error.code, error.message, advice: advice, cause: error.cause)
    }

    /// As SQL has it.
    private static func shown(_ role: String) -> String {
        let isPlain = role.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
        return isPlain && role.first?.isNumber == false ? role : "\"\(role.replacing("\"", with: "\"\""))\""
    }

    /// Where a function is missing, the catalogue itself is asked which side is too old.
    static func told(
        _ error: IngestError, _ place: String, asking connection: PQConnection
    ) async -> IngestError {
        guard isOlder(error) else { return told(error, place) }
        let about = await Result { () async throws(IngestError) in try await AboutCatalog.read(connection) }
        return told(error, place, older: (try? about.get())?.older)
    }

    /// What a catalogue says of itself is the same in each version: where it says nothing, no newer program helps.
    static func ofAbout(_ error: IngestError, _ place: String) -> IngestError {
        var told = Self.told(error, place)
        if isOlder(error) {
            told.advice =
                "The schema `catalog` there is another program's, or lost a part: restore the database, or name "
                + "another in `url`."
        }
        return told
    }

    static func told(_ error: IngestError, _ place: String, older: CatalogSide? = nil) -> IngestError {
        guard let refusal = error.cause as? PQRefusal else { return error }
        func said(_ code: IngestError.Code, _ words: String, _ advice: String?) -> IngestError {
            IngestError(code, "catalog: \(words)", advice: advice, cause: refusal)
        }
        let anew =
            "If this state directory was restored or copied, `filmgate catalog join --as-new` takes the identity for it."
        return switch refusal.state {
        case "FG001": said(.notFound, "this state directory has not joined \(place).", "Run `filmgate catalog join`.")
        case "FG002":
            said(.stateLocked, "\(refusal.words).", "\(anew) A process that ended keeps it for a minute at most.")
        case "FG003": said(.rejected, "\(refusal.words).", anew)
        case "FG004": said(.unauthorized, "\(refusal.words).", "Ask whoever keeps the catalogue.")
        case "FG005": said(.misconfigured, "\(refusal.words).", "Choose another name: `station:` below `catalog:`.")
        case "FG006":
            said(
                .unauthorized, "\(refusal.words).",
                "Use that role, or `filmgate catalog join --as-new` with another state directory.")
        case "FG007": said(.cancelled, "\(refusal.words).", nil)
        case "3F000", "42P01":
            said(
                .misconfigured, "there is no catalogue at \(place).",
                "Run `filmgate catalog migrate` with a role that may make it.")
        case lacksFunction: said(.misconfigured, Self.words(older, at: place), Self.advice(older))
        case "42501":
            said(
                .unauthorized, "the role may not use the catalogue at \(place): \(refusal.words).",
                "Whoever keeps the database runs `GRANT filmgate_station TO` the role.")
        default: error
        }
    }

    private static func words(_ older: CatalogSide?, at place: String) -> String {
        switch older {
        case .catalogue: "this filmgate is newer than the catalogue at \(place)."
        case .program: "this filmgate is older than the catalogue at \(place)."
        case nil: "the catalogue at \(place) lacks a function that this filmgate calls."
        }
    }

    private static func advice(_ older: CatalogSide?) -> String {
        switch older {
        case .catalogue: "Run `filmgate catalog migrate`."
        case .program: "Update this program."
        case nil: "`filmgate catalog check` says what is wrong with it."
        }
    }
}

/// Digests and identities as bytes and as text.
enum Digits {
    /// Nil for an odd number of digits, or others.
    static func bytes(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = [], high: UInt8?
        bytes.reserveCapacity(text.utf8.count / 2)
        for byte in text.utf8 {
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x61...0x66: digit = byte - 0x57
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil ? bytes : nil
    }

    static func sha256(_ text: String) -> [UInt8] { RunningHash.digest(of: Array(text.utf8), .sha256) }

    static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
