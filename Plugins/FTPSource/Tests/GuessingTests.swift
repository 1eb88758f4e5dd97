import FilmgateCore
import Foundation
import ServerKit
import TestThreads
import Testing

@testable import FTPKit

/// Somebody tries passwords.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(5))) struct GuessingTests {
    private typealias Attempt = LoginThrottle.Attempt

    /// How many wrong passwords are looked at within a time, by somebody who always has the next one ready.
    private func guesses(within time: Duration, _ attempt: (Int) -> Attempt) -> Int {
        var throttle = LoginThrottle(), count = 0
        let start = ContinuousClock.now
        var now = start
        while true {
            now = max(now, throttle.due(attempt(count), at: now))
            if now - start > time { return count }
            throttle.note(attempt(count), isRight: false, at: now)
            count += 1
            if count > 100_000 { return count }
        }
    }

    @Test func oneAddressGetsLessThanOneGuessASecond() {
        #expect(
            (2...10).contains(
                guesses(within: .seconds(10)) { Attempt(network: "192.0.2.1", login: $0 % 2 == 0 ? "ann" : nil) }))
        #expect(
            (800...1000).contains(guesses(within: .seconds(3600)) { _ in Attempt(network: "192.0.2.1", login: "ann") }))
    }

    @Test func manyAddressesGetNoMoreForOneLogin() {
        #expect((2...10).contains(guesses(within: .seconds(10)) { Attempt(network: "192.0.2.\($0)", login: "ann") }))
    }

    /// Whoever has one password could otherwise guess the others with it.
    @Test func aRightPasswordTakesNoFailureBack() {
        var throttle = LoginThrottle()
        let now = ContinuousClock.now
        for _ in 0..<6 {
            throttle.note(Attempt(network: "a", login: "ann"), isRight: false, at: now)
            throttle.note(Attempt(network: "a", login: "bob"), isRight: true, at: now)
        }
        #expect(throttle.due(Attempt(network: "a", login: "ann"), at: now) == now + LoginThrottle.slowest)
        #expect(throttle.due(Attempt(network: "a", login: "bob"), at: now) == now + LoginThrottle.slowest)
    }

    @Test func guessesFromElsewhereDoNotHoldUpABodyWhereItWasBefore() {
        var throttle = LoginThrottle()
        let now = ContinuousClock.now, home = Attempt(network: "home", login: "ann")
        throttle.note(home, isRight: true, at: now)
        for number in 0..<10_000 { throttle.note(Attempt(network: "\(number)", login: "ann"), isRight: false, at: now) }
        #expect(throttle.due(home, at: now) <= now)
        #expect(throttle.due(Attempt(network: "new", login: "ann"), at: now) > now)
        #expect(throttle.due(Attempt(network: "new", login: "bob"), at: now) <= now)
    }

    /// One guesser behind the body's own address, who tries another login, and one elsewhere who tries the body's: the
    /// address and the login open at different moments, and somebody always waits for each.
    ///
    /// Two guesses are before the body's own, and each turn takes 4 s at the address and 4 s at the login.
    @Test(arguments: ["ann", "bob"]) func aBodyGetsItsTurnWhoeverGuesses(_ login: String) {
        var throttle = LoginThrottle(), number = 3, own: Int?
        let start = ContinuousClock.now, body = Attempt(network: "router", login: "ann")
        let near = Attempt(network: "router", login: login), far = Attempt(network: "elsewhere", login: "ann")
        var waiting = [(attempt: near, number: 0), (attempt: near, number: 1), (attempt: far, number: 2)]
        for step in 0..<600 {
            let now = start + .milliseconds(100) * step
            if step == 303 {
                (own, number) = (number, number + 1)
                waiting.append((body, number - 1))
            }
            while let index = throttle.first(of: waiting, at: now) {
                let one = waiting.remove(at: index)
                if one.number == own { return #expect(step <= 303 + 240) }
                throttle.note(one.attempt, isRight: false, at: now)
                waiting.append((one.attempt, number))
                number += 1
            }
        }
        Issue.record("The body's password was never looked at.")
    }

    /// Whoever is asked in vain is asked as rarely as for guesses, and not for long.
    @Test func anAddressWhoseQuestionsNobodyCanAnswerWaits() {
        var throttle = LoginThrottle(), count = 0
        let start = ContinuousClock.now
        var now = start
        while now - start <= .seconds(10) {
            throttle.noteUnknown(Attempt(network: "192.0.2.1", login: "cam\(count)"), at: now)
            count += 1
            now = max(now, throttle.due(Attempt(network: "192.0.2.1", login: "cam\(count)"), at: now))
        }
        #expect((2...10).contains(count))
        let last = now
        #expect(throttle.due(Attempt(network: "192.0.2.2", login: "cam0"), at: last) <= last)
        #expect(!throttle.isSlowed("192.0.2.1", at: last))
        let later = last + LoginThrottle.shortMemory
        for _ in 1..<LoginThrottle.free { throttle.noteUnknown(Attempt(network: "192.0.2.1", login: "ann"), at: later) }
        #expect(throttle.due(Attempt(network: "192.0.2.1", login: "ann"), at: later) <= later)
    }

    @Test func failuresAreForgotten() {
        var throttle = LoginThrottle()
        let now = ContinuousClock.now, one = Attempt(network: "a", login: "ann")
        for _ in 0..<10 { throttle.note(one, isRight: false, at: now) }
        #expect(throttle.isSlowed("a", at: now))
        #expect(!throttle.isSlowed("a", at: now + LoginThrottle.memory))
        #expect(throttle.due(one, at: now + LoginThrottle.memory) == now + LoginThrottle.memory)
    }

    /// A connection for each guess, left before the answer.
    @Test func newConnectionsAreNoNewBeginning() async throws {
        let scene = try await ServerScene(), begun = ContinuousClock.now
        var count = 0
        while ContinuousClock.now - begun < .seconds(1) {
            guard let client = RawClient(scene.server.port) else { continue }
            client.send(Array("USER ann\r\nPASS \(count)\r\n".utf8))
            usleep(10_000)
            count += 1
        }
        #expect(count > 10)
        #expect((1...5).contains(scene.server.counts.wrongPasswords))
        #expect(scene.log.count(of: "127.0.0.1") == 1)
        await scene.close()
    }

    @Test func theRightPasswordWaitsAsLongAsAWrongOne() async throws {
        let scene = try await ServerScene()
        let inside = try #require(RawClient(scene.server.port))
        #expect(inside.logIn("ann"))
        for _ in 0..<LoginThrottle.free {
            let client = try #require(RawClient(scene.server.port))
            _ = client.reply()
            #expect(client.say("USER bob") == 331)
            #expect(client.say("PASS wrong") == 530)
        }
        let begun = ContinuousClock.now, body = try #require(RawClient(scene.server.port))
        #expect(body.logIn("bob"))
        #expect(ContinuousClock.now - begun > .milliseconds(700))
        // Who is in notices nothing.
        #expect(inside.store("STOR IMG_1.JPG", PushScene.jpeg(300)) == 226)
        // Another address is another matter.
        let other = try #require(RawClient(scene.server.port, from: "127.0.0.2"))
        #expect(other.logIn("ann"))
        await scene.close()
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::1", "0000000000000000/64"), ("2001:db8:1:2:3:4:5:6", "20010db800010002/64"),
        ("2001:DB8:1:2::9", "20010db800010002/64"), ("fe80::1%eth0", "fe80000000000000/64"),
    ])
    func anIPv6MachineHasAWholeNetwork(_ address: String, _ network: String) {
        #expect(PeerAddress.network(address) == network)
    }

    @Test func theLogHasALineForEachAddressAndMinute() {
        var log = RefusalLog()
        let now = ContinuousClock.now
        let lines =
            (0..<1000).compactMap { _ in log.line("wrong", kind: "w", from: "a", at: now) }
            + [log.line("wrong", kind: "w", from: "b", at: now)].compactMap { $0 }
        #expect(lines == ["wrong", "wrong"])
        #expect(
            log.line("wrong", kind: "w", from: "a", at: now + .seconds(61))
                == "wrong (and 999 more refusals of that address since the last line)")
        let crowd = (0..<5000).compactMap { log.line("wrong", kind: "w", from: "host \($0)", at: now + .seconds(62)) }
        #expect(crowd.count <= 260)
    }

    /// A program that answers nonsense does not hide a certificate that nobody trusts.
    @Test func anotherFaultIsSaidToo() {
        var log = RefusalLog()
        let now = ContinuousClock.now
        let lines = (0..<1000).compactMap { log.line("fault \($0 % 5)", kind: "\($0 % 5)", from: "a", at: now) }
        #expect(lines == ["fault 0", "fault 1", "fault 2"])
        #expect(
            log.line("fault 3", kind: "3", from: "a", at: now + .seconds(61))
                == "fault 3 (and 997 more refusals of that address since the last line)")
    }
}
