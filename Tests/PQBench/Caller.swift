import CLinux
import FilmgateCore
import Glibc
import PQKit

/// Makes the calls that the program makes, through PQKit.
///
/// Tests/Scenarios/Stations/caller.c makes them by libpq alone, of the same facts out of the same numbers. It prints the
/// seconds of processor time that the calls took, and how many rows were answered.
@main struct Caller {
    static func main() async {
        do { try await call() } catch {
            end("PQBench: \(error)", 1)
        }
    }

    private static func call() async throws {
        let words = CommandLine.arguments
        guard words.count == 9, let kind = Kind(rawValue: words[1]), let token = Int64(words[6]),
            let calls = Int(words[7]), let first = Int64(words[8])
        else {
            end("usage: PQBench report|claim|look-up HOST PORT ROLE DATABASE TOKEN CALLS FIRST", 2)
        }
        let address = "postgresql://\(words[4])@/\(words[5])?host=\(words[2]):\(words[3])"
        let options = PQOptions(try PQAddress(node: ConfigNode(.scalar(address, quoted: true))))
        let connection = PQConnection(options)
        _ = try await connection.server()
        // As the program does at its start.
        fg_memory_keep_steady()
        let batches = (0..<calls).map { Batch(kind, token: token, number: Int64($0), first: first) }
        var rows = 0
        let before = processor()
        for batch in batches { rows += try await answers(to: batch, kind, connection) }
        // What was made beforehand is not given back in this time, as in caller.c.
        let taken = withExtendedLifetime(batches) { processor() - before }
        print("\(taken) \(rows)")
        await connection.close()
    }

    private static func answers(to batch: Batch, _ kind: Kind, _ connection: PQConnection) async throws -> Int {
        let time = Duration.seconds(60)
        switch kind {
        case .report:
            return try await connection.rows(kind.sql, batch.values, within: time) { row throws(IngestError) in
                try row.intOrNil(0)
            }.count
        case .claim:
            return try await connection.rows(kind.sql, batch.values, within: time) { row throws(IngestError) in
                Verdict(
                    verdict: try row.textOrNil(0), holder: try row.textOrNil(1), receipt: try row.textOrNil(2),
                    isOwn: try row.bool(3), at: try row.timeOrNil(4))
            }.count
        case .lookUp:
            return try await connection.rows(kind.sql, batch.values, within: time) { row throws(IngestError) in
                Copy(
                    sha256: try row.bytes(0), station: try row.text(1), state: try row.text(2), place: try row.text(3),
                    detail: try row.textOrNil(4), proof: try row.textOrNil(5), size: try row.intOrNil(6),
                    at: try row.time(7), target: try row.textOrNil(8), beside: try row.bytes(9))
            }.count
        }
    }

    private static func end(_ words: String, _ code: Int32) -> Never {
        let line = words + "\n"
        write(STDERR_FILENO, line, line.utf8.count)
        exit(code)
    }

    /// Seconds of all threads of this process.
    private static func processor() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}

/// What is called, and by which statement.
enum Kind: String {
    case report, claim
    case lookUp = "look-up"

    var sql: String {
        switch self {
        case .report: "SELECT catalog.report_v1(\((1...23).map { "$\($0)" }.joined(separator: ", ")))"
        case .claim: "SELECT verdict, holder, receipt, own, at FROM catalog.claim_v3($1, $2, $3, $4, $5, $6)"
        case .lookUp:
            "SELECT sha, station, state, place, detail, proof, size, at, shared, beside FROM catalog.copies_v1($1)"
        }
    }
}

/// One row of each answer.
struct Verdict {
    let verdict: String?, holder: String?, receipt: String?, isOwn: Bool, at: Int64?
}
struct Copy {
    var sha256: [UInt8], station: String, state: String, place: String, detail: String?, proof: String?, size: Int64?
    var at: Int64, target: String?, beside: [UInt8]
}
