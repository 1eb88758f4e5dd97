import FilmgateCore

@testable import FilmgateEngine

/// Several stations that want the same frames at one gallery, a catalogue, and a network that comes and goes: random
/// things happen.
///
/// No upload takes longer than the difference between what a session lasts at the catalogue and what a station trusts
/// it for, so that nothing may ever be there twice. Between the gallery's answer and the first byte any time passes.
struct ClaimWorld {
    private static let lasts = Duration.seconds(60), longestUpload = 19

    private enum Work: Equatable {
        case open, asking, resting(until: ContinuousClock.Instant), done
        /// The gallery has said that it has not got it; nothing is sent yet.
        case looking(until: ContinuousClock.Instant, session: Int64?)
        case sending(until: ContinuousClock.Instant)
    }

    private struct Question {
        var wishes: [ClaimWish], session: Int64, number: Int, result: Result<[ClaimAnswer], IngestError>?
    }

    private struct Station {
        var table: ClaimTable, work: [Work], token: Int64?
        var renewed: ContinuousClock.Instant, isCut = false, isDoubtful = true
        var questions: [Question] = [], gathers = 0, untold: Set<Int> = []
    }

    private var dice: SeededRandomNumbers
    private var now = ContinuousClock.now
    private var stations: [Station] = []
    private var rows: [Int: (station: Int, token: Int64, isDone: Bool)] = [:]
    /// Frames from this one on go to a gallery that nobody can ask, and that takes anything twice.
    private let firstDumb: Int
    private var sessions: [Int64: ContinuousClock.Instant] = [:]
    private var last: Int64 = 0
    /// How often the gallery has each.
    private(set) var gallery: [Int]
    private(set) var faults: [String] = []

    init(_ seed: UInt64, stations count: Int, frames: Int, dumb: Int) {
        (dice, gallery) = (SeededRandomNumbers(seed), Array(repeating: 0, count: frames + dumb))
        firstDumb = frames
        stations = (0..<count).map { _ in
            Station(
                table: ClaimTable(at: now), work: Array(repeating: .open, count: frames + dumb), token: nil,
                renewed: now)
        }
    }

    private mutating func fault(_ words: String) { faults.append(words) }

    // MARK: Stations

    private mutating func handle(_ event: ClaimTable.Event, _ who: Int) {
        for action in stations[who].table.handle(event, at: now) {
            switch action {
            case .gather: stations[who].gathers += 1
            case .ask(let wishes, let session, let number):
                if !stations[who].questions.isEmpty { fault("two questions at once") }
                if wishes.count > 256 { fault("too many wishes at once") }
                stations[who].questions.append(Question(wishes: wishes, session: session, number: number, result: nil))
            case .tell(let frame, let verdict): hear(verdict, frame, who)
            case .release(let wishes, let session): for wish in wishes { release(Self.number(wish), session) }
            case .lost(let key): breakOff(Int(key.content.rawValue) ?? 0, who)
            case .doubt: stations[who].isDoubtful = true
            }
        }
    }

    private func wish(_ frame: Int) -> ClaimWish {
        ClaimWish(
            content: ContentKey(rawValue: "\(frame)"), target: "gallery", targetName: "gallery",
            canBeSettled: frame < firstDumb)
    }
    private static func number(_ wish: ClaimWish) -> Int { Int(wish.content.rawValue) ?? 0 }

    private mutating func hear(_ verdict: ClaimTable.Verdict, _ frame: Int, _ who: Int) {
        guard stations[who].work[frame] == .asking else { return fault("an answer that nobody waits for") }
        switch verdict {
        case .answer(.granted), .answer(.takenOver):
            if now - stations[who].renewed >= ClaimTable.freshness {
                fault("\(who) begins with a session that nobody renewed")
            }
            // Asked first, as each attempt does.
            if gallery[frame] > 0, frame < firstDumb { return finish(frame, who) }
            if verdict == .answer(.takenOver), frame >= firstDumb {
                fault("\(who) is given \(frame), which is in doubt")
            }
            let session = stations[who].table.session(of: ClaimTable.Key(wish(frame)))
            let time = Duration.seconds(dice.below(dice.below(8) == 0 ? 100 : 3))
            stations[who].work[frame] = .looking(until: now + time, session: session)
        case .answer(.done):
            if gallery[frame] == 0 { fault("\(frame) is said to be done and is not") }
            finish(frame, who)
        default: stations[who].work[frame] = .resting(until: now + .seconds(1 + dice.below(15)))
        }
    }

    /// The first byte, if it may still be sent.
    private mutating func begin(_ frame: Int, _ who: Int, _ session: Int64?) {
        let key = ClaimTable.Key(wish(frame))
        guard let end = stations[who].table.end(of: key, in: session), now < end else {
            stations[who].work[frame] = .resting(until: now + .seconds(1))
            return handle(.ended(wish(frame), isDone: false, mayHaveArrived: false), who)
        }
        if gallery[frame] > 0 { fault("\(who) sends \(frame), which is there") }
        for other in stations.indices where other != who {
            if case .sending = stations[other].work[frame] { fault("\(who) and \(other) send \(frame) at once") }
        }
        stations[who].work[frame] = .sending(until: now + .seconds(1 + dice.below(Self.longestUpload)))
    }

    /// Another station has what is being sent: half an upload is none.
    private mutating func breakOff(_ frame: Int, _ who: Int) {
        guard case .sending = stations[who].work[frame] else { return }
        stations[who].work[frame] = .resting(until: now + .seconds(1))
        handle(.ended(wish(frame), isDone: false), who)
    }

    private mutating func finish(_ frame: Int, _ who: Int) {
        stations[who].work[frame] = .done
        stations[who].untold.insert(frame)
        handle(.ended(wish(frame), isDone: true), who)
    }

    // MARK: The catalogue

    private func lives(_ token: Int64) -> Bool { sessions[token].map { $0 > now } ?? false }

    private mutating func release(_ frame: Int, _ token: Int64) {
        if let row = rows[frame], row.token == token, !row.isDone, lives(token) { rows[frame] = nil }
    }

    private mutating func answers(_ question: Question, _ who: Int) -> Result<[ClaimAnswer], IngestError> {
        guard lives(question.session) else { return .failure(IngestError(.cancelled, "over")) }
        return .success(
            question.wishes.map { wish in
                let frame = Self.number(wish), mine = (station: who, token: question.session, isDone: false)
                if dice.below(10) == 0 { return .undecided }
                guard let row = rows[frame] else {
                    rows[frame] = mine
                    return .granted
                }
                if row.isDone { return .done(by: "\(row.station)", receipt: nil) }
                if row.token == question.session { return .granted }
                if lives(row.token) { return .held(by: "\(row.station)") }
                if frame >= firstDumb, row.station != who || !wish.isKnown {
                    return .unsure(by: "\(row.station)", isOwn: row.station == who)
                }
                rows[frame] = mine
                return frame < firstDumb ? .takenOver : .granted
            })
    }

    /// What the keeper of the session does.
    private mutating func renew(_ who: Int) {
        if stations[who].isCut {
            stations[who].isDoubtful = true
            return handle(.away("cut"), who)
        }
        let token: Int64
        if let own = stations[who].token, lives(own) {
            token = own
        } else {
            last += 1
            token = last
            stations[who].token = token
        }
        (sessions[token], stations[who].renewed, stations[who].isDoubtful) = (now + Self.lasts, now, false)
        handle(.session(token, since: now), who)
    }

    private mutating func report(_ who: Int) {
        guard !stations[who].isCut, let token = stations[who].token, lives(token) else { return }
        for frame in stations[who].untold where rows[frame]?.isDone != true { rows[frame] = (who, token, true) }
        stations[who].untold = []
    }

    // MARK: What happens

    mutating func step() {
        let who = dice.below(stations.count)
        now += .milliseconds(dice.below(1500))
        for station in stations.indices { finishUploads(station) }
        switch dice.below(30) {
        case 0: stations[who].isCut = dice.below(2) == 0
        case 1: crash(who)
        case 2: now += .seconds(dice.below(4) == 0 ? dice.below(90) : 0)
        default: live(who)
        }
    }

    /// What the station does by itself.
    private mutating func live(_ who: Int) {
        finishUploads(who)
        if dice.below(4) > 0, stations[who].isDoubtful || now - stations[who].renewed >= .seconds(15) { renew(who) }
        if dice.below(3) > 0 { report(who) }
        while stations[who].gathers > 0 {
            stations[who].gathers -= 1
            handle(.gathered, who)
        }
        question(who)
        for frame in stations[who].work.indices {
            switch stations[who].work[frame] {
            case .resting(let until) where until <= now: stations[who].work[frame] = .open
            case .open where dice.below(3) == 0:
                stations[who].work[frame] = .asking
                handle(.wanted(wish(frame), asker: frame), who)
            default: break
            }
        }
    }

    /// A question is carried to the catalogue at one time and its answer back at another.
    private mutating func question(_ who: Int) {
        guard var question = stations[who].questions.first, dice.below(3) > 0 else { return }
        if let result = question.result {
            stations[who].questions = []
            return handle(
                .answered(
                    question: question.number, stations[who].isCut ? .failure(IngestError(.unavailable, "cut")) : result
                ), who)
        }
        question.result = stations[who].isCut ? .failure(IngestError(.unavailable, "cut")) : answers(question, who)
        stations[who].questions = [question]
    }

    private mutating func finishUploads(_ who: Int) {
        for frame in stations[who].work.indices {
            if case .looking(let until, let session) = stations[who].work[frame], until <= now {
                begin(frame, who, session)
            }
            guard case .sending(let until) = stations[who].work[frame], until <= now else { continue }
            if dice.below(6) == 0 {
                // The server refused it, and it is tried again.
                stations[who].work[frame] = .resting(until: now + .seconds(2))
                handle(.ended(wish(frame), isDone: false), who)
            } else {
                gallery[frame] += 1
                finish(frame, who)
            }
        }
    }

    /// Its memory is gone, and half of what it was sending has arrived.
    private mutating func crash(_ who: Int) {
        finishUploads(who)
        for frame in stations[who].work.indices {
            if case .sending = stations[who].work[frame], dice.below(2) == 0 { gallery[frame] += 1 }
            if stations[who].work[frame] != .done { stations[who].work[frame] = .open }
        }
        let old = stations[who]
        stations[who] = Station(table: ClaimTable(at: now), work: old.work, token: nil, renewed: now, isCut: old.isCut)
        stations[who].untold = old.untold
        // The same state directory opens a new session at once, which ends the one that it had.
        if let token = old.token { sessions[token] = nil }
    }

    /// A person has to look: whoever had claimed it is lost, and may have sent it.
    func isInDoubt(_ frame: Int) -> Bool {
        guard frame >= firstDumb, let row = rows[frame] else { return false }
        return !row.isDone && !lives(row.token)
    }

    private func isOver(_ station: Station) -> Bool {
        station.untold.isEmpty && station.work.indices.allSatisfy { station.work[$0] == .done || isInDoubt($0) }
    }

    /// Everything works again: all must end by itself, except for what is in doubt.
    mutating func drain() {
        for _ in 0..<3000 where !stations.allSatisfy({ isOver($0) }) {
            now += .milliseconds(500)
            for who in stations.indices { finishUploads(who) }
            for who in stations.indices {
                stations[who].isCut = false
                live(who)
            }
        }
        for (who, station) in stations.enumerated() where !isOver(station) {
            fault("\(who) waits for ever: \(station.work)")
        }
    }
}
