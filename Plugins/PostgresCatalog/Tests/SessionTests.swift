import ClusterTesting
import FilmgateCore
import PQKit
import Testing

@testable import PostgresCatalog

@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct SessionTests {
    @Test func aStationIsFoundAgain() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        let again = try await one.catalog.join(
            StationIdentity(uuid: one.membership.uuid, name: "renamed", site: "press"))
        #expect(again.epoch == 1)
        #expect(again.catalog == one.membership.catalog)
        let station = try #require(try await one.catalog.stations().first)
        #expect((station.name, station.site, station.present) == ("renamed", "press", true))
        #expect(abs(station.clockAhead ?? 99_999) < 5000)
    }

    @Test func aNameIsOneStations() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1, name: "desk")
        #expect(one.membership.name == "desk")
        await expect(.misconfigured) { try await catalog.station(2, name: "desk") }
        await expect(.rejected) { try await catalog.station(3, name: String(repeating: "x", count: 65)) }
        await expect(.rejected) { try await catalog.station(3, name: "") }
    }

    @Test func aStrangerHasNotJoined() async throws {
        let catalog = try await TestCatalog.made()
        let nobody = StationMembership(
            uuid: String(repeating: "0", count: 32), name: "x", epoch: 1, catalog: "", applied: 0)
        let error = await expect(.notFound) { try await catalog.as("desk1").open(nobody, last: nil) }
        #expect(error?.advice == "Run `filmgate catalog join`.")
    }

    /// The server's clock ends it, not the station's.
    @Test func aSessionThatIsOverStaysOver() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        #expect(try await one.catalog.renew(one.token, status: #"{"waiting": 3}"#) != nil)
        #expect(try await one.catalog.stations().first?.status == #"{"waiting": 3}"#)
        try await catalog.sql("UPDATE catalog.session SET until = now() - interval '1 second'")
        #expect(try await one.catalog.renew(one.token, status: nil) == nil)
        await expect(.cancelled) { try await one.claim(1) }
        #expect(try await one.catalog.tell(TestStation.report(0..<1, since: 0, upTo: 1), one.token) == nil)
        let next = try await one.catalog.open(one.membership, last: one.token)
        #expect(next.token != one.token)
        #expect(try await one.catalog.renew(next.token, status: nil) != nil)
    }

    /// Also over a connection that was made before another server took its place, as behind a pooler.
    @Test func anOldPrimaryThatAnswersIsLeft() async throws {
        let test = try await TestCatalog.made(), fence = PQFence(), catalog = try test.as("desk1", fence: fence)
        let identity = StationIdentity(uuid: String(repeating: "7", count: 32), name: "desk-7")
        let membership = try await catalog.join(identity), open = try await catalog.open(membership, last: nil)
        let history = try #require(open.history)
        #expect(history.cluster != nil)
        #expect(try await catalog.renew(open.token, status: nil)?.history == history)
        try fence.admit(ServerHistory(cluster: history.cluster, timeline: history.timeline + 1), at: "db2")
        for _ in 0..<2 {
            let error = await expect(.unavailable) { try await catalog.renew(open.token, status: nil) }
            #expect(error?.message.contains("is an old primary") == true)
        }
        await expect(.unavailable) { try await catalog.open(membership, last: open.token) }
        await expect(.unavailable) {
            try await catalog.tell(TestStation.report(0..<1, since: 0, upTo: 1), open.token)
        }
    }

    /// Two processes with one identity: a copied state directory.
    @Test func aCopiedIdentityIsNoticed() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        // After a crash the same process knows its last session and goes on at once.
        let after = try await one.catalog.open(one.membership, last: one.token)
        let error = await expect(.stateLocked) { try await one.catalog.open(one.membership, last: one.token) }
        #expect(error?.advice?.contains("--as-new") == true)
        await expect(.stateLocked) { try await one.catalog.open(one.membership, last: nil) }
        #expect(try await one.catalog.renew(after.token, status: nil) != nil)
        // Taken anew: the other one is out, whatever it knows.
        let anew = try await one.catalog.join(StationIdentity(uuid: one.membership.uuid, name: "desk-1", asNew: true))
        #expect(anew.epoch == 2)
        #expect(try await one.catalog.renew(after.token, status: nil) == nil)
        await expect(.rejected) { try await one.catalog.open(one.membership, last: after.token) }
        #expect(try await one.catalog.open(anew, last: nil).token != after.token)
    }

    @Test func aStationThatWasShutOutIsOut() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        try await catalog.sql("UPDATE catalog.station SET revoked = now()")
        #expect(try await one.catalog.renew(one.token, status: nil) == nil)
        #expect(try await one.catalog.tell(TestStation.report(0..<1, since: 0, upTo: 1), one.token) == nil)
        await expect(.unauthorized) { try await one.catalog.open(one.membership, last: one.token) }
        await expect(.unauthorized) {
            try await one.catalog.join(StationIdentity(uuid: one.membership.uuid, name: "again"))
        }
    }

    @Test(arguments: [-86_400, 86_400, 0]) func clocksDecideNothing(_ seconds: Int) async throws {
        let catalog = try await TestCatalog.made()
        let text = try await catalog.sql(
            "SELECT catalog.clock_difference(clock_timestamp() + interval '\(seconds) seconds')")
        #expect(abs((Int(text) ?? .max) - seconds * 1000) < 1000)
        #expect(try await catalog.sql("SELECT catalog.clock_difference('1970-01-01') IS NULL") == "t")
    }

    @Test func aHugeStatusIsNotKept() async throws {
        let catalog = try await TestCatalog.made(), one = try await catalog.station(1)
        var numbers = SystemRandomNumberGenerator()
        let noise = (0..<100_000).map { _ in String(numbers.next() % 10) }.joined()
        #expect(try await one.catalog.renew(one.token, status: "{\"x\": \"\(noise)\"}") != nil)
        #expect(try await one.catalog.stations().first?.status == nil)
    }
}
