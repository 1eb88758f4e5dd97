import ClusterTesting
import FilmgateCore
import FilmgateTesting
import PQKit
import Testing

@testable import PostgresCatalog

/// One holder per delivery, whoever asks when.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct ClaimTests {
    @Test func theFirstHasItUntilItIsDone() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2)
        #expect(try await one.claim(1) == .granted)
        #expect(try await one.claim(1) == .granted)
        #expect(try await two.claim(1) == .held(by: "desk-1"))
        #expect(try await one.catalog.tell(TestStation.report(1..<2, since: 0, upTo: 1, shared: true), one.token) == 1)
        #expect(try await two.claim(1) == .done(by: "desk-1", receipt: "https://x/1"))
        #expect(try await one.claim(1) == .done(by: "desk-1", receipt: "https://x/1", isOwn: true))
    }

    @Test func whatIsReleasedIsFree() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2)
        #expect(try await one.claim([TestStation.wish(1), TestStation.wish(2)]) == [.granted, .granted])
        #expect(try await two.catalog.release([TestStation.wish(1)], two.token) == 0)
        #expect(try await one.catalog.release([TestStation.wish(1), TestStation.wish(9)], one.token) == 1)
        #expect(try await two.claim([TestStation.wish(1), TestStation.wish(2)]) == [.granted, .held(by: "desk-1")])
    }

    /// Whoever takes over is told so: it must ask the target before it sends.
    @Test func whoIsLostLosesItsClaims() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2)
        #expect(try await one.claim(1) == .granted)
        try await catalog.sql(
            "UPDATE catalog.session SET until = now() - interval '1 second' WHERE token = \(one.token)")
        #expect(try await two.claim(1) == .takenOver)
        #expect(try await two.claim(1) == .granted)
        // The one that comes back asks anew, and finds it held.
        let again = try await one.catalog.open(one.membership, last: one.token)
        #expect(try await one.claim([TestStation.wish(1)], with: again.token) == [.held(by: "desk-2")])
        // Its own claims of before are taken over by itself: it may have sent them.
        #expect(try await two.claim(2) == .granted)
        try await two.catalog.leave(two.token)
        let third = try await two.catalog.open(two.membership, last: two.token)
        #expect(try await two.catalog.claim([TestStation.wish(2)], third.token) == [.takenOver])
    }

    /// A target that can neither be asked nor takes bytes twice: nobody sends again by himself.
    @Test func whatCannotBeSettledIsUnsure() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2)
        #expect(try await one.claim(1, settles: false) == .granted)
        #expect(try await two.claim(1, settles: false) == .held(by: "desk-1"))
        try await one.catalog.leave(one.token)
        #expect(try await two.claim(1, settles: false) == .unsure(by: "desk-1"))
        // What the lost one sent is not known to whoever only takes the same bytes twice.
        var repeats = TestStation.wish(1)
        repeats.canBeAsked = false
        #expect(try await two.claim([repeats]) == [.unsure(by: "desk-1")])
        #expect(try await two.claim(1, settles: true) == .takenOver)
    }

    /// Who can ask does, whatever was said of the target before; and who cannot waits for a person.
    @Test func whatIsUnsureIsAskedWhereThisStationCan() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2), three = try await catalog.station(3)
        // A report names the target first, as where a station joins with a history.
        #expect(
            try await three.catalog.tell(TestStation.report(7..<8, since: 0, upTo: 1, shared: true), three.token) == 1)
        #expect(try await one.claim(1, settles: false) == .granted)
        #expect(try await one.claim(2, settles: true) == .granted)
        try await one.catalog.leave(one.token)
        for number in [1, 2] {
            #expect(try await two.claim(number, settles: false) == .unsure(by: "desk-1"))
            #expect(try await three.claim(number, settles: true) == .takenOver)
            #expect(try await two.claim(number, settles: false) == .held(by: "desk-3"))
        }
        try await three.catalog.leave(three.token)
        var anyway = TestStation.wish(1, settles: false)
        anyway.anyway = true
        #expect(try await two.claim([anyway]) == [.takenOver])
        let again = try await three.catalog.open(three.membership, last: three.token)
        #expect(try await three.claim([anyway], with: again.token) == [.held(by: "desk-2")])
    }

    /// Whoever can ask takes over what others may not: given back, it is in doubt for them as before.
    @Test func whatIsGivenBackLeavesItsDoubt() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2), three = try await catalog.station(3)
        #expect(try await one.claim(1, settles: false) == .granted)
        try await one.catalog.leave(one.token)
        var wish = TestStation.wish(1)
        #expect(try await three.claim([wish]) == [.takenOver])
        #expect(try await three.catalog.release([wish], three.token) == 1)
        #expect(try await two.claim(1, settles: false) == .unsure(by: "desk-1"))
        // Tried, it is in doubt because of that.
        #expect(try await three.claim([wish]) == [.takenOver])
        wish.mayHaveArrived = true
        #expect(try await three.catalog.release([wish], three.token) == 1)
        #expect(try await two.claim(1, settles: false) == .unsure(by: "desk-3"))
        #expect(try await three.claim(1) == .takenOver)
        // Nothing stood there before, and nothing was tried.
        #expect(try await three.claim(2) == .granted)
        #expect(try await three.catalog.release([TestStation.wish(2)], three.token) == 1)
        #expect(try await two.claim(2, settles: false) == .granted)
    }

    /// The station, and not its name, has what it had claimed; and only what it knows of.
    @Test func whatAnEarlierLifeMaySentIsHeld() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        #expect(try await one.claim(1, settles: false) == .granted)
        let anew = StationIdentity(uuid: one.membership.uuid, name: "renamed", asNew: true)
        let membership = try await one.catalog.join(anew), session = try await one.catalog.open(membership, last: nil)
        let life = TestStation(catalog: one.catalog, membership: membership, session: session)
        #expect(try await life.claim(1, settles: false) == .unsure(by: "renamed", isOwn: true))
        let namesake = try await catalog.station(2, name: "desk-1")
        var known = TestStation.wish(1, settles: false)
        known.isKnown = true
        #expect(try await namesake.claim([known]) == [.unsure(by: "renamed")])
        #expect(try await life.claim([known]) == [.granted])
        #expect(try await namesake.claim([known]) == [.held(by: "renamed")])
    }

    /// Everybody is told to send it again, and one does; what it tells stands for all.
    @Test func twoWhoSendAgainSendOnce() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2), three = try await catalog.station(3)
        func told(_ state: DeliveryFact.State, since: Int64) -> StationReport {
            var report = TestStation.report(1..<2, since: since, upTo: since + 1, shared: true)
            report.deliveries[0].state = state
            return report
        }
        #expect(try await three.catalog.tell(told(.removed, since: 0), three.token) == 1)
        var again = TestStation.wish(1)
        again.again = true
        #expect(try await one.claim([again]) == [.granted])
        #expect(try await two.claim([again]) == [.held(by: "desk-1")])
        // Told once more, as by `seed`: the claim lasts.
        #expect(try await three.catalog.tell(told(.removed, since: 1), three.token) == 2)
        #expect(try await two.claim([again]) == [.held(by: "desk-1")])
        // Given back, it is what it was.
        #expect(try await one.catalog.release([again], one.token) == 1)
        #expect(try await two.claim(1) == .removed(by: "desk-3"))
        #expect(try await three.claim(1) == .removed(by: "desk-3", isOwn: true))
        // Lost, nobody who was not told so sends it.
        #expect(try await one.claim([again]) == [.granted])
        try await one.catalog.leave(one.token)
        #expect(try await two.claim(1) == .removed(by: "desk-3"))
        #expect(try await two.claim([again]) == [.takenOver])
        #expect(try await two.catalog.tell(told(.done, since: 0), two.token) == 1)
        #expect(try await three.claim(1) == .done(by: "desk-2", receipt: "https://x/1"))
    }

    /// What somebody says to have delivered is sent by one of those who were told to.
    @Test func twoWhoInsistSendOnce() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2), three = try await catalog.station(3)
        #expect(
            try await three.catalog.tell(TestStation.report(1..<2, since: 0, upTo: 1, shared: true), three.token) == 1)
        var wish = TestStation.wish(1)
        wish.anyway = true
        let done = ClaimAnswer.done(by: "desk-3", receipt: "https://x/1")
        #expect(try await one.claim([wish]) == [done])
        wish.insists = true
        #expect(try await one.claim([wish]) == [.granted])
        #expect(try await two.claim([wish]) == [.held(by: "desk-1")])
        #expect(try await one.catalog.release([wish], one.token) == 1)
        #expect(try await two.claim(1) == done)
    }

    /// A program of before goes by the same rules.
    @Test func earlierProgramsTakeOverNoMore() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2)
        func earlier(_ station: TestStation, dumb: Bool, _ number: Int, _ role: String) async throws -> String {
            let sha = "decode('\(TestStation.digest(number))', 'hex')"
            return try await catalog.sql(
                "SELECT verdict, holder FROM catalog.claim_v1(\(station.token), ARRAY[\(sha)], ARRAY[''::bytea], "
                    + "ARRAY['s3|bucket'], ARRAY['gallery'], ARRAY[\(dumb)])", role: role)
        }
        #expect(try await earlier(one, dumb: false, 1, "desk1").hasPrefix("y|"))
        #expect(try await earlier(one, dumb: true, 2, "desk1").hasPrefix("y|"))
        #expect(try await earlier(two, dumb: false, 1, "desk2") == "c|desk-1")
        try await one.catalog.leave(one.token)
        #expect(try await earlier(two, dumb: true, 1, "desk2") == "u|desk-1")
        #expect(try await earlier(two, dumb: false, 2, "desk2") == "u|desk-1")
        #expect(try await earlier(two, dumb: false, 1, "desk2").hasPrefix("t|"))
    }

    /// Tables of the version before give claims as ever, until they are brought up to date.
    @Test func olderTablesGiveClaimsAsBefore() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2)
        try await catalog.sql(
            "SET ROLE filmgate_owner; DROP FUNCTION catalog.claim_v1, catalog.claim_v2, catalog.claim_v3, catalog.give_free; "
                + "\(ClaimFunctions.all[1]); GRANT EXECUTE ON FUNCTION "
                + "catalog.claim_v1(bigint, bytea[], bytea[], text[], text[], boolean[]) TO filmgate_station; "
                + "UPDATE catalog.meta SET schema = 4")
        #expect(try await one.claim(1, settles: false) == .granted)
        #expect(try await two.claim(1, settles: false) == .held(by: "desk-1"))
        try await one.catalog.leave(one.token)
        var wish = TestStation.wish(1, settles: false)
        #expect(try await two.claim([wish]) == [.unsure(by: "desk-1")])
        let later = try await one.catalog.open(one.membership, last: one.token)
        #expect(try await one.claim([wish], with: later.token) == [.unsure(by: "desk-1", isOwn: true)])
        wish.isKnown = true
        #expect(try await one.claim([wish], with: later.token) == [.granted])
        wish.anyway = true
        #expect(try await two.claim([wish]) == [.takenOver])
        try await one.catalog.leave(later.token)
        #expect(try await catalog.as("postgres").release(claimsOf: "desk-1") == 1)
        #expect(try await catalog.as("postgres").migrate() == ["tables 4 → \(CatalogSchema.newest)"])
        #expect(try await two.claim(1, settles: false) == .granted)
    }

    /// Tables of version 8 do not say when something was claimed, and everything else.
    @Test func tablesOfBeforeTellNoTimes() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1), two = try await test.station(2)
        try await test.sql(
            "SET ROLE filmgate_owner; DROP FUNCTION catalog.claim_v3; \(PutBackFunctions.all[1]); "
                + "UPDATE catalog.meta SET schema = 8")
        #expect(try await one.claim(1) == .granted)
        #expect(try await two.catalog.claim([TestStation.wish(1)], two.token) == [.held(by: "desk-1")])
        #expect(try await test.as("postgres").migrate() == ["tables 8 → \(CatalogSchema.newest)"])
        let told = try await two.catalog.claim([TestStation.wish(1)], two.token)
        #expect(told.map(\.untimed) == [.held(by: "desk-1")])
        let time = try #require(told.first?.time)
        #expect(abs(time - WallClock.nanoseconds) < 3_600_000_000_000)
    }

    @Test func whatIsGoneIsNotSentAgainUnasked() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let two = try await catalog.station(2)
        var report = TestStation.report(1..<2, since: 0, upTo: 1, shared: true)
        report.deliveries[0].state = .removed
        #expect(try await one.catalog.tell(report, one.token) == 1)
        #expect(try await two.claim(1) == .removed(by: "desk-1"))
    }

    @Test func oddWishesAreAnswered() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        #expect(try await one.claim([]) == [])
        let twice = [TestStation.wish(1), TestStation.wish(2), TestStation.wish(1)]
        #expect(try await one.claim(twice) == [.granted, .granted, .granted])
        await expect(.rejected) { try await one.claim((0..<257).map { TestStation.wish($0) }) }
        await expect(.rejected) {
            try await one.claim([ClaimWish(content: ContentKey(rawValue: "x"), target: "t", targetName: "t")])
        }
        // A sidecar beside another picture is another delivery.
        let sidecar = ContentKey(sha256: TestStation.digest(1), beside: TestStation.digest(5))
        #expect(
            try await one.claim([ClaimWish(content: sidecar, target: "s3|bucket", targetName: "gallery")]) == [.granted]
        )
        #expect(try await one.claim([TestStation.wish(1, at: "s3|other")]) == [.granted])
    }

    /// Several who want the same keys, each in its own order: each key has exactly one holder.
    @Test func aRaceHasOneWinnerEach() async throws {
        let catalog = try await TestCatalog.made()
        var desks: [TestStation] = []
        for number in 1...4 { desks.append(try await catalog.station(number)) }
        let keys = 0..<640
        let won = try await withThrowingTaskGroup(of: [Int].self) { group in
            for (place, desk) in desks.enumerated() {
                group.addTask {
                    var mine: [Int] = []
                    let order = place % 2 == 0 ? Array(keys) : keys.reversed()
                    for start in stride(from: 0, to: order.count, by: 64) {
                        var batch = Array(order[start..<start + 64])
                        for _ in 0..<50 where !batch.isEmpty {
                            let answers = try await desk.claim(batch.map { TestStation.wish($0) })
                            mine += zip(batch, answers).filter { $0.1 == .granted }.map(\.0)
                            // Undecided is not free: it is asked again.
                            batch = zip(batch, answers).filter { $0.1 == .undecided }.map(\.0)
                        }
                        #expect(batch.isEmpty)
                    }
                    return mine
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(won.joined().sorted() == Array(keys))
        #expect(try await catalog.sql("SELECT count(*) FROM catalog.delivery WHERE state = 'c'") == "640")
    }

    /// A process begins while another station's question waits for a row: what it claims meanwhile is its own.
    @Test func aFreshProcessKeepsWhatItClaimed() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1)
        let patient = try (1...4).map { try test.as("desk\($0)", answer: "600s") }
        let two = try await test.station(2, roles: patient)
        // Rows are taken in the order of their digests.
        let keys = [1, 2].sorted { TestStation.digest($0) < TestStation.digest($1) }
        #expect(try await one.claim(keys[0]) == .granted)
        let held = try await test.holding(keys[0])
        async let waiting = two.claim(keys.map { TestStation.wish($0) })
        try await test.untilSomebodyWaits()
        let fresh = try await test.station(3)
        #expect(try await fresh.claim(keys[1]) == .granted)
        try await held.run("COMMIT")
        #expect(try await waiting == [.held(by: "desk-1"), .undecided])
        #expect(try await two.claim(keys[1]) == .held(by: "desk-3"))
        #expect(try await fresh.claim(keys[1]) == .granted)
    }

    /// Tables of the version before, as they are where nobody has migrated yet: what is claimed there stays so.
    @Test func tablesOfBeforeLearnToRememberBoth() async throws {
        let test = try await TestCatalog.made(), one = try await test.station(1), two = try await test.station(2)
        #expect(try await one.claim(1) == .granted)
        try await test.sql(
            "ALTER TABLE catalog.delivery DROP COLUMN lost, DROP COLUMN lost_by; UPDATE catalog.meta SET schema = 7")
        #expect(try await test.as("postgres").migrate() == ["tables 7 → \(CatalogSchema.newest)"])
        #expect(try await two.claim(1) == .held(by: "desk-1"))
        #expect(try await one.catalog.release([TestStation.wish(1)], one.token) == 1)
        #expect(try await two.claim(1) == .granted)
    }
}
