import ClusterTesting
import FilmgateCore
import Testing

@testable import PostgresCatalog

/// Random histories of four stations, step by step beside a model of what each must be told.
@Suite(.enabled(if: Cluster.isInstalled), .timeLimit(.minutes(6))) struct ClaimModelTests {
    private enum Word { case done(Int), removed(Int), lost(Int, isDumb: Bool) }

    private enum Key {
        case free
        /// `isDumb`: whoever claimed it could neither ask nor send twice; `was`: what stood there before.
        case claimed(station: Int, token: Int64, isDumb: Bool, was: Word?)
        case told(Word)
    }

    private struct Station {
        let desk: TestStation
        var token: Int64, lives = true, applied: Int64 = 0
        var name: String { desk.membership.name }
    }

    private struct World {
        var stations: [Station] = [], keys = [Key](repeating: .free, count: 8)

        func lives(_ token: Int64) -> Bool { stations.contains { $0.lives && $0.token == token } }

        /// What a word is to whoever was told nothing against it.
        private func refusal(_ word: Word, _ wish: ClaimWish, _ station: Int, _ key: Int) -> ClaimAnswer? {
            switch word {
            case .done(let other) where !wish.insists:
                .done(by: stations[other].name, receipt: "https://x/\(key)", isOwn: other == station)
            case .removed(let other) where !wish.again: .removed(by: stations[other].name, isOwn: other == station)
            default: nil
            }
        }

        /// What a station must be told, and what becomes of the key.
        mutating func claim(_ station: Int, _ key: Int, _ wish: ClaimWish) -> ClaimAnswer {
            let mine = stations[station].token
            var answer = ClaimAnswer.granted, before: Word?
            switch keys[key] {
            case .free: break
            case .told(let word):
                if let refusal = refusal(word, wish, station, key) { return refusal }
                before = word
            case .claimed(_, mine, _, let was): before = was
            case .claimed(let other, let token, _, _) where lives(token): return .held(by: stations[other].name)
            case .claimed(station, _, _, let was) where wish.isKnown: before = was
            case .claimed(let other, _, let isDumb, let was):
                if let was, let refusal = refusal(was, wish, station, key) { return refusal }
                var isDumb = isDumb
                if case .lost(_, true)? = was { isDumb = true }
                guard wish.anyway || wish.canBeAsked || wish.canBeSettled && !isDumb else {
                    return .unsure(by: stations[other].name, isOwn: other == station)
                }
                (answer, before) = (.takenOver, was ?? .lost(other, isDumb: isDumb))
            }
            keys[key] = .claimed(station: station, token: mine, isDumb: !wish.canBeSettled, was: before)
            return answer
        }

        mutating func release(_ station: Int, _ key: Int, tried: Bool) -> Int {
            guard stations[station].lives,
                case .claimed(station, stations[station].token, let isDumb, let was) = keys[key]
            else { return 0 }
            switch was {
            case _ where tried: keys[key] = .claimed(station: station, token: 0, isDumb: isDumb, was: was)
            case nil: keys[key] = .free
            case .lost(let other, let isDumb)?:
                keys[key] = .claimed(station: other, token: 0, isDumb: isDumb, was: nil)
            case let word?: keys[key] = .told(word)
            }
            return 1
        }

        mutating func report(_ station: Int, _ key: Int, removed: Bool) {
            switch keys[key] {
            case .claimed(let other, let token, let isDumb, _) where removed && lives(token):
                keys[key] = .claimed(station: other, token: token, isDumb: isDumb, was: .removed(station))
            case .told(.done) where !removed: break
            case .told(.removed(let other)) where !removed && other != station: break
            default: keys[key] = .told(removed ? .removed(station) : .done(station))
            }
        }
    }

    @Test(arguments: [20, 21, 22, 23, 24] as [UInt64]) func everyAnswerIsTheModels(_ seed: UInt64) async throws {
        let catalog = try await TestCatalog.made()
        var random = SeededNumbers(seed: seed), world = World()
        for number in 1...4 {
            let desk = try await catalog.station(number)
            world.stations.append(Station(desk: desk, token: desk.token))
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
        _ die: Int, _ station: Int, _ key: Int, _ wish: ClaimWish, _ world: inout World, _ catalog: TestCatalog,
        _ place: String
    ) async throws {
        let who = world.stations[station]
        switch die {
        case 0..<11 where who.lives:
            let answer = try await who.desk.catalog.claim([wish], who.token)
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
