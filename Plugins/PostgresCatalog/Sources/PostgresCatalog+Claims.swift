public import FilmgateCore
import PQKit

extension PostgresCatalog {
    public func claim(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> [ClaimAnswer] {
        if wishes.isEmpty { return [] }
        for isTimed in [true, false] {
            do throws(IngestError) { return try await answers(to: wishes, session, isTimed: isTimed) } catch {
                guard CatalogRefusal.isOlder(error) else { throw error }
            }
        }
        return try await earlierAnswers(to: wishes, session)
    }

    /// `isTimed`: tables of before do not say when something was claimed.
    private func answers(
        to wishes: [ClaimWish], _ session: Int64, isTimed: Bool
    ) async throws(IngestError) -> [ClaimAnswer] {
        let values =
            Self.keys(wishes, session) + [.texts(wishes.map(\.targetName)), .int2s(wishes.map(CatalogLetters.rights))]
        let (columns, function) = isTimed ? ("own, at", "claim_v3") : ("own", "claim_v2")
        let sql = "SELECT verdict, holder, receipt, \(columns) FROM catalog.\(function)($1, $2, $3, $4, $5, $6)"
        let answers = try await ask(live, sql, values, hasEarlier: true) { row throws(IngestError) in
            CatalogLetters.answer(
                try row.textOrNil(0), by: try row.textOrNil(1) ?? Self.somebody, try row.textOrNil(2),
                isOwn: try row.bool(3), at: isTimed ? try row.timeOrNil(4) : nil)
        }
        guard answers.count == wishes.count else { throw noAnswer }
        return answers
    }

    /// By tables of before, which know of no orders of a person and tell a holder by its name alone.
    ///
    /// What they leave in doubt, and this station itself or a person answers for, is sent without a claim.
    private func earlierAnswers(to wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> [ClaimAnswer] {
        let values =
            Self.keys(wishes, session) + [.texts(wishes.map(\.targetName)), .bools(wishes.map { !$0.canBeSettled })]
        let sql = "SELECT verdict, holder, receipt FROM catalog.claim_v1($1, $2, $3, $4, $5, $6)"
        let rows = try await ask(live, sql, values) { row throws(IngestError) in
            (try row.textOrNil(0), try row.textOrNil(1), try row.textOrNil(2))
        }
        guard rows.count == wishes.count else { throw noAnswer }
        let name = ownName.current
        return zip(wishes, rows).map { wish, row in
            let isOwn = row.1 != nil && row.1 == name
            switch row.0 {
            case "u" where isOwn && wish.isKnown, "d" where wish.insists: return .granted
            case "u" where wish.anyway: return .takenOver
            default: return CatalogLetters.answer(row.0, by: row.1 ?? Self.somebody, row.2, isOwn: isOwn)
            }
        }
    }

    private static let somebody = "another station"

    private static func keys(_ wishes: [ClaimWish], _ session: Int64) -> [PQValue] {
        [
            .int8(session), .bytes(wishes.map { Digits.bytes($0.content.sha256) }),
            .bytes(wishes.map { Digits.bytes($0.content.beside ?? "") }), .texts(wishes.map(\.target)),
        ]
    }

    public func release(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> Int {
        let keys = Self.keys(wishes, session), tried = PQValue.bools(wishes.map(\.mayHaveArrived))
        do throws(IngestError) {
            return try await released("SELECT catalog.release_v2($1, $2, $3, $4, $5)", keys + [tried], hasEarlier: true)
        } catch {
            guard CatalogRefusal.isOlder(error) else { throw error }
            return try await released("SELECT catalog.release_v1($1, $2, $3, $4)", keys, hasEarlier: false)
        }
    }

    private func released(_ sql: String, _ values: [PQValue], hasEarlier: Bool) async throws(IngestError) -> Int {
        try await ask(live, sql, values, hasEarlier: hasEarlier) { row throws(IngestError) in Int(try row.int(0)) }
            .first ?? 0
    }
}
