import FilmgateCore
import Testing

@testable import FilmgateEngine

/// What may have been sent, and what is given back though its turn would come.
extension ClaimTableTests {
    /// Nobody can ask such a target: the claim being ours by now settles nothing.
    @Test func whatWasTakenOverInDoubtStaysInDoubt() {
        var bench = Bench(), wish = Self.wish(0, settles: false)
        bench.handle(.wanted(wish, asker: 0, isReserving: true))
        bench.handle(.gathered)
        bench.answer(.takenOver)
        for asker in 1...2 {
            bench.handle(.wanted(wish, asker: asker))
            bench.handle(.gathered)
            bench.answer(.granted)
            #expect(bench.told[asker] == .answer(.takenOver))
            bench.handle(.ended(wish, isDone: false, mayHaveArrived: false))
        }
        wish.anyway = true
        bench.handle(.wanted(wish, asker: 3))
        bench.handle(.gathered)
        bench.answer(.granted)
        #expect(bench.told[3] == .answer(.granted))
    }

    /// Of what was granted in another session this process knows what it did with it.
    @Test func whatWasGrantedIsKnownInTheNextSession() {
        var bench = Bench()
        bench.handle(.wanted(Self.wish(0, settles: false), asker: 0))
        bench.handle(.wanted(Self.wish(1, settles: false), asker: 1))
        bench.handle(.gathered)
        #expect(bench.questions.first?.wishes.map(\.isKnown) == [false, false])
        bench.answer(.granted, .unsure(by: "desk-3"))
        bench.handle(.ended(Self.wish(0, settles: false), isDone: false))
        bench.handle(.session(2, since: bench.now))
        bench.handle(.wanted(Self.wish(0, settles: false), asker: 2))
        bench.handle(.wanted(Self.wish(1, settles: false), asker: 3))
        bench.handle(.gathered)
        #expect(bench.questions.first?.wishes.map(\.isKnown) == [true, false])
    }

    /// Nothing is sent to the gallery for now: others need not wait, except for what somebody has to look at first.
    @Test func whatIsHeldUpIsGivenBack() {
        var bench = Bench()
        let dumb = (0..<2).map { Self.wish($0, settles: false) }
        for (asker, wish) in dumb.enumerated() { bench.handle(.wanted(wish, asker: asker)) }
        bench.want(2..<4)
        bench.handle(.wanted(Self.wish(4, settles: false), asker: 4, isReserving: true))
        bench.handle(.gathered)
        bench.answer(.success(Array(repeating: .granted, count: 5)))
        bench.handle(.ended(dumb[0], isDone: false))
        bench.handle(.ended(dumb[1], isDone: false, mayHaveArrived: false))
        bench.handle(.ended(Self.wish(2), isDone: false))
        bench.handle(.heldUp(target: "another"))
        #expect(bench.released == [])
        bench.handle(.heldUp(target: "gallery"))
        // What may have arrived stays, and what is being sent.
        #expect(Set(bench.released) == Set([1, 2, 4].map { ContentKey(rawValue: "c\($0)") }))
        #expect(bench.table.held == 2)
    }

    /// Whoever asks for it just now is told that it is ours.
    @Test func whatIsAskedForJustNowIsNotGivenBack() {
        var bench = Bench()
        bench.want(0..<1)
        bench.handle(.gathered)
        bench.answer(.granted)
        bench.handle(.ended(Self.wish(0), isDone: false))
        bench.want(0..<1)
        bench.handle(.gathered)
        bench.handle(.heldUp(target: "gallery"))
        #expect(bench.released == [])
        bench.answer(.granted)
        #expect(bench.table.held == 1 && bench.released == [])
    }
}
