/// How soon the next password from an address, or for a login, is looked at.
///
/// Failures are counted over connections: by address (a /64 of IPv6) and by login. After `free` of them each further
/// failure closes the address and the login for longer, up to `slowest`; what comes meanwhile waits, right or wrong. A
/// login that has come in from an address before is not held up there by what other addresses try. A right password
/// takes no failure back: whoever has one could guess others with it. Failures are forgotten after `memory` without
/// one.
///
/// What nobody could say is no failure, and costs whoever is asked as much as one: an address that sends such is closed
/// to new questions as long as for failures, and that is forgotten sooner.
///
/// Passwords may be looked at side by side, but never more than fail for free: whoever sends many at once is slowed as
/// whoever sends one after the other.
struct LoginThrottle: Sendable {
    typealias Instant = ContinuousClock.Instant
    struct Attempt: Sendable, Hashable {
        /// As `PeerAddress.network` gives it.
        var network: String
        /// Nil where no login has that name.
        var login: String?
    }
    private struct Failures: Sendable { var count = 0, last: Instant, next: Instant }
    static let free = 3, slowest = Duration.seconds(4), memory = Duration.seconds(900), most = 4096
    /// How long it is remembered that nobody could say.
    static let shortMemory = Duration.seconds(30)

    private var networks: [String: Failures] = [:], logins: [String?: Failures] = [:]
    /// What nobody could say, by address.
    private var unknown: [String: Failures] = [:]
    /// How many are being looked at.
    private var underWay: [Attempt: Int] = [:]
    /// Who has logged in from where, and in which turn each was last looked at.
    private var known: [Attempt: Instant] = [:], turns: [Attempt: Int] = [:], turn = 0

    /// When such a password may be looked at; a time that is past where it may be now.
    func due(_ attempt: Attempt, at now: Instant) -> Instant {
        let near = max(
            Self.next(networks[attempt.network], now), Self.next(unknown[attempt.network], now, Self.shortMemory))
        let far = Self.next(logins[attempt.login], now)
        return known[attempt] == nil ? max(near, far) : near
    }

    /// Which of those that wait is looked at now; nil = none.
    ///
    /// The kind that waited longest since its last turn goes first, then who came first: guesses at one login do not
    /// hold up the others. Who is ahead keeps the address and the login for itself until both are open: they open at
    /// different moments, and whoever comes later would take each as it opens, for ever.
    func first(of waiting: [(attempt: Attempt, number: Int)], at now: Instant) -> Int? {
        let order = waiting.indices.sorted {
            (turns[waiting[$0].attempt] ?? 0, waiting[$0].number) < (
                turns[waiting[$1].attempt] ?? 0, waiting[$1].number
            )
        }
        var networks: Set<String> = [], logins: Set<String?> = []
        for index in order {
            let attempt = waiting[index].attempt, isKnown = known[attempt] != nil
            let isBlocked = networks.contains(attempt.network) || !isKnown && logins.contains(attempt.login)
            if !isBlocked, !isFull(attempt, now), due(attempt, at: now) <= now { return index }
            networks.insert(attempt.network)
            if !isKnown { logins.insert(attempt.login) }
        }
        return nil
    }

    /// True when the address has to wait between passwords.
    func isSlowed(_ network: String, at now: Instant) -> Bool {
        (Self.current(networks[network], now)?.count ?? 0) >= Self.free
    }

    /// What is being looked at may all be wrong: no further one is begun that would not be free then.
    private func isFull(_ attempt: Attempt, _ now: Instant) -> Bool {
        func isFull(_ failures: Failures?, _ count: Int, _ memory: Duration = Self.memory) -> Bool {
            count > 0 && (Self.current(failures, now, memory)?.count ?? 0) + count >= Self.free
        }
        let near = underWay.reduce(0) { $0 + ($1.key.network == attempt.network ? $1.value : 0) }
        let far = underWay.reduce(0) { $0 + ($1.key.login == attempt.login ? $1.value : 0) }
        return isFull(networks[attempt.network], near) || isFull(unknown[attempt.network], near, Self.shortMemory)
            || known[attempt] == nil && isFull(logins[attempt.login], far)
    }

    /// Its password is being looked at, until `end`.
    mutating func begin(_ attempt: Attempt) { underWay[attempt, default: 0] += 1 }

    mutating func end(_ attempt: Attempt) {
        underWay[attempt] = underWay[attempt].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    mutating func note(_ attempt: Attempt, isRight: Bool, at now: Instant) {
        hadTurn(attempt)
        if isRight {
            known[attempt] = now
            Self.trim(&known) { $0 }
        } else {
            networks[attempt.network] = Self.failed(networks[attempt.network], now)
            logins[attempt.login] = Self.failed(logins[attempt.login], now)
            Self.trim(&networks, by: \.last)
            Self.trim(&logins, by: \.last)
        }
    }

    /// Nobody could say.
    mutating func noteUnknown(_ attempt: Attempt, at now: Instant) {
        hadTurn(attempt)
        unknown[attempt.network] = Self.failed(unknown[attempt.network], now, Self.shortMemory)
        Self.trim(&unknown, by: \.last)
    }

    private mutating func hadTurn(_ attempt: Attempt) {
        turn += 1
        turns[attempt] = turn
        if turns.count > Self.most { turns = turns.filter { $0.value > turn - Self.most / 2 } }
    }

    private static func current(_ failures: Failures?, _ now: Instant, _ memory: Duration = memory) -> Failures? {
        failures.flatMap { $0.last + memory > now ? $0 : nil }
    }

    private static func next(_ failures: Failures?, _ now: Instant, _ memory: Duration = memory) -> Instant {
        current(failures, now, memory)?.next ?? now
    }

    /// Behind the last free one: 1 s, 2 s, 4 s.
    private static func failed(_ before: Failures?, _ now: Instant, _ memory: Duration = memory) -> Failures {
        let count = (current(before, now, memory)?.count ?? 0) + 1
        guard count >= free else { return Failures(count: count, last: now, next: now) }
        return Failures(count: count, last: now, next: now + min(.seconds(1 << min(count - free, 6)), slowest))
    }

    /// Bounded, whoever invents addresses: the half that was heard of longest ago goes.
    private static func trim<Key, Value>(_ table: inout [Key: Value], by time: (Value) -> Instant) {
        guard table.count > most else { return }
        let middle = table.values.map(time).sorted()[table.count / 2]
        table = table.filter { time($0.value) > middle }
    }
}
