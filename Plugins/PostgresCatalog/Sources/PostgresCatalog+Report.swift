public import FilmgateCore
import PQKit

extension PostgresCatalog {
    public func tell(_ report: StationReport, _ session: Int64) async throws(IngestError) -> Int64? {
        let marks = (1...23).map { "$\($0)" }.joined(separator: ", ")
        let values: [PQValue] = [.int8(session), .int8(report.since), .int8(report.upTo)] + report.values
        let known = try await ask(reports, "SELECT catalog.report_v1(\(marks))", values) { row throws(IngestError) in
            try row.naturalOrNil(0)
        }
        guard let answer = known.first else { throw noAnswer }
        return answer
    }
}

extension PostgresCatalog {
    public func copies(of sha256: [String]) async throws(IngestError) -> [CatalogCopy] {
        let columns = "sha, station, state, place, detail, proof, size, at, shared, beside"
        let sql = "SELECT \(columns) FROM catalog.copies_v1($1)"
        return try await ask(live, sql, [.bytes(sha256.compactMap(Digits.bytes))]) { row throws(IngestError) in
            let state = try row.text(2)
            var copy = CatalogCopy(
                sha256: Digits.text(try row.bytes(0)), station: try row.text(1), state: CatalogLetters.state(state),
                place: try row.text(3), at: try row.time(7))
            let detail = try row.textOrNil(4)
            copy.detail = state == "s" ? CatalogLetters.ending(detail)?.rawValue : detail
            copy.proof = try row.textOrNil(5).flatMap(CatalogLetters.proof)?.rawValue
            copy.size = try row.intOrNil(6).flatMap { UInt64(exactly: $0) }
            copy.target = try row.textOrNil(8)
            let beside = try row.bytes(9)
            copy.beside = beside.isEmpty ? nil : Digits.text(beside)
            return copy
        }
    }
}
