import ClusterTesting
import FilmgateCore
import Synchronization
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
        #expect(try await one.claim(1) == .done(by: "desk-1", receipt: "https://x/1"))
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
        #expect(try await one.catalog.claim([TestStation.wish(1)], again.token) == [.held(by: "desk-2")])
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
        #expect(try await two.claim(1, settles: true) == .unsure(by: "desk-1"))
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
}
