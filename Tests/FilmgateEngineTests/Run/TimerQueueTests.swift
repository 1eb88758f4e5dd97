import Testing

@testable import FilmgateEngine

struct TimerQueueTests {
    @Test(
        "An alarm rings once, also one that is set later for an earlier time; the others are still to come",
        .timeLimit(.minutes(1)))
    func earlier() async {
        let clock = TimerQueue(), (bells, feed) = AsyncStream<String>.makeStream()
        _ = clock.set(after: .seconds(3600)) { feed.yield("late") }
        var heard = bells.makeAsyncIterator()
        for name in ["first", "second", "third"] {
            _ = clock.set(after: .milliseconds(5)) { feed.yield(name) }
            #expect(await heard.next() == name)
            #expect(clock.count == 1)
        }
    }

    @Test(
        "What is taken back does not ring and is not remembered; the clock goes on for the rest",
        .timeLimit(.minutes(1)))
    func takenBack() async {
        let clock = TimerQueue(), (bells, feed) = AsyncStream<String>.makeStream()
        let keys = (0..<1000).map { number in clock.set(after: .seconds(3600 - number)) { feed.yield("taken back") } }
        for key in keys { clock.forget(key) }
        #expect(clock.count == 0)
        _ = clock.set(after: .milliseconds(5)) { feed.yield("kept") }
        var heard = bells.makeAsyncIterator()
        #expect(await heard.next() == "kept")
        // After it has run down it can be set again.
        _ = clock.set(after: .milliseconds(1)) { feed.yield("again") }
        #expect(await heard.next() == "again")
        #expect(clock.count == 0)
    }

    @Test("Short pauses beside a long one leave no task asleep for that one each", .timeLimit(.minutes(1)))
    func sleepers() async {
        let clock = TimerQueue()
        _ = clock.set(after: .seconds(3600)) {}
        for _ in 0..<50 { await clock.sleep(for: .milliseconds(1)) }
        #expect(clock.count == 1 && clock.sleepers <= 2)
    }

    @Test("An answer that comes in time is given, one that does not is not waited for", .timeLimit(.minutes(1)))
    func answers() async throws {
        let soon = await CancelToken().answer(within: .seconds(3600)) { 1 }
        #expect(try soon?.get() == 1)
        let never = await CancelToken().answer(within: .milliseconds(20)) { () -> Int in
            try? await Task.sleep(for: .seconds(3600))
            return 2
        }
        #expect(never == nil)
    }
}
