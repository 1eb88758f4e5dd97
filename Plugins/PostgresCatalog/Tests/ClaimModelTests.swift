import ClusterTesting
import FilmgateCore
import Testing

@testable import PostgresCatalog

/// Random histories of four stations, step by step beside a model of what each must be told.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct ClaimModelTests {
    @Test(arguments: [20, 21, 22, 23, 24] as [UInt64]) func everyAnswerIsTheModels(_ seed: UInt64) async throws {
        let catalog = try await TestCatalog.made()
        var random = SeededNumbers(seed: seed), world = ClaimModel(keys: 8)
        for number in 1...4 {
            let desk = try await catalog.station(number)
            world.stations.append(.init(desk: desk, token: desk.token))
        }
        for step in 0..<250 {
            let station = Int.random(in: 0..<4, using: &random), key = Int.random(in: 0..<8, using: &random)
            let wish = Self.wish(key, &random)
            try await play(
                Int.random(in: 0..<20, using: &random), station, key, wish, &world, catalog,
                "seed \(seed), step \(step): \(wish)")
        }
        let held = try await catalog.sql("SELECT count(*) FROM catalog.delivery WHERE state = 'c'")
        let claimed = world.keys.filter { if case .claimed = $0 { true } else { false } }.count
        #expect(held == "\(claimed)")
    }

    /// What a target is to a station is that station's pipeline's affair: here each can ask, or cannot, as it comes.
    private static func wish(_ key: Int, _ random: inout SeededNumbers) -> ClaimWish {
        let skill = Int.random(in: 0..<3, using: &random)
        var wish = ClaimWish(
            content: ContentKey(sha256: TestStation.digest(key)), target: "post|form", targetName: "form",
            canBeSettled: skill > 0, canBeAsked: skill > 1)
        func isSo() -> Bool { Int.random(in: 0..<5, using: &random) == 0 }
        (wish.again, wish.anyway, wish.isKnown, wish.insists) = (isSo(), isSo(), isSo(), isSo())
        return wish
    }

    private func play(
        _ die: Int, _ station: Int, _ key: Int, _ wish: ClaimWish, _ world: inout ClaimModel, _ catalog: TestCatalog,
        _ place: String
    ) async throws {
        let who = world.stations[station]
        switch die {
        case 0..<11 where who.lives:
            let answer = try await who.desk.claim([wish], with: who.token)
            #expect(answer == [world.claim(station, key, wish)], "\(place)")
        case 0..<11:
            await expect(.cancelled) { try await who.desk.catalog.claim([wish], who.token) }
        case 11..<13:
            var wish = wish
            wish.mayHaveArrived = wish.again
            let count = try await who.desk.catalog.release([wish], who.token)
            #expect(count == world.release(station, key, tried: wish.again), "\(place)")
        case 13..<16:
            var report = TestStation.report(key..<(key + 1), since: who.applied, upTo: who.applied + 1, shared: true)
            report.deliveries[0].target = wish.target
            report.deliveries[0].state = die == 13 ? .removed : .done
            let known = try await who.desk.catalog.tell(report, who.token)
            #expect(known == (who.lives ? who.applied + 1 : nil), "\(place)")
            guard who.lives else { return }
            world.stations[station].applied += 1
            world.report(station, key, removed: die == 13)
        case 16..<18:
            try await catalog.sql(
                "UPDATE catalog.session SET until = now() - interval '1 second' WHERE token = \(who.token)")
            world.stations[station].lives = false
        default:
            world.stations[station].token = try await who.desk.catalog.open(who.desk.membership, last: who.token).token
            world.stations[station].lives = true
        }
    }
}
