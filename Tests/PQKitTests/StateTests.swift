import ClusterTesting
import FilmgateCore
import Testing

@testable import PQKit

/// What a real server's states become: it has no room, goes away, or takes no changes.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct StateTests {
    private func connection(_ text: String) throws -> PQConnection { PQConnection(try PQOptions(text)) }
    private func one(_ connection: PQConnection, _ sql: String) async throws -> Int64? {
        try await connection.rows(sql, within: .seconds(20)) { row throws(IngestError) in try row.int(0) }.first
    }

    /// Asks until it is answered, for what takes the server a moment.
    private func answered(_ connection: PQConnection, _ sql: String) async throws -> Int64? {
        for _ in 0..<100 {
            if let answer = try? await one(connection, sql) { return answer }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await one(connection, sql)
    }

    @Test func aFullServerIsAskedLater() async throws {
        let cluster = try await Cluster.made(settings: ["max_connections": "5"])
        try await Cluster.aside { try cluster.sql("CREATE ROLE desk LOGIN") }
        // Three are kept for the server's owner.
        let first = try connection(cluster.address("desk")), second = try connection(cluster.address("desk"))
        #expect(try await one(first, "SELECT 1") == 1)
        #expect(try await one(second, "SELECT 2") == 2)
        let third = try connection(cluster.address("desk"))
        let error = await expect(.unavailable) { try await one(third, "SELECT 3") }
        #expect((error?.cause as? PQRefusal)?.state == "53300")
        #expect(error?.retryAfter == .seconds(10))
        // Those that are there go on, and the room that one leaves is taken.
        #expect(try await one(first, "SELECT 4") == 4)
        await second.close()
        #expect(try await answered(third, "SELECT 5") == 5)
    }

    @Test func aRoleWithoutRoomIsAskedLater() async throws {
        let cluster = try await SharedCluster.get()
        try await Cluster.aside { try cluster.sql("CREATE ROLE narrow LOGIN CONNECTION LIMIT 1") }
        let first = try connection(cluster.address("narrow")), second = try connection(cluster.address("narrow"))
        #expect(try await one(first, "SELECT 1") == 1)
        let error = await expect(.unavailable) { try await one(second, "SELECT 2") }
        #expect((error?.cause as? PQRefusal)?.state == "53300")
        await first.close()
        #expect(try await answered(second, "SELECT 3") == 3)
    }

    /// Whoever keeps the database ends the connection under a question.
    @Test func aConnectionThatIsEndedIsMadeAgain() async throws {
        let cluster = try await SharedCluster.get(), connection = try connection(cluster.address())
        let backend = try #require(try await one(connection, "SELECT pg_backend_pid()"))
        async let broken = expect(.unavailable) { try await one(connection, "SELECT 1 FROM pg_sleep(30)") }
        try await Task.sleep(for: .milliseconds(300))
        try await Cluster.aside { try cluster.sql("SELECT pg_terminate_backend(\(backend))") }
        let error = await broken
        #expect(error?.message.contains("timed out") == false)
        // Where the server's last word came before the end of the connection, it is the cause.
        if let refusal = error?.cause as? PQRefusal { #expect(refusal.state == "57P01") }
        let next = try await one(connection, "SELECT pg_backend_pid()")
        #expect(next != nil && next != backend)
    }

    /// It waits for those that are there, and takes nobody else.
    @Test func aServerThatIsShuttingDownIsPassedOver() async throws {
        let cluster = try await Cluster.made(), first = try connection(cluster.address())
        #expect(try await one(first, "SELECT 1") == 1)
        try await Cluster.aside {
            _ = try Cluster.server("pg_ctl", ["-D", cluster.data, "-m", "smart", "-W", "stop"])
        }
        try await Task.sleep(for: .milliseconds(500))
        let second = try connection(cluster.address())
        let error = await expect(.unavailable) { try await one(second, "SELECT 2") }
        #expect((error?.cause as? PQRefusal)?.state == "57P03")
        #expect(try await one(first, "SELECT 3") == 3)
        await first.close()
    }

    /// As a primary that was made a standby, it takes no changes any more.
    @Test func aServerThatTakesNoChangesIsLeft() async throws {
        let cluster = try await Cluster.made(), connection = try connection(cluster.address())
        try await connection.run("CREATE TABLE changes (n int)")
        let change = "INSERT INTO changes VALUES (1) RETURNING n"
        #expect(try await one(connection, change) == 1)
        try await set(readOnly: true, cluster)
        var refused: IngestError?
        for _ in 0..<100 where refused == nil {
            do { _ = try await one(connection, change) } catch let error as IngestError { refused = error }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(refused?.code == .unavailable)
        #expect((refused?.cause as? PQRefusal)?.state == "25006")
        #expect(refused?.advice?.contains("standby") == true)
        // The connection is not kept, and no other is made there.
        await expect(.unavailable) { try await connection.server() }
        try await set(readOnly: false, cluster)
        #expect(try await answered(connection, change) == 1)
    }

    private func set(readOnly: Bool, _ cluster: Cluster) async throws {
        try await Cluster.aside {
            try cluster.sql("ALTER SYSTEM SET default_transaction_read_only = \(readOnly ? "on" : "off")")
            try cluster.sql("SELECT pg_reload_conf()")
        }
    }
}
