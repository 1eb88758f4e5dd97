import FilmgateCore

/// What a catalogue must answer to whoever claims, gives back and tells, one after the other.
struct ClaimModel {
    enum Word { case done(Int), removed(Int), lost(Int, isDumb: Bool) }

    enum Key {
        case free
        /// `isDumb`: whoever claimed it could neither ask nor send twice; `was`: what stood there before; `lost`: the claim
        /// of a lost station between that and this one, where that is what somebody told.
        case claimed(station: Int, token: Int64, isDumb: Bool, was: Word?, lost: Word?)
        case told(Word)
    }

    struct Station {
        let desk: TestStation
        var token: Int64, lives = true, applied: Int64 = 0
        var name: String { desk.membership.name }
    }

    var stations: [Station] = [], keys: [Key]

    init(keys count: Int) { keys = [Key](repeating: .free, count: count) }

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
        var answer = ClaimAnswer.granted, before: Word?, between: Word?
        switch keys[key] {
        case .free: break
        case .told(let word):
            if let refusal = refusal(word, wish, station, key) { return refusal }
            before = word
        case .claimed(_, mine, _, let was, let lost): (before, between) = (was, lost)
        case .claimed(let other, let token, _, _, _) where lives(token): return .held(by: stations[other].name)
        case .claimed(station, _, _, let was, let lost) where wish.isKnown: (before, between) = (was, lost)
        case .claimed(let other, _, let isDumb, let was, let lost):
            if let was, let refusal = refusal(was, wish, station, key) { return refusal }
            var isDumb = isDumb
            for case .lost(_, true)? in [was, lost] { isDumb = true }
            guard wish.anyway || wish.canBeAsked || wish.canBeSettled && !isDumb else {
                return .unsure(by: stations[other].name, isOwn: other == station)
            }
            answer = .takenOver
            // Of several that were lost the last may have been sent; what was told stands behind it.
            switch was {
            case .done?, .removed?: (before, between) = (was, .lost(other, isDumb: isDumb))
            default: before = .lost(other, isDumb: isDumb)
            }
        }
        keys[key] = .claimed(
            station: station, token: mine, isDumb: !wish.canBeSettled, was: before, lost: between)
        return answer
    }

    mutating func release(_ station: Int, _ key: Int, tried: Bool) -> Int {
        guard stations[station].lives,
            case .claimed(station, stations[station].token, let isDumb, let was, let lost) = keys[key]
        else { return 0 }
        switch lost ?? was {
        case _ where tried: keys[key] = .claimed(station: station, token: 0, isDumb: isDumb, was: was, lost: lost)
        case nil: keys[key] = .free
        case .lost(let other, let isDumb)?:
            keys[key] = .claimed(
                station: other, token: 0, isDumb: isDumb, was: lost == nil ? nil : was, lost: nil)
        case let word?: keys[key] = .told(word)
        }
        return 1
    }

    mutating func report(_ station: Int, _ key: Int, removed: Bool) {
        switch keys[key] {
        case .claimed(let other, let token, let isDumb, _, _) where removed && lives(token):
            keys[key] = .claimed(station: other, token: token, isDumb: isDumb, was: .removed(station), lost: nil)
        case .told(.done) where !removed: break
        case .told(.removed(let other)) where !removed && other != station: break
        default: keys[key] = .told(removed ? .removed(station) : .done(station))
        }
    }
}

/// The same numbers in each run.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
