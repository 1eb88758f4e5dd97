import ClusterTesting
import FilmgateCore
import FilmgateLedger
import Testing

@testable import PostgresCatalog

/// Who is told something, who may join, and who is still the station that it was.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct AdmissionTests {
    private func newcomer(_ number: Int, ephemeral: Bool = false) -> StationIdentity {
        var identity = StationIdentity(uuid: String(repeating: "\(number)", count: 32), name: "new-\(number)")
        identity.isEphemeral = ephemeral
        return identity
    }

    @Test func whoWasShutOutIsToldNothing() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1), two = try await test.station(2)
        let owner = try test.as("postgres"), wanted = [TestStation.digest(0)]
        #expect(try await two.catalog.tell(TestStation.report(0..<1, since: 0, upTo: 1), two.token) == 1)
        #expect(try await one.catalog.copies(of: wanted).count == 2)
        #expect(try await owner.revoke("desk-1"))
        let error = await expect(.unauthorized) { try await one.catalog.copies(of: wanted) }
        #expect(error?.message == "catalog: the station desk-1 was shut out.")
        // Also where there is nothing to tell.
        await expect(.unauthorized) { try await one.catalog.copies(of: []) }
        await expect(.unauthorized) { try await one.catalog.stations() }
        await expect(.unauthorized) { try await one.catalog.join(newcomer(7)) }
        await expect(.unauthorized) { try await one.catalog.join(newcomer(7, ephemeral: true)) }
        // The others, the owner, and roles that have no station at all are not concerned.
        #expect(try await two.catalog.copies(of: wanted).count == 2)
        #expect(try await owner.stations().map(\.name) == ["desk-1", "desk-2"])
        #expect(try await test.as("desk3").stations().count == 2)
        #expect(try await test.as("desk3").join(newcomer(8)).epoch == 1)
        // The owner takes it back.
        try await test.sql("UPDATE catalog.station SET revoked = NULL WHERE name = 'desk-1'")
        #expect(try await one.catalog.stations().count == 3)
        #expect(try await one.catalog.join(newcomer(7)).epoch == 1)
    }

    /// A stolen laptop may have said anything: what it proved nothing of is asked for again.
    @Test func unprovenWordsOfAShutOutStationAreDoubted() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1), two = try await test.station(2)
        var report = TestStation.report(0..<3, since: 0, upTo: 1, shared: true)
        (report.deliveries[0].proof, report.deliveries[1].state) = (.none, .removed)
        #expect(try await one.catalog.tell(report, one.token) == 1)
        let wishes = (0..<3).map { TestStation.wish($0) }, dumb = TestStation.wish(0, settles: false)
        let proven = ClaimAnswer.done(by: "desk-1", receipt: "https://x/2")
        let believed: [ClaimAnswer] = [
            .done(by: "desk-1", receipt: "https://x/0"), .removed(by: "desk-1"), proven,
        ]
        #expect(try await two.claim(wishes) == believed)
        #expect(try await test.as("postgres").revoke("desk-1"))
        #expect(try await two.claim([dumb]) == [.unsure(by: "desk-1")])
        #expect(try await two.claim(wishes) == [.takenOver, .takenOver, proven])
        let told = try await two.catalog.copies(of: [TestStation.digest(2)])
        #expect(told.map(\.state) == [.seen, .done])
        // Given back, it is in doubt as before.
        #expect(try await two.catalog.release(wishes, two.token) == 2)
        #expect(try await two.catalog.copies(of: [TestStation.digest(0)]).map(\.state) == [.seen, .unsure])
        #expect(try await two.claim([dumb]) == [.unsure(by: "desk-1")])
        // The owner takes it back.
        try await test.sql("UPDATE catalog.station SET revoked = NULL WHERE name = 'desk-1'")
        #expect(try await two.claim(wishes) == believed)
    }

    /// What is left of a role's stations works on; it gets no new one, which would be the one that was shut out.
    @Test func aRoleWithAnotherStationGoesOnWithThat() async throws {
        let test = try await TestCatalog.made(), gone = try await test.station(1), other = try await test.station(5)
        #expect(try await test.as("postgres").revoke("desk-1"))
        #expect(try await other.catalog.stations().map(\.name) == ["desk-1", "desk-5"])
        #expect(try await other.claim(1) == .granted)
        let again = StationIdentity(uuid: other.membership.uuid, name: "desk-5")
        #expect(try await other.catalog.join(again).epoch == 1)
        await expect(.unauthorized) { try await gone.catalog.join(newcomer(7)) }
    }

    /// A dead worker is shut out so that it is retired: the fleet goes on.
    @Test func workersOfOneRoleJoinWhenOneWasShutOut() async throws {
        let test = try await TestCatalog.made(), role = try test.as("desk2")
        for number in [2, 3] { _ = try await role.join(newcomer(number, ephemeral: true)) }
        #expect(try await test.as("postgres").revoke("new-2"))
        #expect(try await role.join(newcomer(4, ephemeral: true)).epoch == 1)
        #expect(try await role.stations().map(\.name) == ["new-2", "new-3", "new-4"])
        // Also where all of them are dead.
        for name in ["new-3", "new-4"] { #expect(try await test.as("postgres").revoke(name)) }
        #expect(try await role.join(newcomer(5, ephemeral: true)).epoch == 1)
    }

    /// The words of `open`, and nothing is changed.
    @Test func aStationIsToldHowItStands() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1), role = one.catalog
        #expect(try await role.tell(TestStation.report(0..<1, since: 0, upTo: 1), one.token) == 1)
        let session = "SELECT token, until, heard FROM catalog.session", before = try await test.sql(session)
        func refused(_ code: IngestError.Code, last token: Int64?, by role: PostgresCatalog) async {
            let said = await expect(code) { try await role.applied(of: one.membership, last: token) }
            let opened = await expect(code) { try await role.open(one.membership, last: token) }
            #expect(said?.message == opened?.message && said?.advice == opened?.advice)
        }
        #expect(try await role.applied(of: one.membership, last: one.token) == 1)
        await refused(.stateLocked, last: nil, by: role)
        await refused(.stateLocked, last: one.token + 1, by: role)
        await refused(.notFound, last: one.token, by: try test.as("desk2"))
        #expect(try await test.sql(session) == before)
        try await role.leave(one.token)
        #expect(try await role.applied(of: one.membership, last: nil) == 1)
        let anew = try await role.join(StationIdentity(uuid: one.membership.uuid, name: "desk-1", asNew: true))
        await refused(.rejected, last: one.token, by: role)
        #expect(try await role.applied(of: anew, last: nil) == 1)
        #expect(try await test.sql("SELECT count(*) FROM catalog.session") == "0")
        #expect(try await test.as("postgres").revoke("desk-1"))
        await refused(.unauthorized, last: one.token, by: role)
    }

    /// Tables of the version before answer as ever, and learn it where they are brought up to date.
    @Test func olderTablesDoNotSayHowAStationStands() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1)
        try await test.sql("DROP FUNCTION catalog.standing_v1; DROP INDEX catalog.station_shut_out")
        try await test.sql("UPDATE catalog.meta SET schema = 3")
        #expect(try await one.catalog.applied(of: one.membership, last: one.token) == nil)
        #expect(try await one.catalog.renew(one.token, status: nil) != nil)
        #expect(try await test.as("postgres").migrate() == ["tables 3 → \(CatalogSchema.newest)"])
        #expect(try await one.catalog.applied(of: one.membership, last: one.token) == 0)
        #expect(try await one.catalog.renew(one.token, status: nil) != nil)
    }

    /// Lines that are made anew lie in the order of the tables, not of time.
    @Test func theLastCardIsTheLastInTimeAlsoWhenAllIsToldAnew() async throws {
        let ledger = try SQLiteLedger.inMemory()
        try await ledger.join(
            StationMembership(
                uuid: String(repeating: "c", count: 32), name: "d", epoch: 1, catalog: "x", applied: 0))
        for (time, volume) in ["one", "two", "one"].enumerated() {
            let origin = Origin(
                source: "card", volume: volume, root: "/m", path: "DCIM/\(time).JPG", size: 5, modified: Int64(time))
            var row = AssetRow(
                origin: origin, run: 1, kind: .jpeg, shot: ShotPlace(key: "\(time)", stem: "\(time)"), at: Int64(time))
            (row.content, row.ending) = (ContentKey(sha256: TestStation.digest(time)), .delivered)
            try await ledger.record([.asset(row)])
        }
        #expect(try await ledger.status()?.cards.map(\.volume) == ["one", "two"])
        #expect(try await ledger.seed())
        #expect(try await ledger.status()?.cards.map(\.volume) == ["one", "two"])
        #expect(try await ledger.status()?.cards.first?.at == 2)
    }
}
