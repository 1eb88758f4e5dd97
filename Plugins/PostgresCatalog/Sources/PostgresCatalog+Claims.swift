public import FilmgateCore
import PQKit

extension PostgresCatalog {
    public func claim(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> [ClaimAnswer] {
        if wishes.isEmpty { return [] }
        let values: [PQValue] = [
            .int8(session), .bytes(wishes.map { Digits.bytes($0.content.sha256) }),
            .bytes(wishes.map { Digits.bytes($0.content.beside ?? "") }), .texts(wishes.map(\.target)),
            .texts(wishes.map(\.targetName)), .bools(wishes.map { !$0.canBeSettled }),
        ]
        let sql = "SELECT verdict, holder, receipt FROM catalog.claim_v1($1, $2, $3, $4, $5, $6)"
        let answers = try await ask(live, sql, values) { row throws(IngestError) in
            Self.answer(try row.textOrNil(0), by: try row.textOrNil(1) ?? "another station", try row.textOrNil(2))
        }
        guard answers.count == wishes.count else { throw noAnswer }
        return answers
    }

    /// A word that this program does not know is never read as free.
    private static func answer(_ verdict: String?, by holder: String, _ receipt: String?) -> ClaimAnswer {
        switch verdict {
        case "y": .granted
        case "t": .takenOver
        case "c": .held(by: holder)
        case "d": .done(by: holder, receipt: receipt)
        case "u": .unsure(by: holder)
        case "r": .removed(by: holder)
        default: .undecided
        }
    }

    public func release(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> Int {
        let values: [PQValue] = [
            .int8(session), .bytes(wishes.map { Digits.bytes($0.content.sha256) }),
            .bytes(wishes.map { Digits.bytes($0.content.beside ?? "") }), .texts(wishes.map(\.target)),
        ]
        return try await ask(live, "SELECT catalog.release_v1($1, $2, $3, $4)", values) { row throws(IngestError) in
            Int(try row.int(0))
        }
        .first ?? 0
    }
}
