import FilmgateCore

/// What this station asks a catalogue for before it sends to shared targets, and whom it answers: events in, actions
/// out.
///
/// A plain state machine, without clock, task or connection. The rules that it keeps: nobody is told that a claim is
/// granted unless the catalogue said so in the session that lasts now, and that was renewed within `freshness`; an
/// answer that decides nothing is asked for again; one question is under way at a time, with 256 wishes at most;
/// whoever waits is answered once the catalogue answers or is known to be away.
struct ClaimTable: Sendable {
    struct Key: Hashable, Sendable {
        var content: ContentKey, target: String
        init(_ wish: ClaimWish) { (content, target) = (wish.content, wish.target) }
    }

    /// What is said to whoever would like to deliver.
    enum Verdict: Sendable, Hashable {
        case answer(ClaimAnswer)
        /// The catalogue cannot be asked now, and why.
        case away(String)
    }

    enum Event: Sendable {
        /// `isReserving`: not to send it now, but to keep others from it until its own turn comes.
        case wanted(ClaimWish, asker: Int, isReserving: Bool = false)
        /// It waits for no answer any more.
        case withdrawn(asker: Int)
        /// Wishes had their time to come together.
        case gathered
        case answered(question: Int, Result<[ClaimAnswer], IngestError>)
        /// The session was opened or renewed; the request went out at that moment.
        case session(Int64, since: ContinuousClock.Instant)
        case away(String)
        /// A try is over: with `isDone`, the ledger's report says the rest.
        ///
        /// Without `mayHaveArrived`, nothing of it can be at the target.
        case ended(ClaimWish, isDone: Bool, mayHaveArrived: Bool = true)
        /// Nothing is sent to that target while it is held.
        case heldUp(target: String)
        /// Nothing is tried with it any more at this station.
        case dropped(ContentKey, target: String)
        /// The run is over: what is ours and was not delivered is given back.
        case stopped
    }

    enum Action: Sendable {
        /// Leads to `gathered`.
        case gather(Duration)
        /// Leads to `answered`.
        case ask([ClaimWish], session: Int64, question: Int)
        case tell(asker: Int, Verdict)
        case release([ClaimWish], session: Int64)
        /// Another station has what is being sent.
        case lost(Key)
        /// Whoever keeps the session looks whether it lasts still: leads to `session` or `away`.
        case doubt
    }

    private enum Reach: Hashable {
        /// Nothing was heard yet, or the session is over: whoever asks waits for the next word.
        case unknown
        case open(Int64, since: ContinuousClock.Instant)
        case away(String)
    }

    private struct Asked: Sendable {
        var wish: ClaimWish
        /// Nil: asked again for what is being sent, because the session is another.
        var asker: Int?
        var isReserving = false, tries = 0
        /// How often the catalogue could not be asked.
        var failures = 0
    }

    static let most = 256, freshness = Duration.seconds(40)
    private static let gathering = Duration.milliseconds(4), again = Duration.milliseconds(30), mostTries = 40,
        mostFailures = 3

    private static let over = "the run is over"

    private var reach = Reach.unknown
    private var waiting: [Asked] = [], asking: [Asked] = [], question = 0, session: Int64 = 0
    private var isGathering = false, isStopped = false
    /// After a refusal wishes are asked for one by one, so that the one which is at fault takes no other with it.
    private var singly = 0
    /// What is being sent; and what is ours, may have arrived and is to be tried again.
    private var sending: [Key: ClaimWish] = [:], kept: [Key: ClaimWish] = [:]
    /// What is ours and can have arrived nowhere: its turn comes.
    private var reserved: [Key: ClaimWish] = [:]
    /// What another station may have sent where nobody can ask, though its claim was given to this one.
    private var doubts: Set<Key> = []
    /// The session that was opened last and when it was known to last; nil once it is over.
    private var lease: (token: Int64, since: ContinuousClock.Instant)?
    /// What was given back while the catalogue could not be told.
    private var owed: [ClaimWish] = []
    /// In which session each of them was granted.
    private var granted: [Key: Int64] = [:]
    private var now: ContinuousClock.Instant
    private var actions: [Action] = []

    init(at now: ContinuousClock.Instant) { self.now = now }

    /// Nobody waits for an answer.
    var isIdle: Bool { waiting.isEmpty && asking.isEmpty }
    /// Claims that are this station's: what is being sent, and what is to be tried, perhaps again.
    var held: Int { sending.count + kept.count + reserved.count }
    var isAway: Bool { trouble != nil }
    /// Why the catalogue cannot be asked; nil where nothing is known of that.
    var trouble: String? { if case .away(let words) = reach { words } else { nil } }

    /// In which session what is being sent was granted last.
    func session(of key: Key) -> Int64? { sending[key] == nil ? nil : granted[key] }

    /// Until when what was granted in that session may be begun to be sent; nil once it lasts no more.
    ///
    /// Whether the catalogue can be reached meanwhile says nothing of the claim. What is granted anew in another
    /// session was anybody's in between.
    func end(of key: Key, in session: Int64?) -> ContinuousClock.Instant? {
        guard let lease, lease.token == session, self.session(of: key) == session else { return nil }
        return lease.since + Self.freshness
    }

    mutating func handle(_ event: Event, at now: ContinuousClock.Instant) -> [Action] {
        self.now = now
        switch event {
        case .wanted(let wish, let asker, let isReserving):
            want(Asked(wish: wish, asker: asker, isReserving: isReserving))
        case .withdrawn(let asker): withdraw(asker)
        case .gathered:
            isGathering = false
            ask()
        case .answered(let number, let result): if number == question { answered(result) }
        case .session(let token, let since): opened(token, since)
        case .away(let words): lose(words)
        case .ended(let wish, let isDone, let mayHaveArrived): ended(wish, isDone, mayHaveArrived)
        case .heldUp(let target): heldUp(target)
        case .dropped(let content, let target): drop(Key(ClaimWish(content: content, target: target, targetName: "")))
        case .stopped: stop()
        }
        defer { actions = [] }
        return actions
    }

    // MARK: Wishes

    private mutating func want(_ asked: Asked) {
        if case .away(let words) = reach { return tell(asked, .away(words)) }
        if asked.isReserving, isOurs(Key(asked.wish)) { return tell(asked, .answer(.granted)) }
        waiting.append(asked)
        gather()
    }

    /// Claimed in the session that lasts now, for whatever purpose.
    private func isOurs(_ key: Key) -> Bool {
        guard case .open(let token, let since) = reach, now - since < Self.freshness else { return false }
        return granted[key] == token && (sending[key] ?? kept[key] ?? reserved[key]) != nil
    }

    private mutating func withdraw(_ asker: Int) {
        waiting.removeAll { $0.asker == asker }
        // What is granted to nobody is given back when the answer comes.
        for index in asking.indices where asking[index].asker == asker { asking[index].asker = nil }
    }

    private mutating func gather(for time: Duration = Self.gathering) {
        guard case .open = reach, !isGathering, asking.isEmpty, !waiting.isEmpty else { return }
        isGathering = true
        actions.append(.gather(time))
    }

    private mutating func ask() {
        guard case .open(let token, let since) = reach, asking.isEmpty, !waiting.isEmpty else { return }
        // Nobody knows whether the session lasts still: its keeper is asked, and whoever waits goes on waiting for that
        // word.
        guard now - since < Self.freshness else {
            reach = .unknown
            return actions.append(.doubt)
        }
        let count = min(waiting.count, singly > 0 ? 1 : Self.most)
        singly = max(0, singly - 1)
        asking = Array(waiting.prefix(count))
        waiting.removeFirst(count)
        (question, session) = (question + 1, token)
        actions.append(.ask(asking.map { known($0.wish) }, session: token, question: question))
    }

    /// What was granted before, in whatever session, is this station's own: it knows what it did with that.
    private func known(_ wish: ClaimWish) -> ClaimWish {
        var wish = wish
        if granted[Key(wish)] != nil { wish.isKnown = true }
        return wish
    }

    private mutating func tell(_ asked: Asked, _ verdict: Verdict) {
        if let asker = asked.asker { actions.append(.tell(asker: asker, verdict)) }
    }

    // MARK: Answers

    private mutating func answered(_ result: Result<[ClaimAnswer], IngestError>) {
        let asked = asking
        asking = []
        guard case .open(session, let since) = reach else {
            // Another word came meanwhile: what was granted in a session that is doubtful is asked for again.
            return again(asked)
        }
        switch result {
        case .success(let answers) where answers.count == asked.count:
            let isFresh = now - since < Self.freshness
            for (one, answer) in zip(asked, answers) { take(answer, one, session, isFresh: isFresh) }
            gather(for: waiting.contains { $0.tries > 0 } ? Self.again : Self.gathering)
        case .success:
            refused(
                asked,
                IngestError(.protocolViolation, "The catalogue gave another number of answers than it was asked for."))
        case .failure(let error): refused(asked, error)
        }
    }

    private mutating func again(_ asked: [Asked]) {
        if case .away(let words) = reach {
            for one in asked { tell(one, .away(words)) }
        } else {
            waiting = asked.filter { $0.asker != nil || sending[Key($0.wish)] != nil } + waiting
            gather()
        }
    }

    private mutating func take(_ answer: ClaimAnswer, _ asked: Asked, _ token: Int64, isFresh: Bool) {
        let key = Key(asked.wish)
        switch answer {
        case .granted, .takenOver:
            guard isFresh else { return waiting.append(asked) }
            let said = doubted(answer, asked.wish)
            granted[key] = token
            let isHeld = (sending[key] ?? kept[key]) != nil
            if asked.asker != nil, asked.isReserving {
                if !isHeld, doubts.contains(key) {
                    kept[key] = asked.wish
                } else if !isHeld {
                    reserved[key] = asked.wish
                }
                tell(asked, .answer(said))
            } else if asked.asker != nil {
                (sending[key], kept[key], reserved[key]) = (asked.wish, nil, nil)
                tell(asked, .answer(said))
            } else if !isHeld, reserved[key] == nil {
                release([asked.wish], token)
            }
        case .undecided:
            // Never free: it is asked for again.
            guard asked.asker != nil else { return }
            guard asked.tries < Self.mostTries else { return tell(asked, .answer(.held(by: "another station"))) }
            var again = asked
            again.tries += 1
            waiting.append(again)
        default:
            (kept[key], reserved[key], granted[key]) = (nil, nil, nil)
            doubts.remove(key)
            if answer.isAnothers, sending[key] != nil { actions.append(.lost(key)) }
            tell(asked, .answer(answer))
        }
    }

    /// The same, unless another station may have sent it: that stays so although the claim is ours by now, until the
    /// target is asked or a person has looked.
    private mutating func doubted(_ answer: ClaimAnswer, _ wish: ClaimWish) -> ClaimAnswer {
        let key = Key(wish)
        if wish.canBeSettled || wish.anyway {
            doubts.remove(key)
        } else if answer == .takenOver {
            doubts.insert(key)
        }
        return doubts.contains(key) ? .takenOver : answer
    }

    private mutating func refused(_ asked: [Asked], _ error: IngestError) {
        if error.code == .cancelled {
            // The session is over: all wait for the next one.
            (reach, lease) = (.unknown, nil)
            waiting = asked.filter { $0.asker != nil } + waiting
            return actions.append(.doubt)
        }
        guard error.code.isAboutTheTarget || error.code == .misconfigured else {
            if asked.count > 1 {
                (singly, waiting) = (asked.count, asked + waiting)
            } else {
                for one in asked { tell(one, .away(error.message)) }
            }
            return gather()
        }
        // A connection may just have ended: whether the catalogue is away is for its session's keeper to say, unless that
        // finds it there each time.
        let failed = asked.map { one in
            var one = one
            one.failures += 1
            return one
        }
        waiting = failed + waiting
        if isStopped || failed.contains(where: { $0.failures >= Self.mostFailures }) {
            lose(error.message)
        } else {
            reach = .unknown
        }
        actions.append(.doubt)
    }

    // MARK: The session

    private mutating func opened(_ token: Int64, _ since: ContinuousClock.Instant) {
        // What was given back while nobody could be told, and is not wanted again.
        let again = Set((waiting + asking).map { Key($0.wish) })
        let owed = owed.filter { !again.contains(Key($0)) && granted[Key($0)] == nil }
        let isSame = lease?.token == token
        self.owed = []
        (reach, lease) = (.open(token, since: since), (token, since))
        if isSame { release(inPieces: owed, token) }
        // What is being sent is asked for anew in another session, so that nobody else begins with it.
        let asked = Set((waiting + asking).map { Key($0.wish) })
        for (key, wish) in sending where granted[key] != token && !asked.contains(key) {
            waiting.append(Asked(wish: wish))
        }
        gather()
    }

    private mutating func lose(_ words: String) {
        reach = .away(words)
        for one in waiting { tell(one, .away(words)) }
        waiting = []
    }

    // MARK: Endings

    private mutating func ended(_ wish: ClaimWish, _ isDone: Bool, _ mayHaveArrived: Bool) {
        let key = Key(wish)
        guard sending.drop(key) != nil else { return }
        if isDone {
            granted[key] = nil
            doubts.remove(key)
        } else if mayHaveArrived || wish.isKnown || doubts.contains(key) {
            kept[key] = wish
        } else {
            reserved[key] = wish
        }
        if isStopped { stop() }
    }

    private mutating func drop(_ key: Key) {
        let wishes = [kept.drop(key).flatMap(Self.tried), reserved.drop(key)].compactMap(\.self)
        if !wishes.isEmpty { giveBack(wishes) }
    }

    /// Another station need not wait for this one; what is claimed here is asked for anew with its next try.
    private mutating func heldUp(_ target: String) {
        for key in Set(kept.keys).union(reserved.keys) where key.target == target {
            if reserved[key] != nil || kept[key]?.canBeSettled == true { drop(key) }
        }
    }

    /// Whoever has it next asks the target first; nil where nobody can: it stays claimed, and somebody has to look.
    private static func tried(_ wish: ClaimWish) -> ClaimWish? {
        guard wish.canBeSettled else { return nil }
        var wish = wish
        wish.mayHaveArrived = true
        return wish
    }

    private mutating func stop() {
        isStopped = true
        let all = kept.values.compactMap(Self.tried) + reserved.values
        (kept, reserved) = ([:], [:])
        giveBack(all)
        for one in waiting { tell(one, .away(Self.over)) }
        waiting = []
    }

    private mutating func giveBack(_ wishes: [ClaimWish]) {
        // Somebody who asks for it just now is told that it is ours.
        let asked = Set(asking.lazy.filter { $0.asker != nil }.map { Key($0.wish) })
        let mine = wishes.filter { granted[Key($0)] != nil && !asked.contains(Key($0)) }
        for wish in mine { granted[Key(wish)] = nil }
        guard case .open(let token, _) = reach else { return owed += mine }
        release(inPieces: mine, token)
    }

    private mutating func release(inPieces wishes: [ClaimWish], _ token: Int64) {
        for start in stride(from: 0, to: wishes.count, by: Self.most) {
            release(Array(wishes[start..<min(start + Self.most, wishes.count)]), token)
        }
    }

    private mutating func release(_ wishes: [ClaimWish], _ token: Int64) {
        for wish in wishes { granted[Key(wish)] = nil }
        if !wishes.isEmpty { actions.append(.release(wishes, session: token)) }
    }
}
