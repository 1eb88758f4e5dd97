import ClusterTesting
import FilmgateCore
import Testing

@testable import PostgresCatalog

/// Random histories of four stations, step by step beside a model of what each must be told.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct ClaimModelTests {
    private enum Key: Equatable {
        case free
        case claimed(station: Int, token: Int64)
        case done(Int), removed(Int)
    }

    private struct Station {
        let desk: TestStation
        var token: Int64, lives = true, applied: Int64 = 0
        var name: String { desk.membership.name }
    }

    private struct World {
        var stations: [Station] = [], keys = [Key](repeating: .free, count: 10)

        /// The last keys are of a target that can neither be asked nor takes anything twice.
        func settles(_ key: Int) -> Bool { key < 6 }
        func lives(_ token: Int64) -> Bool { stations.contains { $0.lives && $0.token == token } }

        /// What a station must be told, and what becomes of the key.
        mutating func claim(_ station: Int, _ key: Int) -> ClaimAnswer {
            let mine = stations[station].token
            switch keys[key] {
            case .free:
                keys[key] = .claimed(station: station, token: mine)
                return .granted
            case .claimed(_, mine): return .granted
            case .claimed(let other, let token) where lives(token): return .held(by: stations[other].name)
            case .claimed(let other, _) where !settles(key): return .unsure(by: stations[other].name)
            case .claimed:
                keys[key] = .claimed(station: station, token: mine)
                return .takenOver
            case .done(let other): return .done(by: stations[other].name, receipt: "https://x/\(key)")
            case .removed(let other): return .removed(by: stations[other].name)
            }
        }

        mutating func release(_ station: Int, _ key: Int) -> Int {
            guard stations[station].lives, case .claimed(station, stations[station].token) = keys[key] else { return 0 }
            keys[key] = .free
            return 1
        }

        mutating func report(_ station: Int, _ key: Int, removed: Bool) {
            if removed { return keys[key] = .removed(station) }
            switch keys[key] {
            case .free, .claimed, .removed(station): keys[key] = .done(station)
            case .done, .removed: break
            }
        }
    }

    @Test(arguments: [20, 21, 22] as [UInt64]) func everyAnswerIsTheModels(_ seed: UInt64) async throws {
        let catalog = try await TestCatalog.made()
        var random = SeededNumbers(seed: seed), world = World()
        for number in 1...4 {
            let desk = try await catalog.station(number)
            world.stations.append(Station(desk: desk, token: desk.token))
        }
        for step in 0..<250 {
            let station = Int.random(in: 0..<4, using: &random), key = Int.random(in: 0..<10, using: &random)
            try await play(
                Int.random(in: 0..<20, using: &random), station, key, &world, catalog, "seed \(seed), step \(step)")
        }
        let held = try await catalog.sql("SELECT count(*) FROM catalog.delivery WHERE state = 'c'")
        let claimed = world.keys.filter { if case .claimed = $0 { true } else { false } }.count
        #expect(held == "\(claimed)")
    }

    private func play(
        _ die: Int, _ station: Int, _ key: Int, _ world: inout World, _ catalog: TestCatalog, _ place: String
    ) async throws {
        let who = world.stations[station], settles = world.settles(key)
        let wish = TestStation.wish(key, at: settles ? "s3|bucket" : "post|form", settles: settles)
        switch die {
        case 0..<11 where who.lives:
            let answer = try await who.desk.catalog.claim([wish], who.token)
            #expect(answer == [world.claim(station, key)], "\(place)")
        case 0..<11:
            await expect(.cancelled) { try await who.desk.catalog.claim([wish], who.token) }
        case 11..<13:
            #expect(try await who.desk.catalog.release([wish], who.token) == world.release(station, key), "\(place)")
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

/// The same numbers in each run.
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
