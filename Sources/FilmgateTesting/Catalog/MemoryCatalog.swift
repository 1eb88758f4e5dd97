public import FilmgateCore
import Synchronization

/// A catalogue in memory that gives claims by the same rules as a real one; every station asks the same object.
public final class MemoryCatalog: Catalog {
    private struct State {
        var stations: MemoryStations, deliveries = MemoryDeliveries(), isOld = false
        var away: IngestError? = nil, undecided = 0, lost = 0, questions = 0, most = 0
        var copies: [CatalogCopy] = [], lookups: [Int] = [], delay = Duration.zero
        var statuses: [String: String] = [:], takesReports = true
        /// What each station has met, by the files, and how long each content is.
        var met: [String: [AssetID: SightingFact]] = [:], sizes: [String: UInt64] = [:]
        var cards: [Int] = [], cardDelay = Duration.zero, cardWords: [CardAtStation]? = nil
        var refusal: IngestError? = nil, tellsTimes: Bool
        var history: ServerHistory? = nil, takesSessions = true, renewals = 0
    }
    /// What all roles ask.
    private final class Shared: Sendable {
        let state: Mutex<State>, whenReleasing = Mutex<(@Sendable () async -> Void)?>(nil)
        let whenTold = Mutex<(@Sendable () async -> Void)?>(nil)
        init(_ state: State) { self.state = Mutex(state) }
    }
    private let shared: Shared, isStrict: Bool
    /// As which it is asked; nil for whoever keeps it.
    private let role: String?

    /// `isStrict`: it refuses and tells whatever a real one would.
    ///
    /// Without it whoever opens a session has joined, any text is a digest, and a test says who has what.
    public convenience init(isStrict: Bool = false) {
        let state = State(stations: MemoryStations(isStrict: isStrict), tellsTimes: isStrict)
        self.init(Shared(state), isStrict: isStrict)
    }

    private init(_ shared: Shared, isStrict: Bool, role: String? = nil) {
        (self.shared, self.isStrict, self.role) = (shared, isStrict, role)
    }

    /// The same catalogue as that role sees it.
    public func `as`(_ role: String) -> MemoryCatalog { MemoryCatalog(shared, isStrict: isStrict, role: role) }

    public let place = "memory", isOnThisMachine = true

    // MARK: What a test says and asks

    /// With nil, it answers again.
    public func set(away: IngestError?) { shared.state.withLock { $0.away = away } }
    /// What it says to whoever asks for copies, and how long it takes for that.
    public func set(copies: [CatalogCopy], after delay: Duration = .zero) {
        shared.state.withLock { ($0.copies, $0.delay) = (copies, delay) }
    }
    /// For how many files at once it was asked who has them.
    public var lookups: [Int] { shared.state.withLock(\.lookups) }
    /// How many files it was asked about at once, of cards.
    public var cards: [Int] { shared.state.withLock(\.cards) }
    /// How long it takes to say who has met the files of a card, and, with `words`, what it says in place of the truth.
    public func set(cards words: [CardAtStation]?, after delay: Duration = .zero) {
        shared.state.withLock { ($0.cardWords, $0.cardDelay) = (words, delay) }
    }
    /// Claims go by the rules of tables before version 5.
    public func answerAsBefore() { shared.state.withLock { $0.isOld = true } }
    /// What happens before anything is given back.
    public func beforeRelease(_ wait: @escaping @Sendable () async -> Void) {
        shared.whenReleasing.withLock { $0 = wait }
    }
    /// It says when something was claimed, as a strict one does; what time it is there.
    public func tellTimes() -> Int64 {
        shared.state.withLock { state in
            state.tellsTimes = true
            return state.stations.time
        }
    }
    /// What happens before a report is taken.
    public func beforeReport(_ wait: @escaping @Sendable () async -> Void) { shared.whenTold.withLock { $0 = wait } }
    /// How often sessions were renewed.
    public var renewals: Int { shared.state.withLock(\.renewals) }
    /// So many answers decide nothing.
    public func leaveUndecided(_ count: Int) { shared.state.withLock { $0.undecided = count } }
    /// So many reports are taken, and their answers never come.
    public func lose(answers count: Int) { shared.state.withLock { $0.lost = count } }
    /// Up to where it knows that station.
    public func known(of station: String) -> Int64 {
        shared.state.withLock { state in state.stations.identity(named: station).map { state.stations.applied($0) } ?? 0
        }
    }
    /// How its files ended, by their paths, as that station told.
    public func seen(by station: String) -> [String: Ending] {
        shared.state.withLock { state in
            let facts = state.stations.identity(named: station).flatMap { state.met[$0] } ?? [:]
            return Dictionary(facts.values.map { ($0.origin.path, $0.ending) }) { $1 }
        }
    }
    /// Loses what that station told, and with `applied` how much that was, as a backup from before would.
    public func forget(factsOf station: String, knowing applied: Int64? = nil) {
        shared.state.withLock { state in
            let identity = state.stations.identity(named: station) ?? station
            state.met[identity] = nil
            state.deliveries.forget(identity)
            if let applied { state.stations.set(applied: applied, of: identity) }
        }
    }
    /// So much time goes by, in which nobody renews anything.
    public func pass(_ time: Duration) { shared.state.withLock { $0.stations.pass(time) } }
    /// Sessions are renewed, and reports fail.
    public func set(refusing refusal: IngestError?) { shared.state.withLock { $0.refusal = refusal } }
    /// Whether it takes reports at all; where not, each finds its session over.
    public func set(takesReports: Bool) { shared.state.withLock { $0.takesReports = takesReports } }
    /// Another server has taken its place; with `losingClaims`, one that never got what was claimed last.
    public func failOver(to history: ServerHistory, losingClaims: Bool = false) {
        shared.state.withLock { state in
            state.history = history
            if losingClaims { state.deliveries.forgetClaims() }
        }
    }
    /// Whether sessions are opened; those that are there go on.
    public func set(takesSessions: Bool) { shared.state.withLock { $0.takesSessions = takesSessions } }
    /// Ends the sessions of that station, as time would.
    public func end(sessionsOf station: String) {
        shared.state.withLock { state in
            if let identity = state.stations.identity(named: station) { state.stations.end(identity) }
        }
    }
    /// How often it was asked for claims, and for how many at once at most.
    public var claimed: (questions: Int, most: Int) { shared.state.withLock { ($0.questions, $0.most) } }
    /// The claims of those that are there, and that are not done, by who has them.
    public var claims: [String] { shared.state.withLock { $0.deliveries.claims($0.stations) } }

    /// What that station said of itself last.
    public func status(of station: String) -> String? { shared.state.withLock { $0.statuses[station] } }

    private func asked<Value: Sendable>(_ body: (inout State) throws(IngestError) -> Value) throws(IngestError) -> Value
    {
        try shared.state.withLock { state throws(IngestError) in
            if let away = state.away { throw away }
            return try body(&state)
        }
    }

    // MARK: Catalog

    public func condition() async throws(IngestError) -> CatalogCondition {
        CatalogCondition(server: place, version: "1", protection: "none", role: "test")
    }
    public func migration() async throws(IngestError) -> [String] { [] }
    public func migrate() async throws(IngestError) -> [String] { [] }
    public func join(_ identity: StationIdentity) async throws(IngestError) -> StationMembership {
        try asked { state throws(IngestError) in try state.stations.join(identity, as: role) }
    }

    public func open(_ membership: StationMembership, last session: Int64?) async throws(IngestError) -> CatalogSession
    {
        try asked { state throws(IngestError) in
            guard state.takesSessions else { throw IngestError(.unavailable, "No answer.") }
            var open = try state.stations.open(membership, last: session, as: role)
            open.history = state.history
            return open
        }
    }

    public func applied(
        of membership: StationMembership, last session: Int64?
    ) async throws(IngestError) -> Int64? {
        guard isStrict else { return nil }
        return try asked { state throws(IngestError) in
            try state.stations.applied(of: membership, last: session, as: role)
        }
    }

    public func renew(_ session: Int64, status: String?) async throws(IngestError) -> CatalogRenewal? {
        try asked { state -> CatalogRenewal? in
            guard let station = state.stations.station(of: session, as: role) else { return nil }
            if let status { state.statuses[state.stations.name(of: station)] = status }
            let isLasting = state.stations.renew(session, status: status, as: role)
            state.renewals += 1
            return isLasting ? CatalogRenewal(history: state.history) : nil
        }
    }
    public func leave(_ session: Int64) async throws(IngestError) {
        try asked { state in state.stations.leave(session, as: role) }
    }

    public func tell(_ report: StationReport, _ session: Int64) async throws(IngestError) -> Int64? {
        let wait = shared.whenTold.withLock(\.self)
        await wait?()
        let known = try take(report, session)
        let isLost = shared.state.withLock { state in
            defer { state.lost = max(0, state.lost - 1) }
            return state.lost > 0
        }
        if isLost { throw IngestError(.unavailable, "No answer.") }
        return known
    }

    private func take(_ report: StationReport, _ session: Int64) throws(IngestError) -> Int64? {
        try asked { state throws(IngestError) -> Int64? in
            if let refusal = state.refusal { throw refusal }
            guard let station = state.stations.station(of: session, as: role), state.takesReports else { return nil }
            if isStrict, report.upTo <= report.since { throw IngestError(.rejected, "A report of this order.") }
            guard state.stations.applied(station) == report.since else { return state.stations.applied(station) }
            try check(report.contents.map { ContentKey(sha256: $0.sha256) } + report.deliveries.map(\.content))
            state.stations.set(applied: report.upTo, of: station)
            for fact in report.contents { state.sizes[fact.sha256] = state.sizes[fact.sha256] ?? fact.size }
            for var fact in report.sightings {
                fact.sha256 = fact.sha256 ?? state.met[station]?[fact.origin.id]?.sha256
                state.met[station, default: [:]][fact.origin.id] = fact
            }
            for fact in report.deliveries {
                state.deliveries.take(fact, from: station, session, upTo: report.upTo, state.stations)
            }
            return report.upTo
        }
    }

    /// All or nothing: one that is no digest refuses the rest, too.
    private func check(_ contents: [ContentKey]) throws(IngestError) {
        guard isStrict else { return }
        for content in contents where !Self.isDigest(content.sha256) || content.beside.map(Self.isDigest) == false {
            throw IngestError(.rejected, "\(content.rawValue) is no digest.")
        }
    }

    private func requireFew(_ count: Int) throws(IngestError) {
        if count > 256 { throw IngestError(.rejected, "More than 256 at once.") }
    }

    private static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
    }

    public func claim(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> [ClaimAnswer] {
        if wishes.isEmpty { return [] }
        return try asked { state throws(IngestError) in
            guard let station = state.stations.station(of: session, as: role) else {
                throw IngestError(.cancelled, "The session is over.")
            }
            try requireFew(wishes.count)
            try check(wishes.map(\.content))
            (state.questions, state.most) = (state.questions + 1, max(state.most, wishes.count))
            // Whoever wishes the same twice is answered the same twice.
            var given: [ClaimWish: ClaimAnswer] = [:]
            return wishes.map { wish in
                guard state.undecided == 0 else {
                    state.undecided -= 1
                    return .undecided
                }
                let answer =
                    given[wish]
                    ?? state.deliveries.claim(wish, by: station, session, state.stations, isOld: state.isOld)
                given[wish] = answer
                return state.tellsTimes ? answer : answer.untimed
            }
        }
    }

    public func release(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> Int {
        let wait = shared.whenReleasing.withLock(\.self)
        await wait?()
        return try asked { state throws(IngestError) in
            try requireFew(wishes.count)
            return state.stations.station(of: session, as: role) == nil
                ? 0 : state.deliveries.release(wishes, session, at: state.stations.time)
        }
    }

    public func copies(of sha256: [String]) async throws(IngestError) -> [CatalogCopy] {
        let delay = shared.state.withLock { state in
            state.lookups.append(sha256.count)
            return state.delay
        }
        // Whoever does not want to wait any longer is not waited for.
        if delay > .zero { try? await Task.detached { try await Task.sleep(for: delay) }.value }
        let wanted = Set(sha256)
        return try asked { state throws(IngestError) in
            try requireFew(sha256.count)
            guard isStrict else { return state.copies.filter { wanted.contains($0.sha256) } }
            try state.stations.refuseShutOut(role, joining: false)
            return Self.copies(of: wanted, state)
        }
    }

    private static func copies(of wanted: Set<String>, _ state: State) -> [CatalogCopy] {
        let seen = state.met.flatMap { station, facts in
            facts.values.compactMap { fact -> CatalogCopy? in
                guard let sha = fact.sha256, wanted.contains(sha) else { return nil }
                var copy = CatalogCopy(
                    sha256: sha, station: state.stations.name(of: station), state: .seen,
                    place: fact.origin.volumePath, at: fact.at)
                copy.detail = fact.ending.rawValue
                return copy
            }
        }
        var copies = seen + state.deliveries.copies(of: wanted, state.stations)
        for index in copies.indices where copies[index].size == nil {
            copies[index].size = state.sizes[copies[index].sha256]
        }
        return copies.sorted { ($0.sha256, $0.station) < ($1.sha256, $1.station) }
    }

    public func card(
        _ volume: String, _ files: [AssetID], _ session: Int64
    ) async throws(IngestError) -> [CardAtStation] {
        if files.isEmpty { return [] }
        let delay = shared.state.withLock { state in
            state.cards.append(files.count)
            return state.cardDelay
        }
        if delay > .zero { try? await Task.detached { try await Task.sleep(for: delay) }.value }
        return try asked { state throws(IngestError) -> [CardAtStation] in
            guard let own = state.stations.station(of: session, as: role) else {
                throw IngestError(.cancelled, "The session is over.")
            }
            try requireFew(files.count)
            if let words = state.cardWords { return words }
            let words = state.met.compactMap { station, facts -> CardAtStation? in
                let found = files.compactMap { facts[$0] }.filter { $0.origin.volume == volume }
                guard station != own, !state.stations.isRevoked(station), let last = found.map(\.at).max() else {
                    return nil
                }
                let endings = Dictionary(grouping: found, by: \.ending).mapValues(\.count)
                return CardAtStation(station: state.stations.name(of: station), endings: endings, at: last)
            }
            return words.sorted { $0.station < $1.station }
        }
    }

    public func stations() async throws(IngestError) -> [StationSummary] {
        try asked { state throws(IngestError) in
            guard isStrict else { return [] }
            try state.stations.refuseShutOut(role, joining: false)
            return state.stations.summaries()
        }
    }

    private func requireOwner() throws(IngestError) {
        if role != nil { throw IngestError(.unauthorized, "No station's role may do this.") }
    }

    public func revoke(_ station: String) async throws(IngestError) -> Bool {
        try asked { state throws(IngestError) in
            try requireOwner()
            return state.stations.revoke(station)
        }
    }
    public func release(claimsOf station: String) async throws(IngestError) -> Int? {
        try asked { state throws(IngestError) -> Int? in
            try requireOwner()
            guard let identity = state.stations.identity(named: station) else { return nil }
            guard !state.stations.isPresent(identity) else {
                throw IngestError(.stateLocked, "\(station) is there now and may be sending what it has claimed.")
            }
            return state.deliveries.giveFree(identity, state.stations)
        }
    }
    public func close() async {}
}
