import FilmgateCore
import Testing

@testable import FilmgateEngine

/// What a station asks for, when, and what it tells whom.
@Suite struct ClaimTableTests {
    struct Bench {
        var table: ClaimTable, now = ContinuousClock.now
        var questions: [(wishes: [ClaimWish], session: Int64, number: Int)] = []
        var told: [Int: ClaimTable.Verdict] = [:], released: [ContentKey] = [], gathers = 0, doubts = 0
        var lost: [ContentKey] = []

        init(session: Int64? = 1) {
            table = ClaimTable(at: now)
            if let session { handle(.session(session, since: now)) }
        }

        mutating func handle(_ event: ClaimTable.Event) {
            for action in table.handle(event, at: now) {
                switch action {
                case .gather: gathers += 1
                case .ask(let wishes, let session, let number): questions.append((wishes, session, number))
                case .tell(let asker, let verdict): told[asker] = verdict
                case .release(let wishes, _): released += wishes.map(\.content)
                case .lost(let key): lost.append(key.content)
                case .doubt: doubts += 1
                }
            }
        }

        mutating func want(_ numbers: Range<Int>) {
            for number in numbers { handle(.wanted(ClaimTableTests.wish(number), asker: number)) }
        }

        mutating func answer(_ answers: ClaimAnswer...) { answer(.success(answers)) }
        mutating func answer(_ result: Result<[ClaimAnswer], IngestError>) {
            guard !questions.isEmpty else { return }
            handle(.answered(question: questions.removeFirst().number, result))
        }
    }

    static func wish(_ number: Int, settles: Bool = true) -> ClaimWish {
        ClaimWish(
            content: ContentKey(rawValue: "c\(number)"), target: "gallery", targetName: "gallery", canBeSettled: settles
        )
    }

    @Test func wishesThatComeTogetherAreOneQuestion() {
        var bench = Bench()
        bench.want(0..<600)
        #expect(bench.gathers == 1 && bench.questions.isEmpty)
        bench.handle(.gathered)
        #expect(bench.questions.map(\.wishes.count) == [256])
        bench.answer(.success(Array(repeating: .granted, count: 256)))
        #expect(bench.told.count == 256)
        bench.handle(.gathered)
        bench.answer(.success(Array(repeating: .held(by: "desk-3"), count: 256)))
        bench.handle(.gathered)
        bench.answer(.success(Array(repeating: .takenOver, count: 88)))
        #expect(bench.told.count == 600 && bench.table.isIdle)
        #expect(
            bench.told[0] == .answer(.granted) && bench.told[300] == .answer(.held(by: "desk-3"))
                && bench.told[599] == .answer(.takenOver))
    }

    /// Nothing is known yet: whoever asks waits for the first word.
    @Test func beforeTheFirstWordEverybodyWaits() {
        var bench = Bench(session: nil)
        bench.want(0..<1)
        #expect(bench.gathers == 0 && bench.told.isEmpty)
        bench.handle(.session(7, since: bench.now))
        bench.handle(.gathered)
        #expect(bench.questions.map(\.session) == [7])
        var away = Bench(session: nil)
        away.want(0..<2)
        away.handle(.away("no answer"))
        #expect(away.told == [0: .away("no answer"), 1: .away("no answer")])
        away.want(2..<3)
        #expect(away.told[2] == .away("no answer"))
    }

    @Test func whatIsUndecidedIsNeverFree() {
        var bench = Bench()
        bench.want(0..<1)
        for _ in 0..<5 {
            bench.handle(.gathered)
            bench.answer(.undecided)
            #expect(bench.told.isEmpty)
        }
        bench.handle(.gathered)
        bench.answer(.done(by: "desk-3", receipt: "x"))
        #expect(bench.told == [0: .answer(.done(by: "desk-3", receipt: "x"))])
        // Not for ever, either.
        bench.want(1..<2)
        for _ in 0..<60 {
            bench.handle(.gathered)
            bench.answer(.undecided)
        }
        #expect(bench.told[1] == .answer(.held(by: "another station")))
    }

    /// A laptop that was shut, a machine that stood still.
    @Test func nothingIsStartedLongAfterARenewal() {
        var bench = Bench()
        bench.want(0..<1)
        bench.now += .seconds(41)
        bench.handle(.gathered)
        #expect(bench.questions.isEmpty && bench.doubts == 1 && bench.told.isEmpty)
        bench.handle(.session(1, since: bench.now))
        bench.handle(.gathered)
        // The answer itself may come too late.
        bench.now += .seconds(41)
        bench.answer(.granted)
        #expect(bench.told.isEmpty)
        bench.handle(.gathered)
        #expect(bench.doubts == 2)
        bench.handle(.session(1, since: bench.now))
        bench.handle(.gathered)
        bench.answer(.granted)
        #expect(bench.told == [0: .answer(.granted)])
    }

    /// From the moment of the last renewal, whatever happens meanwhile, and in that session alone.
    @Test func whatWasGrantedMayBeBegunForAWhile() {
        var bench = Bench()
        let key = ClaimTable.Key(Self.wish(0)), begun = bench.now
        #expect(bench.table.session(of: key) == nil && bench.table.end(of: key, in: nil) == nil)
        bench.want(0..<1)
        bench.handle(.gathered)
        bench.answer(.granted)
        #expect(bench.table.session(of: key) == 1)
        #expect(bench.table.end(of: key, in: 1) == begun + ClaimTable.freshness)
        bench.now += .seconds(15)
        bench.handle(.session(1, since: bench.now))
        bench.handle(.away("no answer"))
        #expect(bench.table.end(of: key, in: 1) == bench.now + ClaimTable.freshness)
        // Granted anew, it was anybody's in between.
        bench.handle(.session(2, since: bench.now))
        #expect(bench.table.end(of: key, in: 1) == nil && bench.table.end(of: key, in: 2) == nil)
        bench.handle(.gathered)
        bench.answer(.takenOver)
        #expect(bench.table.end(of: key, in: 1) == nil && bench.table.session(of: key) == 2)
        #expect(bench.table.end(of: key, in: 2) == bench.now + ClaimTable.freshness)
        bench.handle(.session(3, since: bench.now))
        bench.handle(.gathered)
        bench.answer(.held(by: "desk-3"))
        #expect(bench.table.session(of: key) == nil && bench.table.end(of: key, in: 3) == nil)
        #expect(bench.lost == [Self.wish(0).content])
    }

    @Test func whatAnotherSessionWasGrantedIsAskedForAgain() {
        var bench = Bench()
        bench.want(0..<1)
        bench.handle(.gathered)
        bench.handle(.session(2, since: bench.now))
        bench.answer(.granted)
        #expect(bench.told.isEmpty)
        bench.handle(.gathered)
        #expect(bench.questions.map(\.session) == [2])
        bench.answer(.takenOver)
        #expect(bench.told == [0: .answer(.takenOver)])
        // So is what is being sent, and nobody is told of that.
        bench.handle(.session(3, since: bench.now))
        bench.handle(.gathered)
        #expect(bench.questions.map(\.session) == [3])
        bench.answer(.takenOver)
        #expect(bench.told.count == 1 && bench.released == [])
    }

    @Test func aSessionThatIsOverIsWaitedFor() {
        var bench = Bench()
        bench.want(0..<2)
        bench.handle(.gathered)
        bench.answer(.failure(IngestError(.cancelled, "The session is over.")))
        #expect(bench.told.isEmpty && bench.doubts == 1)
        bench.handle(.session(2, since: bench.now))
        bench.handle(.gathered)
        bench.answer(.granted, .granted)
        #expect(bench.told.count == 2)
    }

    @Test func aCatalogueThatDoesNotAnswerIsAway() {
        var bench = Bench()
        bench.want(0..<2)
        bench.handle(.gathered)
        bench.want(2..<3)
        // Whoever keeps the session finds it there each time.
        for number in 1...3 {
            #expect(bench.told.isEmpty)
            bench.answer(.failure(IngestError(.unavailable, "No answer.")))
            #expect(bench.doubts == number)
            if number < 3 {
                bench.handle(.session(1, since: bench.now))
                bench.handle(.gathered)
            }
        }
        #expect(bench.told.values.allSatisfy { $0 == .away("No answer.") } && bench.told.count == 3)
        #expect(bench.table.isAway)
        bench.handle(.session(1, since: bench.now))
        bench.want(3..<4)
        bench.handle(.gathered)
        bench.answer(.granted)
        #expect(bench.told[3] == .answer(.granted))
    }

    /// One wish that makes no sense takes no other with it.
    @Test func whatIsRefusedIsAskedForOneByOne() {
        var bench = Bench()
        bench.want(0..<3)
        bench.handle(.gathered)
        bench.answer(.failure(IngestError(.rejected, "Nonsense.")))
        for number in 0..<3 {
            bench.handle(.gathered)
            #expect(bench.questions.map(\.wishes.count) == [1])
            bench.answer(number == 1 ? .failure(IngestError(.rejected, "Nonsense.")) : .success([.granted]))
        }
        #expect(bench.told == [0: .answer(.granted), 1: .away("Nonsense."), 2: .answer(.granted)])
        #expect(!bench.table.isAway)
    }

    @Test func anAnswerOfAnotherLengthIsNone() {
        var bench = Bench()
        bench.want(0..<2)
        bench.handle(.gathered)
        bench.answer(.granted)
        #expect(bench.told.isEmpty && bench.doubts == 1)
        bench.handle(.away("It makes no sense."))
        #expect(bench.told == [0: .away("It makes no sense."), 1: .away("It makes no sense.")])
    }

    /// A pooler that starts anew: what was asked for is asked for again, and nobody goes on alone.
    @Test func aConnectionThatEndsIsNotAway() {
        var bench = Bench()
        bench.want(0..<2)
        bench.handle(.gathered)
        bench.answer(.failure(IngestError(.network, "Broken.")))
        bench.want(2..<3)
        #expect(bench.told.isEmpty && bench.doubts == 1 && !bench.table.isAway)
        bench.handle(.session(1, since: bench.now))
        bench.handle(.gathered)
        bench.answer(.granted, .granted, .granted)
        #expect(bench.told.count == 3 && bench.told.values.allSatisfy { $0 == .answer(.granted) })
    }

    @Test func whatIsNotDeliveredIsGivenBack() {
        var bench = Bench()
        bench.want(0..<4)
        bench.handle(.gathered)
        bench.answer(.granted, .granted, .granted, .granted)
        bench.handle(.ended(Self.wish(0), isDone: true))
        bench.handle(.ended(Self.wish(1), isDone: false))
        bench.handle(.ended(Self.wish(2), isDone: false))
        #expect(bench.released == [])
        bench.handle(.dropped(ContentKey(rawValue: "c1"), target: "gallery"))
        #expect(bench.released == [ContentKey(rawValue: "c1")])
        bench.handle(.stopped)
        #expect(bench.released == [ContentKey(rawValue: "c1"), ContentKey(rawValue: "c2")])
        // What was still being sent follows when its try is over.
        bench.handle(.ended(Self.wish(3), isDone: false))
        #expect(bench.released.count == 3)
    }

    /// Nobody can ask such a target: somebody has to look before another sends.
    @Test func whatMayHaveArrivedWhereNobodyCanAskStaysClaimed() {
        var bench = Bench()
        bench.handle(.wanted(Self.wish(0, settles: false), asker: 0))
        bench.handle(.gathered)
        bench.answer(.granted)
        bench.handle(.ended(Self.wish(0, settles: false), isDone: false))
        bench.handle(.stopped)
        #expect(bench.released == [])
    }

    @Test(arguments: [false, true])
    func whatMayHaveArrivedStaysClaimedWhenNothingIsTriedAnyMore(isReserving: Bool) {
        var bench = Bench()
        let wish = Self.wish(0, settles: false)
        bench.handle(.wanted(wish, asker: 0, isReserving: isReserving))
        bench.handle(.gathered)
        bench.answer(.takenOver)
        bench.handle(.ended(wish, isDone: false))
        bench.handle(.dropped(wish.content, target: "gallery"))
        bench.handle(.stopped)
        #expect(bench.released == [])
    }

    /// What was reserved and never tried can have arrived nowhere.
    @Test func whatWasOnlyReservedIsGivenBack() {
        var bench = Bench()
        bench.handle(.wanted(Self.wish(0, settles: false), asker: 0, isReserving: true))
        bench.handle(.wanted(Self.wish(1), asker: 1, isReserving: true))
        bench.handle(.gathered)
        bench.answer(.granted, .takenOver)
        #expect(bench.told == [0: .answer(.granted), 1: .answer(.takenOver)] && bench.table.held == 2)
        bench.handle(.dropped(ContentKey(rawValue: "c1"), target: "gallery"))
        #expect(bench.released == [ContentKey(rawValue: "c1")])
        bench.handle(.stopped)
        #expect(bench.released == [ContentKey(rawValue: "c1"), ContentKey(rawValue: "c0")] && bench.table.held == 0)
    }

    @Test func whatWasReservedAndThenTriedIsLikeAnyOther() {
        var bench = Bench(), wish = Self.wish(0, settles: false)
        bench.handle(.wanted(wish, asker: 0, isReserving: true))
        bench.handle(.gathered)
        bench.answer(.granted)
        // Once more, for another file of the shot: it is known.
        bench.handle(.wanted(wish, asker: 1, isReserving: true))
        #expect(bench.told[1] == .answer(.granted) && bench.questions.isEmpty)
        bench.handle(.wanted(wish, asker: 2))
        bench.handle(.gathered)
        bench.answer(.granted)
        bench.handle(.wanted(wish, asker: 3, isReserving: true))
        #expect(bench.told[3] == .answer(.granted) && bench.table.held == 1)
        bench.handle(.ended(wish, isDone: false))
        bench.handle(.stopped)
        #expect(bench.released == [])
        // Another's, in the end.
        wish = Self.wish(5)
        bench.handle(.wanted(wish, asker: 5, isReserving: true))
        bench.handle(.gathered)
        bench.answer(.held(by: "desk-3"))
        #expect(bench.told[5] == .answer(.held(by: "desk-3")) && bench.table.held == 0)
    }

    /// What is reserved belongs to the session: in another one it is asked for anew.
    @Test func aReservationEndsWithItsSession() {
        var bench = Bench()
        bench.handle(.wanted(Self.wish(0), asker: 0, isReserving: true))
        bench.handle(.gathered)
        bench.answer(.granted)
        bench.handle(.session(2, since: bench.now))
        bench.handle(.wanted(Self.wish(0), asker: 1, isReserving: true))
        #expect(bench.told[1] == nil)
        bench.handle(.gathered)
        #expect(bench.questions.map(\.session) == [2])
    }

    @Test func whatNobodyWaitsForAnyMoreIsGivenBack() {
        var bench = Bench()
        bench.want(0..<2)
        bench.handle(.withdrawn(asker: 0))
        bench.handle(.gathered)
        #expect(bench.questions.map(\.wishes.count) == [1])
        bench.handle(.withdrawn(asker: 1))
        bench.answer(.granted)
        #expect(bench.told.isEmpty && bench.released == [ContentKey(rawValue: "c1")] && bench.table.isIdle)
    }
}
