import FilmgateCore
import Synchronization
import Testing

@testable import FTPKit

/// Who asks, and who hears what.
@Suite(.timeLimit(.minutes(1))) struct LoginQueueTests {
    /// What asks when a test says what the answer is, and whose clients go when a test says so.
    private final class Askers: Sendable {
        let queue = LoginQueue()
        let questions = AsyncStream<(user: String, answer: CheckedContinuation<FTPVerdict, Never>)>.makeStream()
        private let clients = Mutex<[String: @Sendable () -> Void]>([:])

        func ask(_ user: String) async -> FTPVerdict? {
            await queue.answer(LoginThrottle.Attempt(network: "192.0.2.1", login: user)) { leave in
                clients.withLock { $0[user] = leave }
            } _: {
                await withCheckedContinuation { self.questions.continuation.yield((user, $0)) }
            }
        }
        func goes(_ user: String) { clients.withLock { $0[user] }?() }
    }

    /// A client that is gone was asked about all the same: what that comes to is nobody else's.
    @Test func aVerdictIsForWhoeverAsked() async throws {
        let askers = Askers()
        var asked = askers.questions.stream.makeAsyncIterator()
        async let ann = askers.ask("ann")
        let first = try #require(await asked.next())
        askers.goes("ann")
        #expect(await ann == nil)
        async let bob = askers.ask("bob")
        let second = try #require(await asked.next())
        async let cyd = askers.ask("cyd")
        let third = try #require(await asked.next())
        // As many are looked at as may fail for free: the next one is when that about Ann is over.
        async let dot = askers.ask("dot")
        first.answer.resume(returning: .right(FTPLogin(user: "ann", folder: "smith", home: "ann")))
        let fourth = try #require(await asked.next())
        #expect([first, second, third, fourth].map(\.user) == ["ann", "bob", "cyd", "dot"])
        for one in [second, third, fourth] { one.answer.resume(returning: .unknown(one.user)) }
        for (verdict, user) in [(await bob, "bob"), (await cyd, "cyd"), (await dot, "dot")] {
            guard case .unknown(let reason)? = verdict else {
                Issue.record("\(user) was told \(String(describing: verdict)).")
                continue
            }
            #expect(reason == user)
        }
    }

    /// Nobody goes on being asked about a client that has gone.
    @Test func aQuestionEndsWithItsClient() async {
        let queue = LoginQueue(), leave = Mutex<(@Sendable () -> Void)?>(nil)
        let (begun, begin) = AsyncStream<Never>.makeStream(), (ended, end) = AsyncStream<Never>.makeStream()
        async let verdict = queue.answer(LoginThrottle.Attempt(network: "192.0.2.1", login: "ann")) { gone in
            leave.withLock { $0 = gone }
        } _: {
            begin.finish()
            let (never, feed) = AsyncStream<Never>.makeStream()
            for await _ in never {}
            feed.finish()
            end.finish()
            return .unknown("")
        }
        for await _ in begun {}
        leave.withLock { $0 }?()
        #expect(await verdict == nil)
        for await _ in ended {}
    }
}
