import ClusterTesting
import FilmgateCore
import Synchronization
import Testing

@testable import PQKit

@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct FailureTests {
    private func connection(_ text: String, _ change: (inout PQOptions) -> Void = { _ in }) throws -> PQConnection {
        var options = try PQOptions(text)
        change(&options)
        return PQConnection(options)
    }
    private static func quoted(_ cluster: Cluster) -> String { cluster.socket.replacing("/", with: "%2F") }
    private func one(_ connection: PQConnection, _ sql: String, within: Duration? = nil) async throws -> Int64? {
        try await connection.rows(sql, within: within) { row throws(IngestError) in try row.int(0) }.first
    }

    @Test func aFrozenServerIsGivenUpInTime() async throws {
        let cluster = try await Cluster.made(), old = try connection(cluster.address())
        #expect(try await one(old, "SELECT 1") == 1)
        cluster.freeze(true)
        // The server stays frozen until it is let go below: only the limit can end these, however busy the machine is.
        let error = await expect(.unavailable) { try await one(old, "SELECT 2", within: .milliseconds(500)) }
        #expect(error?.message.contains("timed out") == true)
        let new = try connection(cluster.address()) { $0.connect = .milliseconds(400) }
        await expect(.unavailable) { try await one(new, "SELECT 3") }
        cluster.freeze(false)
        // The same object goes on by itself.
        #expect(try await one(old, "SELECT 4") == 4)
        #expect(try await one(new, "SELECT 5") == 5)
    }

    @Test func aKilledServerIsToldAndComesBack() async throws {
        let cluster = try await Cluster.made(), connection = try connection(cluster.address())
        #expect(try await one(connection, "SELECT 1") == 1)
        async let broken = expect(.unavailable) {
            try await one(connection, "SELECT 1 FROM pg_sleep(30)", within: .seconds(20))
        }
        try await Task.sleep(for: .milliseconds(300))
        try await Cluster.aside { cluster.kill() }
        #expect(await broken?.message.contains("timed out") == false)
        await expect(.unavailable) { try await one(connection, "SELECT 2") }
        try await Cluster.aside { try cluster.start() }
        #expect(try await one(connection, "SELECT 3") == 3)
    }

    @Test func aCancelledTaskStopsTheQuestionAtTheServerToo() async throws {
        let cluster = try await Cluster.made(), connection = try connection(cluster.address())
        let task = Task { try await one(connection, "SELECT 7 FROM pg_sleep(60)", within: .seconds(70)) }
        try await Task.sleep(for: .milliseconds(400))
        let began = ContinuousClock.now
        task.cancel()
        await expect(.cancelled) { try await task.value }
        // Well before the 60 seconds that the server would sleep.
        #expect(ContinuousClock.now - began < .seconds(30))
        var sleeping = "1"
        for _ in 0..<40 where sleeping != "0" {
            try await Task.sleep(for: .milliseconds(50))
            sleeping = try await Cluster.aside {
                try cluster.sql(
                    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT 7%' AND state = 'active'")
            }
        }
        #expect(sleeping == "0")
        #expect(try await one(connection, "SELECT 8") == 8)
    }

    /// Nothing else of the program stands still while servers do not answer: with twice as many of them as there are
    /// threads, and more.
    @Test func swiftsThreadsAreNotHeld() async throws {
        let cluster = try await SharedCluster.get(), ends = Ends()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 {
                let connection = try connection(cluster.address())
                group.addTask {
                    _ = try await one(connection, "SELECT 1 FROM pg_sleep(3)", within: .seconds(60))
                    ends.order.withLock { $0.append("answer") }
                }
            }
            group.addTask {
                for _ in 0..<5 { try await Task.sleep(for: .milliseconds(5)) }
                ends.order.withLock { $0.append("other work") }
            }
            try await group.waitForAll()
        }
        #expect(ends.order.withLock { $0.first } == "other work")
    }

    @Test func questionsWaitForTheirTurn() async throws {
        let connection = try await connection(SharedCluster.get().address())
        let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<40 { group.addTask { try await one(connection, "SELECT \(number)") ?? 0 } }
            return try await group.reduce(0, +)
        }
        #expect(sum == 780)
    }

    @Test func refusalsHaveTheHousesCodes() async throws {
        let connection = try await connection(SharedCluster.get().address())
        let table: [(String, IngestError.Code, String)] = [
            ("SELECT nothing()", .misconfigured, "42883"), ("SELECT * FROM absent", .misconfigured, "42P01"),
            ("SELECT 1/0", .rejected, "22012"), ("SELEC", .misconfigured, "42601"),
            ("SELECT 1 FROM pg_sleep(0) WHERE 1 = 'x'", .rejected, "22P02"),
        ]
        for (sql, code, state) in table {
            let error = await expect(code) { try await one(connection, sql) }
            #expect((error?.cause as? PQRefusal)?.state == state)
        }
        // The connection is the same one afterwards.
        let backend = try await one(connection, "SELECT pg_backend_pid()")
        await expect(.rejected) { try await one(connection, "SELECT 1/0") }
        #expect(try await one(connection, "SELECT pg_backend_pid()") == backend)
    }

    @Test func absentDatabasesAndRolesAreNamed() async throws {
        let cluster = try await SharedCluster.get()
        let database = try connection(cluster.address(database: "absent"))
        #expect(await expect(.misconfigured) { try await database.server() }?.message.contains("absent") == true)
        let role = try connection(cluster.address("nobody"))
        await expect(.unauthorized) { try await role.server() }
        let nowhere = try connection("postgresql://a@127.0.0.1:\(Cluster.freePort())/b")
        await expect(.unavailable) { try await nowhere.server() }
    }

    @Test func deadlocksAreTriedAgainAtOnce() async throws {
        let cluster = try await SharedCluster.get()
        try cluster.sql("CREATE TABLE pair (id int PRIMARY KEY, n int); INSERT INTO pair VALUES (1, 0), (2, 0)")
        try cluster.sql(
            "CREATE FUNCTION add_both(a int, b int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE pair SET n = n + 1 WHERE id = a; PERFORM pg_sleep(0.05); UPDATE pair SET n = n + 1 WHERE id = b; RETURN 1; END $$"
        )
        try cluster.sql("ALTER DATABASE postgres SET deadlock_timeout = '20ms'")
        let first = try connection(cluster.address()), second = try connection(cluster.address())
        async let one = { for _ in 0..<10 { _ = try await self.one(first, "SELECT add_both(1, 2)") } }()
        async let two = { for _ in 0..<10 { _ = try await self.one(second, "SELECT add_both(2, 1)") } }()
        _ = try await (one, two)
        #expect(try cluster.sql("SELECT string_agg(n::text, ' ') FROM pair") == "20 20")
    }

    @Test(arguments: [false, true]) func hostileAmountsAreNotRead(_ overSocket: Bool) async throws {
        let connection = try await connection(SharedCluster.get().address(overSocket: overSocket))
        await expect(.protocolViolation) { try await one(connection, "SELECT generate_series(1, 1000000)") }
        await expect(.protocolViolation) {
            try await connection.rows("SELECT repeat('x', 100000000)", within: .seconds(20)) {
                row throws(IngestError) in try row.text(0)
            }
        }
        #expect(try await one(connection, "SELECT 1") == 1)
    }

    /// Much of it stands in the queue while the reader has no time; it is counted once.
    @Test(arguments: [false, true]) func aLargeAnswerIsRead(_ overSocket: Bool) async throws {
        let connection = try await connection(SharedCluster.get().address(overSocket: overSocket))
        let sql = "SELECT n, repeat('x', 1500) FROM generate_series(1, 9000) n"
        let rows = try await connection.rows(sql, within: .seconds(60)) { row throws(IngestError) in try row.int(0) }
        #expect(rows == Array(1...9000))
    }

    @Test func noticesAreBounded() async throws {
        let connection = try await connection(SharedCluster.get().address())
        try await connection.run(
            "DO $$ BEGIN FOR i IN 1..500 LOOP RAISE NOTICE '% %', i, repeat('x', 5000); END LOOP; END $$")
        let notices = await connection.notices
        #expect(notices.count == 20)
        #expect(notices.allSatisfy { $0.utf8.count <= 300 })
        #expect(notices.last?.hasPrefix("NOTICE: 500") == true)
    }

    @Test func severalStatementsAreOneTransaction() async throws {
        let cluster = try await SharedCluster.get(), connection = try connection(cluster.address())
        await expect(.rejected) {
            try await connection.run("CREATE TABLE half (a int); INSERT INTO half VALUES (1); SELECT 1/0")
        }
        #expect(try cluster.sql("SELECT to_regclass('half') IS NULL") == "t")
        try await connection.run("CREATE TABLE half (a int); INSERT INTO half VALUES (1)")
        #expect(try await one(connection, "SELECT count(*) FROM half") == 1)
    }

    /// The old primary still takes writes, and stands first in the address.
    @Test func anOldPrimaryIsNotUsed() async throws {
        let first = try await Cluster.made(settings: ["wal_level": "replica", "max_wal_senders": "4"])
        let second = try await Cluster.made(standbyOf: first)
        let both =
            "postgresql://postgres@\(Self.quoted(first)):\(first.port),"
            + "\(Self.quoted(second)):\(second.port)/postgres"
        let before = try connection(both)
        #expect(try await before.server().host == first.socket)
        #expect(try await before.server().history?.timeline == 1)
        try await Cluster.aside { _ = try Cluster.server("pg_ctl", ["-D", second.data, "-w", "promote"]) }
        await before.close()
        let after = try connection(both) { $0.fence = PQFence(ServerHistory(timeline: 2)) }
        #expect(try await after.server().host == second.socket)
        #expect(try await after.server().history?.timeline == 2)
        let alone = try connection(first.address()) { $0.fence = PQFence(ServerHistory(timeline: 2)) }
        let error = await expect(.unavailable) { try await alone.server() }
        #expect(error?.message.contains("is an old primary (timeline 1, we have seen 2): not used") == true)
        // What has met the newer one does not go back, either.
        try await Cluster.aside { second.stop(.fast) }
        await expect(.unavailable) { try await one(after, "SELECT 1") }
    }

    /// A history is that of one cluster: a server that was made anew, as for a dump, has one of its own.
    @Test func anotherClusterIsNoOldPrimary() async throws {
        let address = try await SharedCluster.get().address(), known = try connection(address)
        let history = try #require(try await known.server().history), cluster = try #require(history.cluster)
        func isRefused(_ newest: ServerHistory) async throws -> Bool {
            let other = try connection(address) { $0.fence = PQFence(newest) }
            do { return try await other.server().history != history } catch {
                #expect(error.message.contains("is an old primary (timeline \(history.timeline), we have seen"))
                return true
            }
        }
        let later = history.timeline + 8
        #expect(try await isRefused(ServerHistory(cluster: cluster, timeline: later)))
        #expect(try await isRefused(ServerHistory(timeline: later)))
        #expect(try await !isRefused(ServerHistory(cluster: cluster &+ 1, timeline: later)))
        #expect(try await !isRefused(history))
    }

    /// Connections that share what they have met do not go back behind one another.
    @Test func aServerThatOneHasLeftIsNotTheOthers() async throws {
        let address = try await SharedCluster.get().address(), fence = PQFence()
        let one = try connection(address) { $0.fence = fence }, two = try connection(address) { $0.fence = fence }
        let history = try #require(try await one.server().history)
        try fence.admit(ServerHistory(cluster: history.cluster, timeline: history.timeline + 1), at: "db2")
        await expect(.unavailable) { try await two.server() }
    }

    /// It answers still, and was looked at when the connection was made.
    @Test func aConnectionToAnOldPrimaryIsLetGo() async throws {
        let fence = PQFence(), connection = try await connection(SharedCluster.get().address()) { $0.fence = fence }
        let history = try #require(try await connection.server().history)
        await connection.leaveOldPrimary()
        #expect(try await one(connection, "SELECT 1") == 1)
        try fence.admit(ServerHistory(cluster: history.cluster, timeline: history.timeline + 1), at: "db2")
        await connection.leaveOldPrimary()
        let error = await expect(.unavailable) { try await one(connection, "SELECT 2") }
        #expect(error?.message.contains("is an old primary") == true)
    }

    /// As a machine that is frozen: however long it may take to connect, the other host is asked in the same time.
    @Test func aSilentHostTakesNoTimeOfTheOthers() async throws {
        let cluster = try await SharedCluster.get(), silent = try SilentServer()
        let both =
            "postgresql://postgres@127.0.0.1:\(silent.port),\(Self.quoted(cluster)):\(cluster.port)/postgres"
        var answer: Int64?
        // A slow machine is given more and more time; each is a process that begins with the first host.
        for seconds in [1, 2, 4, 8, 16, 32, 64] where answer == nil {
            let connection = try connection(both) { $0.connect = .seconds(3600) }
            answer = try? await one(connection, "SELECT 1", within: .seconds(seconds))
        }
        #expect(answer == 1)
        withExtendedLifetime(silent) {}
    }

    @Test func aStandbyIsPassedOver() async throws {
        let first = try await Cluster.made(settings: ["wal_level": "replica", "max_wal_senders": "4"])
        let second = try await Cluster.made(standbyOf: first)
        let both =
            "postgresql://postgres@\(Self.quoted(second)):\(second.port),"
            + "\(Self.quoted(first)):\(first.port)/postgres"
        #expect(try await connection(both).server().host == first.socket)
        let alone = try connection(second.address())
        await expect(.unavailable) { try await alone.server() }
    }
}

private final class Ends: Sendable {
    let order = Mutex<[String]>([])
}
