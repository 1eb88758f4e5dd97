import ClusterTesting
import FilmgateCore
import Testing

@testable import PostgresCatalog

/// Stations that come and go.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct EphemeralTests {
    private func identity(_ number: Int, _ name: String, ephemeral: Bool = true) -> StationIdentity {
        var identity = StationIdentity(uuid: String(repeating: "\(number)", count: 32), name: name)
        identity.isEphemeral = ephemeral
        return identity
    }

    /// Lets so many hours pass since everybody was heard.
    private func pass(_ hours: Double, _ catalog: TestCatalog) async throws {
        try await catalog.sql("UPDATE catalog.session SET until = until - interval '\(hours) hours'")
        try await catalog.sql("UPDATE catalog.station SET joined = joined - interval '\(hours) hours'")
    }

    private func names(_ catalog: TestCatalog) async throws -> [String] {
        try await catalog.as("desk1").stations().map(\.name)
    }

    /// Its name is free a day after its session ended, and not before; what it told stays.
    @Test func aDayAfterItsSessionItIsRetired() async throws {
        let catalog = try await TestCatalog.made(), desk = try await catalog.station(1), role = try catalog.as("desk2")
        let membership = try await role.join(identity(2, "worker")),
            session = try await role.open(membership, last: nil)
        #expect(try await role.tell(TestStation.report(0..<2, since: 0, upTo: 2), session.token) == 2)
        try await role.leave(session.token)
        try await pass(23.9, catalog)
        let again = try await desk.catalog.open(desk.membership, last: desk.token)
        #expect(try await names(catalog) == ["desk-1", "worker"])
        try await pass(0.2, catalog)
        _ = try await desk.catalog.open(desk.membership, last: again.token)
        #expect(try await names(catalog) == ["desk-1"])
        // The next worker of that name.
        #expect(try await role.join(identity(3, "worker")).applied == 0)
        #expect(try await names(catalog) == ["desk-1", "worker"])
        let copies = try await desk.catalog.copies(of: [TestStation.digest(1)])
        #expect(Set(copies.map(\.station)) == ["worker~2"], "\(copies)")
    }

    /// Whoever begins a session does it, too; a desk is never retired, however long it is away.
    @Test func onlyThoseThatSaidSoAreRetired() async throws {
        let catalog = try await TestCatalog.made(), desk = try await catalog.station(1), role = try catalog.as("desk2")
        for (number, name) in [(2, "gone"), (3, "never-there")] { _ = try await role.join(identity(number, name)) }
        let there = try await role.join(identity(4, "there")), session = try await role.open(there, last: nil)
        _ = try await role.join(identity(5, "laptop", ephemeral: false))
        try await pass(1000, catalog)
        #expect(try await role.open(there, last: session.token).token != session.token)
        #expect(try await names(catalog) == ["desk-1", "laptop", "there"])
        #expect(try await desk.catalog.open(desk.membership, last: desk.token).applied == 0)
    }

    /// A worker that is gone keeps its name from nobody, though it is not a day yet.
    @Test func aNewcomerTakesTheNameOfOneThatIsNotThereAnyMore() async throws {
        let catalog = try await TestCatalog.made(), role = try catalog.as("desk2")
        let membership = try await role.join(identity(2, "worker")),
            session = try await role.open(membership, last: nil)
        await expect(.misconfigured) { try await role.join(identity(3, "worker")) }
        try await role.leave(session.token)
        // Another's name is another's.
        let other = try catalog.as("desk3")
        await expect(.misconfigured) { try await other.join(identity(4, "worker")) }
        _ = try await role.join(identity(3, "worker"))
        #expect(try await names(catalog) == ["worker"])
        // That one had no session yet: it is about to begin one.
        await expect(.misconfigured) { try await role.join(identity(5, "worker")) }
        try await pass(0.2, catalog)
        _ = try await role.join(identity(5, "worker"))
        // One that does not come and go has its name for good.
        _ = try await role.join(identity(6, "laptop", ephemeral: false))
        try await pass(1000, catalog)
        await expect(.misconfigured) { try await role.join(identity(7, "laptop")) }
    }

    /// What it has not told, or not delivered, is only there.
    @Test(arguments: [StationStatus(untold: 3, cards: []), StationStatus(untold: 0, waiting: 3, cards: [])])
    func whoHasSomethingToTellIsNotRetired(_ status: StationStatus) async throws {
        let catalog = try await TestCatalog.made(), desk = try await catalog.station(1), role = try catalog.as("desk2")
        let membership = try await role.join(identity(2, "worker")),
            session = try await role.open(membership, last: nil)
        #expect(try await role.renew(session.token, status: status.json) != nil)
        try await role.leave(session.token)
        try await pass(1000, catalog)
        _ = try await desk.catalog.open(desk.membership, last: desk.token)
        #expect(try await names(catalog) == ["desk-1", "worker"])
        // A newcomer has its name all the same.
        _ = try await role.join(identity(3, "worker"))
        let all = try await desk.catalog.stations()
        #expect(all.map(\.name) == ["desk-1", "worker", "worker~2"])
        #expect(all.last?.status.flatMap { StationStatus(json: $0) } == status)
        // It is back, and tells.
        let back = try await role.open(membership, last: session.token)
        #expect(try await role.tell(TestStation.report(0..<2, since: 0, upTo: 2), back.token) == 2)
        #expect(try await names(catalog) == ["desk-1", "worker", "worker~2"])
    }

    /// Tables of the version before, as they are where nobody has migrated yet: then they are brought up to date, and who
    /// was shut out is waited for no longer.
    @Test func olderTablesLearnWhoStillDelivers() async throws {
        let catalog = try await TestCatalog.made(), desk = try await catalog.station(1), role = try catalog.as("desk2")
        try await catalog.sql("UPDATE catalog.meta SET schema = 2")
        #expect(try await catalog.as("postgres").migrate() == ["tables 2 → \(CatalogSchema.newest)"])
        let membership = try await role.join(identity(2, "worker")),
            session = try await role.open(membership, last: nil)
        let status = StationStatus(untold: 0, waiting: 1, cards: []).json
        #expect(try await role.renew(session.token, status: status) != nil)
        try await role.leave(session.token)
        try await pass(1000, catalog)
        let again = try await desk.catalog.open(desk.membership, last: desk.token)
        #expect(try await names(catalog) == ["desk-1", "worker"])
        try await catalog.sql("UPDATE catalog.station SET revoked = now() WHERE name = 'worker'")
        _ = try await desk.catalog.open(desk.membership, last: again.token)
        #expect(try await names(catalog) == ["desk-1"])
    }

    /// A catalogue that was away for a day retires those that live, and they are back with their next question; so is a
    /// state directory that was out of use.
    @Test func whoComesBackGoesOn() async throws {
        let catalog = try await TestCatalog.made(), role = try catalog.as("desk2")
        let membership = try await role.join(identity(2, "worker")),
            session = try await role.open(membership, last: nil)
        #expect(try await role.tell(TestStation.report(0..<2, since: 0, upTo: 2), session.token) == 2)
        try await pass(25, catalog)
        _ = try await catalog.station(1)
        #expect(try await role.renew(session.token, status: nil) == nil)
        #expect(try await names(catalog) == ["desk-1"])
        let back = try await role.open(membership, last: session.token)
        #expect(back.applied == 2)
        #expect(try await names(catalog) == ["desk-1", "worker"])
        try await role.leave(back.token)
        try await pass(25, catalog)
        _ = try await role.join(identity(3, "worker"))
        _ = try await role.open(membership, last: back.token)
        #expect(try await names(catalog) == ["desk-1", "worker", "worker~1"])
        // Joining again is no other way than that.
        let again = try await role.join(identity(2, "worker-2"))
        #expect(again.applied == 2 && again.epoch == membership.epoch)
        #expect(try await names(catalog) == ["desk-1", "worker", "worker-2"])
    }

    /// What it had claimed is taken over at once where that is safe, and is unsure where nobody can be asked.
    @Test func itsClaimsAreAnothersOrUnsure() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1), role = try catalog.as("desk2")
        let membership = try await role.join(identity(2, "worker")),
            session = try await role.open(membership, last: nil)
        let worker = TestStation(catalog: role, membership: membership, session: session)
        _ = try await worker.claim([TestStation.wish(1), TestStation.wish(2, at: "exec|dumb", settles: false)])
        try await pass(25, catalog)
        let next = TestStation(
            catalog: one.catalog, membership: one.membership,
            session: try await one.catalog.open(one.membership, last: one.token))
        let answers = try await next.claim([TestStation.wish(1), TestStation.wish(2, at: "exec|dumb", settles: false)])
        #expect("\(answers[0])".contains("takenOver") && "\(answers[1])".contains("unsure"), "\(answers)")
    }

    /// Names of any length, and one that was given to somebody already.
    @Test func everyNameCanBeKept() async throws {
        let catalog = try await TestCatalog.made(), role = try catalog.as("desk2")
        let long = String(repeating: "ä", count: 32)
        _ = try await role.join(identity(2, long))
        _ = try await role.join(identity(3, "b"))
        _ = try await role.join(identity(4, "b~2", ephemeral: false))
        try await pass(25, catalog)
        _ = try await role.join(identity(5, "c"))
        #expect(try await catalog.sql("SELECT count(*) FROM catalog.station WHERE retired IS NOT NULL") == "1")
        #expect(try await names(catalog) == ["b", "b~2", "c"])
    }

    /// A catalogue of before takes stations as ever, and says what it lacks for these.
    @Test func olderTablesAreBroughtUpToDate() async throws {
        let catalog = try await TestCatalog.made(), role = try catalog.as("desk2")
        try await catalog.sql("DROP FUNCTION catalog.join_v2(uuid, text, text, boolean, boolean)")
        #expect(try await role.join(identity(2, "desk", ephemeral: false)).name == "desk")
        let error = await expect(.misconfigured) { try await role.join(identity(3, "worker")) }
        #expect(error?.advice == "Run `filmgate catalog migrate`.")
    }

    @Test func noStationRetiresAnother() async throws {
        let catalog = try await TestCatalog.made()
        await #expect(throws: (any Error).self) {
            try await catalog.sql("SELECT catalog.retire_ephemeral()", role: "desk1")
        }
    }
}
