import FilmgateCore
import FilmgateTesting

@testable import PostgresCatalog

/// Stations that want the same frames at a gallery that can be asked and at one that cannot, over a real catalogue.
///
/// Sessions run out, stations are killed and come back, uploads are refused or cut off, claims are given back, and
/// `ClaimModel` says what the catalogue has to answer each time. An upload in flight ends before its session does, as
/// long as a station trusts a session for less than it lasts.
struct StationWorld {
    /// `settled`: a person has looked, and it is there.
    enum Work: Equatable { case open, holding(mustAsk: Bool), sending, sent, told, elsewhere, inDoubt(String), settled }

    /// What a station's process knows; `work` that is `sent` is in its ledger, too.
    struct Life {
        var isUp = true
        var work: [Int: Work]
        /// What it knows to have come of what it had claimed.
        var known: Set<Int> = []
    }

    static let frames = 60, firstDumb = 40
    private(set) var model = ClaimModel(keys: frames), lives: [Life] = [], faults: [String] = []
    /// How often each frame is there.
    private(set) var gallery = [Int](repeating: 0, count: frames)
    /// Nobody knows what came of an upload, and no person has looked since.
    private var isUnknown = [Bool](repeating: false, count: frames)
    private var random: SeededNumbers, isCalm = false, place = ""

    init(seed: UInt64) { random = SeededNumbers(seed: seed) }

    mutating func add(_ station: TestStation) {
        model.stations.append(.init(desk: station, token: station.token))
        let wanted = (0..<Self.frames).filter { _ in below(10) < 3 }
        lives.append(Life(work: Dictionary(uniqueKeysWithValues: wanted.map { ($0, .open) })))
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    private mutating func fault(_ text: String) { faults.append("\(place): \(text)") }
    private func catalog(_ who: Int) -> PostgresCatalog { model.stations[who].desk.catalog }
    private func keys(_ who: Int, _ matches: (Work) -> Bool) -> [Int] {
        lives[who].work.filter { matches($0.value) }.keys.sorted()
    }

    private static func wish(_ key: Int, isKnown: Bool = false, anyway: Bool = false) -> ClaimWish {
        var wish =
            key < firstDumb
            ? TestStation.wish(key) : TestStation.wish(key, at: "post|form", settles: false)
        (wish.isKnown, wish.anyway) = (isKnown, anyway)
        return wish
    }

    // MARK: What happens

    mutating func step(_ number: Int, _ test: TestCatalog) async throws {
        let who = below(lives.count)
        place = "step \(number), station \(who + 1)"
        switch below(60) {
        case 0: try await expire((0..<6).map { _ in below(lives.count) }, test)
        case 1...3: kill(who)
        case 4...5: try await person(who)
        case _ where lives[who].isUp: try await live(who)
        default: try await open(who)
        }
    }

    /// Nobody renews these for a minute; whatever they were sending has ended before that.
    private mutating func expire(_ gone: [Int], _ test: TestCatalog) async throws {
        for who in gone {
            for key in keys(who, { $0 == .sending }) { try await finish(key, who, canGiveBack: false) }
            for key in keys(who, { if case .holding = $0 { true } else { false } }) {
                lives[who].work[key] = .open
                lives[who].known.insert(key)
            }
            model.stations[who].lives = false
        }
        let tokens = gone.map { "\(model.stations[$0].token)" }.joined(separator: ", ")
        try await test.sql(
            "UPDATE catalog.session SET until = now() - interval '1 second' WHERE token IN (\(tokens))")
    }

    /// Its process is gone, with all that only it knew, and half of what it was sending has arrived.
    private mutating func kill(_ who: Int) {
        for (key, work) in lives[who].work.sorted(by: { $0.key < $1.key }) {
            switch work {
            case .sending:
                isUnknown[key] = true
                if below(2) == 0 { arrive(key) }
                lives[who].work[key] = .open
            case .holding, .inDoubt: lives[who].work[key] = .open
            default: break
            }
        }
        (lives[who].isUp, lives[who].known) = (false, [])
    }

    /// A session after the last one, which its ledger has noted.
    private mutating func open(_ who: Int) async throws {
        let station = model.stations[who]
        model.stations[who].token = try await catalog(who).open(station.desk.membership, last: station.token).token
        (model.stations[who].lives, lives[who].isUp) = (true, true)
    }

    private mutating func live(_ who: Int) async throws {
        let isLasting = try await catalog(who).renew(model.stations[who].token, status: nil) != nil
        if isLasting != model.stations[who].lives { fault("its session lasts: \(isLasting)") }
        guard isLasting else { return try await open(who) }
        switch below(5) {
        case 0, 1:
            let open = keys(who) { if case .inDoubt = $0 { true } else { $0 == .open } }
            try await claim(Array(open.shuffled(using: &random).prefix(6)), who)
        case 2: begin(who)
        case 3: for key in keys(who, { $0 == .sending }).prefix(2) { try await finish(key, who) }
        default:
            let held = keys(who) { if case .holding = $0 { true } else { false } }
            if let key = held.randomElement(using: &random), below(3) == 0 {
                try await giveBack(key, who, tried: false)
            }
            try await tell(who)
        }
    }

    // MARK: Claims

    private mutating func claim(_ keys: [Int], _ who: Int, anyway: Bool = false) async throws {
        if keys.isEmpty { return }
        let wishes = keys.map { Self.wish($0, isKnown: lives[who].known.contains($0), anyway: anyway) }
        let answers = try await catalog(who).claim(wishes, model.stations[who].token).map(\.untimed)
        for (index, key) in keys.enumerated() {
            let expected = model.claim(who, key, wishes[index])
            guard answers.indices.contains(index), answers[index] == expected else {
                fault("\(wishes[index]): \(answers), not \(expected)")
                continue
            }
            note(expected, key, who)
        }
    }

    private mutating func note(_ answer: ClaimAnswer, _ key: Int, _ who: Int) {
        switch answer {
        case .granted: lives[who].work[key] = .holding(mustAsk: false)
        case .takenOver: lives[who].work[key] = .holding(mustAsk: true)
        case .done(let name, _, _):
            lives[who].work[key] = .elsewhere
            if gallery[key] == 0 { fault("\(name) says that \(key) is done, and it is not there") }
        case .unsure(let name, _, _):
            lives[who].work[key] = .inDoubt(name)
            if key < Self.firstDumb { fault("\(key) can be asked, and is in doubt") }
        case .held: lives[who].work[key] = .open
        case .removed, .undecided: fault("\(key): \(answer)")
        }
    }

    private mutating func giveBack(_ key: Int, _ who: Int, tried: Bool) async throws {
        var wish = Self.wish(key)
        wish.mayHaveArrived = tried
        let count = try await catalog(who).release([wish], model.stations[who].token)
        if count != model.release(who, key, tried: tried) { fault("\(count) given back of \(key)") }
        lives[who].work[key] = .open
    }

    // MARK: Uploads

    private mutating func arrive(_ key: Int) {
        gallery[key] += 1
        if gallery[key] > 1 { fault("\(key) is there \(gallery[key]) times") }
    }

    private func isBeingSent(_ key: Int) -> Bool { lives.contains { $0.work[key] == .sending } }

    private mutating func begin(_ who: Int) {
        for (key, work) in lives[who].work.sorted(by: { $0.key < $1.key }) {
            guard case .holding(let mustAsk) = work else { continue }
            if isBeingSent(key) { fault("two send \(key) at once") }
            if mustAsk, key < Self.firstDumb, gallery[key] > 0 {
                lives[who].work[key] = .sent
                continue
            }
            if gallery[key] > 0 { fault("\(key) is sent again") }
            if key >= Self.firstDumb, isUnknown[key] { fault("\(key) is sent again, and nobody said so") }
            lives[who].work[key] = .sending
        }
    }

    /// It arrives, or is refused, or breaks off, and then nobody knows.
    private mutating func finish(_ key: Int, _ who: Int, canGiveBack: Bool = true) async throws {
        switch isCalm ? 9 : below(10) {
        case 0:
            lives[who].known.insert(key)
            lives[who].work[key] = .open
        case 1:
            lives[who].known.remove(key)
            isUnknown[key] = true
            if below(2) == 0 { arrive(key) }
            lives[who].work[key] = .open
        default:
            arrive(key)
            lives[who].work[key] = .sent
            return
        }
        if canGiveBack { try await giveBack(key, who, tried: true) }
    }

    private mutating func tell(_ who: Int) async throws {
        let sent = keys(who) { $0 == .sent }, since = model.stations[who].applied
        if sent.isEmpty { return }
        var report = StationReport(since: since, upTo: since + 1)
        for key in sent {
            let wish = Self.wish(key)
            var fact = DeliveryFact(
                content: wish.content, target: wish.target, targetName: wish.targetName, state: .done, proof: .server,
                size: 5)
            (fact.shared, fact.receipt) = (true, "https://x/\(key)")
            report.deliveries.append(fact)
            model.report(who, key, removed: false)
            lives[who].work[key] = .told
        }
        let known = try await catalog(who).tell(report, model.stations[who].token)
        if known != since + 1 { fault("known to \(String(describing: known))") }
        model.stations[who].applied = since + 1
    }

    // MARK: The end

    /// A person looks at what this station says to be in doubt, once nobody sends it any more.
    private mutating func person(_ who: Int) async throws {
        guard lives[who].isUp, model.stations[who].lives else { return }
        let doubts = keys(who) { if case .inDoubt = $0 { true } else { false } }
        for key in doubts where !isBeingSent(key) {
            guard gallery[key] == 0 else {
                lives[who].work[key] = .settled
                continue
            }
            try await claim([key], who, anyway: true)
            if case .holding = lives[who].work[key] { isUnknown[key] = false }
        }
    }

    /// Everything works again.
    ///
    /// What is left then is in doubt, by whom is named, and one person's look ends it.
    mutating func drain() async throws {
        isCalm = true
        for isLookedAt in [false, true] {
            place = isLookedAt ? "with a person" : "at the end"
            for _ in 0..<6 { for who in lives.indices { try await catchUp(who, isLookedAt) } }
            for (who, life) in lives.enumerated() {
                for (key, work) in life.work.sorted(by: { $0.key < $1.key }) {
                    switch work {
                    case .told, .elsewhere, .settled: break
                    case .inDoubt(let name) where !isLookedAt && key >= Self.firstDumb && name.hasPrefix("desk-"): break
                    default: fault("\(key) of station \(who + 1) is \(work)")
                    }
                }
            }
        }
    }

    private mutating func catchUp(_ who: Int, _ isLookedAt: Bool) async throws {
        if !lives[who].isUp || !model.stations[who].lives { try await open(who) }
        try await claim(keys(who) { if case .inDoubt = $0 { true } else { $0 == .open } }, who)
        if isLookedAt { try await person(who) }
        begin(who)
        for key in keys(who, { $0 == .sending }) { try await finish(key, who) }
        try await tell(who)
    }
}
