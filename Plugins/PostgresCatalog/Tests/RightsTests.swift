import ClusterTesting
import FilmgateCore
import Testing

@testable import PostgresCatalog

/// A station's role can call the functions that are meant for it, and do nothing else.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct RightsTests {
    @Test func tablesAreMadeOnce() async throws {
        let catalog = try await TestCatalog.made(migrated: false), admin = try catalog.as("postgres")
        let plan = try await admin.migration()
        #expect(plan.first == "SET LOCAL lock_timeout = '2s'")
        #expect(try await catalog.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'catalog'") == "0")
        #expect(try await admin.condition().schema == nil)
        #expect(try await admin.migrate().count == 1)
        #expect(try await admin.migrate() == [])
        #expect(try await admin.migration() == [])
        #expect(try await admin.condition().schema == CatalogSchema.newest)
        #expect(try await admin.condition().common == 1)
    }

    @Test func severalWhoMigrateAtOnceDoItOnce() async throws {
        let catalog = try await TestCatalog.made(migrated: false)
        let done = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 {
                let admin = try catalog.as("postgres")
                group.addTask { try await admin.migrate().count }
            }
            return try await group.reduce(0, +)
        }
        #expect(done == 1)
        #expect(try await catalog.sql("SELECT count(*) FROM catalog.meta") == "1")
    }

    @Test func aRoleThatMayNotMigrateLeavesNothing() async throws {
        let catalog = try await TestCatalog.made(migrated: false)
        try await catalog.sql(
            "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'plain') THEN CREATE ROLE plain LOGIN; END IF; END $$"
        )
        let error = await expect(.unauthorized) { try await catalog.as("plain").migrate() }
        #expect(error?.message.hasPrefix("catalog: the role plain may not make or change the tables") == true)
        #expect(error?.advice?.contains("a role that may make roles") == true)
        #expect(try await catalog.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'catalog'") == "0")
    }

    @Test func aNewerCatalogueIsLeftAlone() async throws {
        let catalog = try await TestCatalog.made()
        try await catalog.sql("UPDATE catalog.meta SET schema = \(CatalogSchema.newest + 1), speaks = '{5,6}'")
        let error = await expect(.misconfigured) { try await catalog.as("postgres").migrate() }
        #expect(error?.advice == "Update this program.")
        #expect(try await catalog.as("desk1").condition().common == nil)
    }

    @Test func everyTableIsClosed() async throws {
        let catalog = try await TestCatalog.made()
        let tables = try await catalog.sql(
            "SELECT relname FROM pg_class WHERE relnamespace = 'catalog'::regnamespace AND relkind = 'r'"
        )
        .split(separator: "\n")
        #expect(tables.count == 7)
        for table in tables {
            for statement in ["SELECT * FROM", "DELETE FROM", "TRUNCATE", "LOCK TABLE"] {
                await #expect(throws: (any Error).self) {
                    try await catalog.sql("\(statement) catalog.\(table)", role: "desk1")
                }
            }
        }
        for statement in [
            "CREATE TABLE catalog.x (a int)", "DROP FUNCTION catalog.about_v1()", "SET ROLE filmgate_owner",
            "CREATE SCHEMA y", "ALTER ROLE desk2 PASSWORD 'x'", "SELECT catalog.me(1)", "SELECT catalog.is_living(1)",
            "SELECT catalog.refuse_more(1, 2)",
            "SELECT catalog.refuse_shut_out(false)",
            "SELECT catalog.number_targets('{a}', '{b}', '{1}', '{f}')", "SELECT catalog.give_free('desk-1')",
        ] {
            await #expect(throws: (any Error).self) { try await catalog.sql(statement, role: "desk1") }
        }
        #expect(try await catalog.as("desk1").condition().excess == [])
        #expect(try await catalog.as("postgres").condition().excess.contains("superuser"))
    }

    /// How much room they take is no secret, and nothing of what is in them.
    @Test func everyStationMayAskHowLargeTheyAre() async throws {
        let catalog = try await TestCatalog.made(), desk = try await catalog.station(1)
        _ = try await desk.catalog.tell(TestStation.report(0..<50, since: 0, upTo: 1), desk.token)
        try await catalog.sql("ANALYZE catalog.content")
        let sizes = try await desk.catalog.sizes(), content = try #require(sizes.first { $0.table == "content" })
        #expect(sizes.count == 7 && content.rows == 50 && content.bytes >= 16_384)
        #expect(sizes.map(\.bytes) == sizes.map(\.bytes).sorted(by: >))
        #expect(try await TestCatalog.made(migrated: false).as("postgres").sizes() == [])
    }

    /// What a later migration adds is open to nobody unless it says so.
    @Test func everyFunctionSaysWhoMayUseIt() async throws {
        let catalog = try await TestCatalog.made()
        try await catalog.sql("CREATE ROLE stranger_\(catalog.database) LOGIN")
        let open = try await catalog.sql(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'catalog'::regnamespace AND has_function_privilege('stranger_\(catalog.database)', oid, 'EXECUTE')"
        )
        #expect(open == "")
        let mine = try await catalog.sql(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'catalog'::regnamespace AND has_function_privilege('desk1', oid, 'EXECUTE') ORDER BY 1"
        )
        #expect(
            mine.split(separator: "\n") == [
                "about_v1", "card_v1", "claim_v1", "claim_v2", "claim_v3", "copies_v1", "hello_v1", "join_v1",
                "join_v2",
                "leave_v1",
                "release_v1", "release_v2",
                "renew_v1", "report_v1", "standing_v1", "stations_v1",
            ])
        let unsafe = try await catalog.sql(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'catalog'::regnamespace AND prosecdef AND NOT 'search_path=catalog, pg_temp' = ANY (proconfig)"
        )
        #expect(unsafe == "")
        let error = await expect(.unauthorized) { try await catalog.as("stranger_\(catalog.database)").stations() }
        #expect(error?.advice?.contains("GRANT filmgate_station") == true)
    }

    /// In words that whoever keeps the database can run.
    @Test func whoMayNotJoinSaysWhatIsToBeRun() async throws {
        let catalog = try await TestCatalog.made(),
            identity = StationIdentity(uuid: String(repeating: "9", count: 32), name: "x")
        let stranger = "stranger_\(catalog.database)"
        try await catalog.sql("CREATE ROLE \(stranger) LOGIN; CREATE ROLE \"Desk \(catalog.database)\" LOGIN")
        for (role, shown) in [(stranger, stranger), ("Desk%20\(catalog.database)", "\"Desk \(catalog.database)\"")] {
            let error = await expect(.unauthorized) { try await catalog.as(role).join(identity) }
            #expect(
                error?.advice == "Whoever keeps the database runs `GRANT filmgate_station TO \(shown);`.", "\(role)")
        }
        let missing = await expect(.unauthorized) { try await catalog.as("nobody_there").join(identity) }
        #expect(
            missing?.advice?.hasSuffix(
                "`CREATE ROLE nobody_there LOGIN PASSWORD '…'; GRANT filmgate_station TO nobody_there;`.") == true)
        try await catalog.sql("GRANT filmgate_station TO \(stranger)")
        #expect(try await catalog.as(stranger).join(identity).epoch == 1)
    }

    /// Names of a station's own do not come in between.
    @Test func aTemporaryTableFoolsNoFunction() async throws {
        let catalog = try await TestCatalog.made(), desk = try await catalog.station(1)
        _ = try await desk.catalog.tell(TestStation.report(0..<1, since: 0, upTo: 1), desk.token)
        let text = try await catalog.sql(
            "CREATE TEMP TABLE session (station int, token bigint, until timestamptz); INSERT INTO session VALUES (1, 42, 'infinity'); "
                + "CREATE TEMP TABLE station (id int, role name, revoked timestamptz); INSERT INTO station VALUES (1, 'desk2', NULL); "
                + "SELECT catalog.leave_v1(42)", role: "desk2")
        #expect(text == "")
    }

    @Test func anotherStationsTokenIsOfNoUse() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2)
        #expect(try await two.catalog.renew(one.token, status: nil) == nil)
        #expect(try await two.catalog.tell(TestStation.report(0..<1, since: 0, upTo: 1), one.token) == nil)
        await expect(.cancelled) { try await two.catalog.claim([TestStation.wish(1)], one.token) }
        #expect(try await two.catalog.release([TestStation.wish(1)], one.token) == 0)
        await expect(.cancelled) { try await two.catalog.card(TestStation.volume, [TestStation.file(1)], one.token) }
        await expect(.notFound) { try await two.catalog.open(one.membership, last: nil) }
        await expect(.unauthorized) {
            try await two.catalog.join(StationIdentity(uuid: one.membership.uuid, name: "mine"))
        }
        #expect(try await one.catalog.renew(one.token, status: nil) != nil)
    }

    @Test func anEmptyDatabaseSaysWhatToDo() async throws {
        let catalog = try await TestCatalog.made(migrated: false)
        let error = await expect(.misconfigured) { try await catalog.as("postgres").stations() }
        #expect(error?.advice?.contains("filmgate catalog migrate") == true)
    }

    @Test func anOlderCatalogueSaysWhatToDo() async throws {
        let catalog = try await TestCatalog.made(), desk = try await catalog.station(1)
        try await catalog.sql("DROP FUNCTION catalog.renew_v1")
        let error = await expect(.misconfigured) { try await desk.catalog.renew(desk.token, status: nil) }
        #expect(error?.message.contains("this filmgate is newer than the catalogue") == true)
        #expect(error?.advice == "Run `filmgate catalog migrate`.")
    }

    /// A later release takes the functions of two releases ago away: whoever still calls them is the one to update.
    @Test(arguments: ["schema = 99, speaks = '{5,6}'", "schema = 99"])
    func aNewerCatalogueSaysThatTheProgramIsTooOld(_ change: String) async throws {
        let catalog = try await TestCatalog.made(), desk = try await catalog.station(1)
        try await catalog.sql(
            "UPDATE catalog.meta SET \(change); DROP FUNCTION catalog.hello_v1; DROP FUNCTION catalog.claim_v1; "
                + "DROP FUNCTION catalog.claim_v2; DROP FUNCTION catalog.claim_v3; DROP FUNCTION catalog.report_v1")
        let errors = [
            await expect(.misconfigured) { try await desk.catalog.open(desk.membership, last: desk.token) },
            await expect(.misconfigured) { try await desk.claim(1) },
            await expect(.misconfigured) {
                try await desk.catalog.tell(TestStation.report(0..<1, since: 0, upTo: 1), desk.token)
            },
        ]
        for error in errors {
            #expect(error?.message.hasPrefix("catalog: this filmgate is older than the catalogue at ") == true)
            #expect(error?.advice == "Update this program.")
        }
    }

    @Test func aCatalogueThatSaysNothingOfItselfIsBlamedForNothing() async throws {
        let catalog = try await TestCatalog.made(), desk = try await catalog.station(1)
        try await catalog.sql("DROP FUNCTION catalog.renew_v1; DROP FUNCTION catalog.about_v1")
        let error = await expect(.misconfigured) { try await desk.catalog.renew(desk.token, status: nil) }
        #expect(error?.message.hasSuffix("lacks a function that this filmgate calls.") == true)
        // Whoever checks it already is not told to.
        let checked = await expect(.misconfigured) { try await desk.catalog.condition() }
        #expect(checked?.advice?.contains("restore the database") == true)
    }

    /// What only whoever keeps the catalogue may do to a station.
    @Test func aStationIsShutOutOrItsClaimsGivenFree() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1), two = try await test.station(2)
        let owner = try test.as("postgres")
        #expect(try await one.claim(1, settles: false) == .granted)
        await expect(.stateLocked) { try await owner.release(claimsOf: "desk-1") }
        await expect(.unauthorized) { try await two.catalog.release(claimsOf: "desk-1") }
        let refused = await expect(.unauthorized) { try await two.catalog.revoke("desk-1") }
        #expect(refused?.advice?.contains("Only the role that the tables belong to") == true)
        #expect(try await owner.release(claimsOf: "nobody") == nil)
        #expect(try await owner.revoke("nobody") == false)
        #expect(try await owner.revoke("desk-1"))
        await expect(.cancelled) { try await one.claim([TestStation.wish(2)]) }
        await expect(.unauthorized) { try await one.catalog.open(one.membership, last: one.token) }
        #expect(try await two.claim(1, settles: false) == .unsure(by: "desk-1"))
        #expect(try await owner.release(claimsOf: "desk-1") == 1)
        #expect(try await two.claim(1, settles: false) == .granted)
    }
}
