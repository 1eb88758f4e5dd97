public import FilmgateCore
import Synchronization

/// A catalogue in memory that gives claims by the same rules as a real one; every station asks the same object.
public final class MemoryCatalog: Catalog {
    private struct Word {
        var station: String, state: CatalogCopy.State, receipt: String? = nil
        /// Whoever claimed it can neither ask nor send twice without harm.
        var isDumb = false
    }
    /// `before`: what stood there before the claim, such as that of a lost station.
    private struct Row { var token: Int64, word: Word, before: Word? = nil }
    private struct Key: Hashable { var content: ContentKey, target: String }
    private struct State {
        var rows: [Key: Row] = [:]
        /// Whether targets can be asked or take anything twice, as whoever named them first said; with `isOld`, that
        /// decides.
        var settles: [String: Bool] = [:], isOld = false
        var sessions: [Int64: String] = [:], applied: [String: Int64] = [:], last: Int64 = 0
        var away: IngestError?, undecided = 0, lost = 0, questions = 0, most = 0
        var copies: [CatalogCopy] = [], lookups: [Int] = [], delay = Duration.zero
        var statuses: [String: String] = [:]
        /// How the files of each station ended, by their paths.
        var seen: [String: [String: Ending]] = [:], takesReports = true
        /// What each station has met, by the files.
        var met: [String: [AssetID: SightingFact]] = [:]
        var cards: [Int] = [], cardDelay = Duration.zero, cardWords: [CardAtStation]?
        var refusal: IngestError?
    }
    private let state = Mutex(State())
    private let whenReleasing = Mutex<(@Sendable () async -> Void)?>(nil)

    public init() {}

    public let place = "memory", isOnThisMachine = true

    // MARK: What a test says and asks

    /// With nil, it answers again.
    public func set(away: IngestError?) { state.withLock { $0.away = away } }
    /// What it says to whoever asks for copies, and how long it takes for that.
    public func set(copies: [CatalogCopy], after delay: Duration = .zero) {
        state.withLock { ($0.copies, $0.delay) = (copies, delay) }
    }
    /// For how many files at once it was asked who has them.
    public var lookups: [Int] { state.withLock(\.lookups) }
    /// How many files it was asked about at once, of cards.
    public var cards: [Int] { state.withLock(\.cards) }
    /// How long it takes to say who has met the files of a card, and, with `words`, what it says in place of the truth.
    public func set(cards words: [CardAtStation]?, after delay: Duration = .zero) {
        state.withLock { ($0.cardWords, $0.cardDelay) = (words, delay) }
    }
    /// Claims go by the rules of tables before version 5.
    public func answerAsBefore() { state.withLock { $0.isOld = true } }
    /// What happens before anything is given back.
    public func beforeRelease(_ wait: @escaping @Sendable () async -> Void) { whenReleasing.withLock { $0 = wait } }
    /// So many answers decide nothing.
    public func leaveUndecided(_ count: Int) { state.withLock { $0.undecided = count } }
    /// So many reports are taken, and their answers never come.
    public func lose(answers count: Int) { state.withLock { $0.lost = count } }
    /// Up to where it knows that station.
    public func known(of station: String) -> Int64 { state.withLock { $0.applied[station] ?? 0 } }
    /// How its files ended, by their paths, as that station told.
    public func seen(by station: String) -> [String: Ending] { state.withLock { $0.seen[station] ?? [:] } }
    /// Loses what that station told, and with `applied` how much that was, as a backup from before would.
    public func forget(factsOf station: String, knowing applied: Int64? = nil) {
        state.withLock { state in
            (state.seen[station], state.met[station]) = (nil, nil)
            state.rows = state.rows.filter { $0.value.word.station != station }
            if let applied { state.applied[station] = applied }
        }
    }
    /// Sessions are renewed, and reports fail.
    public func set(refusing refusal: IngestError?) { state.withLock { $0.refusal = refusal } }
    /// Whether it takes reports at all; where not, each finds its session over.
    public func set(takesReports: Bool) { state.withLock { $0.takesReports = takesReports } }
    /// Ends the sessions of that station, as time would.
    public func end(sessionsOf station: String) {
        state.withLock { state in state.sessions = state.sessions.filter { $0.value != station } }
    }
    /// How often it was asked for claims, and for how many at once at most.
    public var claimed: (questions: Int, most: Int) { state.withLock { ($0.questions, $0.most) } }
    /// The claims of those that are there, and that are not done, by who has them.
    public var claims: [String] {
        state.withLock { state in
            let claimed = state.rows.values.filter { $0.word.state == .claimed && state.sessions[$0.token] != nil }
            return claimed.map(\.word.station).sorted()
        }
    }

    /// What that station said of itself last.
    public func status(of station: String) -> String? { state.withLock { $0.statuses[station] } }

    private func asked<Value: Sendable>(_ body: (inout State) throws(IngestError) -> Value) throws(IngestError) -> Value
    {
        try state.withLock { state throws(IngestError) in
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
        StationMembership(
            uuid: identity.uuid, name: identity.name, epoch: 1, catalog: String(repeating: "0", count: 32), applied: 0)
    }

    public func open(_ membership: StationMembership, last session: Int64?) async throws(IngestError) -> CatalogSession
    {
        try asked { state in
            state.sessions = state.sessions.filter { $0.value != membership.name }
            state.last += 1
            state.sessions[state.last] = membership.name
            return CatalogSession(
                token: state.last, applied: state.applied[membership.name] ?? 0, lasts: .seconds(60), timeline: nil)
        }
    }

    public func renew(_ session: Int64, status: String?) async throws(IngestError) -> Bool {
        try asked { state in
            guard let station = state.sessions[session] else { return false }
            if let status { state.statuses[station] = status }
            return true
        }
    }
    public func leave(_ session: Int64) async throws(IngestError) {
        try asked { state in state.sessions[session] = nil }
    }

    public func tell(_ report: StationReport, _ session: Int64) async throws(IngestError) -> Int64? {
        let known = try take(report, session)
        let isLost = state.withLock { state in
            defer { state.lost = max(0, state.lost - 1) }
            return state.lost > 0
        }
        if isLost { throw IngestError(.unavailable, "No answer.") }
        return known
    }

    private func take(_ report: StationReport, _ session: Int64) throws(IngestError) -> Int64? {
        try asked { state throws(IngestError) -> Int64? in
            if let refusal = state.refusal { throw refusal }
            guard let station = state.sessions[session], state.takesReports else { return nil }
            guard state.applied[station] ?? 0 == report.since else { return state.applied[station] ?? 0 }
            state.applied[station] = report.upTo
            for fact in report.sightings {
                state.seen[station, default: [:]][fact.origin.path] = fact.ending
                state.met[station, default: [:]][fact.origin.id] = fact
            }
            for fact in report.deliveries where fact.shared && fact.state != .withdrawn {
                let key = Key(content: fact.content, target: fact.target), old = state.rows[key]
                let isDone = fact.state == .done
                guard !isDone || old?.word.state != .done && old?.word.state != .removed else { continue }
                let word = Word(station: station, state: isDone ? .done : .removed, receipt: fact.receipt)
                if !isDone, old?.word.state == .claimed, state.sessions[old?.token ?? 0] != nil {
                    state.rows[key]?.before = word
                } else {
                    state.rows[key] = Row(token: session, word: word)
                }
            }
            return report.upTo
        }
    }

    public func claim(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> [ClaimAnswer] {
        try asked { state throws(IngestError) in
            guard let station = state.sessions[session] else { throw IngestError(.cancelled, "The session is over.") }
            guard wishes.count <= 256 else { throw IngestError(.rejected, "More than 256 claims at once.") }
            (state.questions, state.most) = (state.questions + 1, max(state.most, wishes.count))
            return wishes.map { wish in
                guard state.undecided == 0 else {
                    state.undecided -= 1
                    return .undecided
                }
                return Self.answer(wish, station, session, &state)
            }
        }
    }

    private static func answer(
        _ wish: ClaimWish, _ station: String, _ session: Int64, _ state: inout State
    ) -> ClaimAnswer {
        let key = Key(content: wish.content, target: wish.target)
        state.settles[wish.target] = state.settles[wish.target] ?? wish.canBeSettled
        var mine = Row(token: session, word: Word(station: station, state: .claimed))
        mine.word.isDumb = !wish.canBeSettled
        guard let row = state.rows[key] else {
            state.rows[key] = mine
            return .granted
        }
        mine.before = row.word.state == .claimed ? row.before : row.word
        let isKnown = row.word.station == station && wish.isKnown
        if row.word.state == .claimed {
            if row.token != session, state.sessions[row.token] != nil { return .held(by: row.word.station) }
            if row.token != session, !isKnown {
                if let before = row.before, let answer = refusal(before, wish, station, isOld: state.isOld) {
                    return answer
                }
                let isSettled =
                    state.isOld
                    ? state.settles[wish.target] == true
                    : wish.canBeAsked || wish.canBeSettled && !row.word.isDumb && row.before?.isDumb != true
                guard isSettled || wish.anyway else {
                    return .unsure(by: row.word.station, isOwn: row.word.station == station)
                }
                mine.before = row.before ?? row.word
                state.rows[key] = mine
                return .takenOver
            }
        } else if let answer = refusal(row.word, wish, station, isOld: state.isOld) {
            return answer
        }
        state.rows[key] = mine
        return .granted
    }

    /// What such a word is to whoever was told nothing against it by a person.
    private static func refusal(_ word: Word, _ wish: ClaimWish, _ station: String, isOld: Bool) -> ClaimAnswer? {
        let isOwn = word.station == station
        return switch word.state {
        case .done where !wish.insists: .done(by: word.station, receipt: word.receipt, isOwn: isOwn)
        case .removed where !wish.again || isOld: .removed(by: word.station, isOwn: isOwn)
        default: nil
        }
    }

    public func release(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> Int {
        let wait = whenReleasing.withLock(\.self)
        await wait?()
        return try asked { state in
            var count = 0
            for wish in wishes {
                let key = Key(content: wish.content, target: wish.target)
                guard let row = state.rows[key], row.token == session, row.word.state == .claimed,
                    state.sessions[session] != nil
                else {
                    continue
                }
                if wish.mayHaveArrived {
                    state.rows[key]?.token = 0
                } else {
                    state.rows[key] = row.before.map { Row(token: 0, word: $0) }
                }
                count += 1
            }
            return count
        }
    }

    public func copies(of sha256: [String]) async throws(IngestError) -> [CatalogCopy] {
        let delay = state.withLock { state in
            state.lookups.append(sha256.count)
            return state.delay
        }
        // Whoever does not want to wait any longer is not waited for.
        if delay > .zero { try? await Task.detached { try await Task.sleep(for: delay) }.value }
        let wanted = Set(sha256)
        return try asked { state in state.copies.filter { wanted.contains($0.sha256) } }
    }

    public func card(
        _ volume: String, _ files: [AssetID], _ session: Int64
    ) async throws(IngestError) -> [CardAtStation] {
        let delay = state.withLock { state in
            state.cards.append(files.count)
            return state.cardDelay
        }
        if delay > .zero { try? await Task.detached { try await Task.sleep(for: delay) }.value }
        return try asked { state throws(IngestError) -> [CardAtStation] in
            guard let own = state.sessions[session] else { throw IngestError(.cancelled, "The session is over.") }
            if let words = state.cardWords { return words }
            return state.met.sorted { $0.key < $1.key }.compactMap { station, facts -> CardAtStation? in
                let found = files.compactMap { facts[$0] }.filter { $0.origin.volume == volume }
                guard station != own, let last = found.map(\.at).max() else { return nil }
                let endings = Dictionary(grouping: found, by: \.ending).mapValues(\.count)
                return CardAtStation(station: station, endings: endings, at: last)
            }
        }
    }

    public func stations() async throws(IngestError) -> [StationSummary] { [] }
    public func revoke(_ station: String) async throws(IngestError) -> Bool { false }
    public func release(claimsOf station: String) async throws(IngestError) -> Int? { nil }
    public func close() async {}
}
