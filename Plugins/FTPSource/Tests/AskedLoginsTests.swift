import FTPKit
import FilmgateCore
import Foundation
import Synchronization
import Testing

@testable import FTPSource

/// Logins that a program or a service of the studio knows.
@Suite struct AskedLoginsTests {
    /// Passes when a test says so.
    private final class Time: Sendable {
        private let passed = Mutex(Duration.zero), start = ContinuousClock.now
        func pass(_ time: Duration) { passed.withLock { $0 += time } }
        var clock: AskedLogins.Clock {
            AskedLogins.Clock(now: { self.start + self.passed.withLock { $0 } }) {
                1_000 + self.passed.withLock { $0.components.seconds }
            }
        }
    }
    private let service = FakeLogins(), time = Time(), logins: AskedLogins

    init() {
        logins = AskedLogins(service, clock: time.clock) { event throws(IngestError) in
            throw IngestError(.unavailable, "there is no inbox for \(event)")
        }
    }

    private func grant(_ user: String, _ password: String, _ grant: LoginGrant = LoginGrant()) {
        service.state.withLock { $0.grants["\(user) \(password)"] = grant }
    }

    /// `yes FOLDER`, `no`, or why nobody knows.
    private func verdict(_ user: String, _ password: String, from address: String = "192.0.2.7") async -> String {
        switch await logins.verdict(user, password, from: address) {
        case .right(let login): "yes \(login.folder)"
        case .wrong: "no"
        case .unknown(let reason): reason
        }
    }

    @Test func whoMayIsAskedForOnceAMinute() async {
        grant("ann", "1234", LoginGrant(folder: "bodies/ann"))
        for _ in 0..<5 { #expect(await verdict("ann", "1234") == "yes bodies/ann") }
        #expect(service.questions == ["ann 1234"] && service.state.withLock(\.addresses) == ["192.0.2.7"])
        time.pass(.seconds(59))
        #expect(await verdict("ann", "1234") == "yes bodies/ann")
        #expect(service.questions.count == 1)
        time.pass(.seconds(1))
        service.state.withLock { $0.grants = [:] }
        #expect(await verdict("ann", "1234") == "no")
        #expect(service.questions.count == 2)
    }

    /// One login at two venues, and one that may come from one place only.
    @Test func whoMayIsAskedForAnewFromElsewhere() async {
        grant("ann", "1234", LoginGrant(folder: "smith"))
        #expect(await verdict("ann", "1234") == "yes smith")
        grant("ann", "1234", LoginGrant(folder: "jones"))
        #expect(await verdict("ann", "1234", from: "198.51.100.7") == "yes jones")
        #expect(await verdict("ann", "1234") == "yes smith")
        service.state.withLock { $0.grants = [:] }
        #expect(await verdict("ann", "1234", from: "203.0.113.7") == "no")
        #expect(await verdict("ann", "1234", from: "198.51.100.7") == "yes jones")
        #expect(service.state.withLock(\.addresses) == ["192.0.2.7", "198.51.100.7", "203.0.113.7"])
    }

    /// Each wrong one is a guess, and each is asked about: it may be right by now.
    @Test func whoMayNotIsAskedForEachTime() async {
        for _ in 0..<3 { #expect(await verdict("ann", "1234") == "no") }
        grant("ann", "1234")
        #expect(await verdict("ann", "1234") == "yes ann")
        #expect(await verdict("ann", "12345") == "no")
        #expect(await verdict("ann", "1234") == "yes ann")
        #expect(service.questions == ["ann 1234", "ann 1234", "ann 1234", "ann 1234", "ann 12345"])
    }

    @Test func aServiceThatIsAwayRefusesNobodyWhoIsKnown() async {
        grant("ann", "1234")
        #expect(await verdict("ann", "1234") == "yes ann")
        service.state.withLock { $0.isAway = true }
        #expect(await verdict("ann", "1234") == "yes ann")
        #expect(await verdict("bob", "1234") == "nobody answers")
        time.pass(.seconds(60))
        #expect(await verdict("ann", "1234") == "nobody answers")
        service.state.withLock { $0.isAway = false }
        #expect(await verdict("ann", "1234") == "yes ann")
    }

    @Test func aLoginEndsWhenItExpires() async throws {
        grant("ann", "1234", LoginGrant(expires: 1_020))
        guard case .right(let login) = await logins.verdict("ann", "1234", from: "") else {
            return #expect(Bool(false))
        }
        #expect(login.expires == time.clock.now() + .seconds(20))
        time.pass(.seconds(20))
        #expect(await verdict("ann", "1234") == "no")
        #expect(service.questions.count == 2)
    }

    @Test(arguments: ["../bob", "a/../../b", "a/./b", "..", String(repeating: "ä", count: 90)])
    func aFolderThatIsNoneIsNobodysFault(_ folder: String) async {
        grant("ann", "1234", LoginGrant(folder: folder))
        #expect(await verdict("ann", "1234") == "the folder that belongs to the login is no folder's name")
        #expect(logins.count == 0)
    }

    @Test func anEventWithoutAnInboxIsNobodysFault() async {
        grant("ann", "1234", LoginGrant(event: "smith"))
        #expect(await verdict("ann", "1234") == "there is no inbox for smith")
        #expect(logins.count == 0)
    }

    /// What nobody could be called is not asked about: whoever types it in costs no program.
    @Test(arguments: ["", String(repeating: "x", count: 65), "a\nb", "a\u{0}", "a\u{9B}b"])
    func noServiceIsAskedForWhatIsNoName(_ user: String) async {
        #expect(await verdict(user, "1234") == "no")
        #expect(await verdict("ann", "") == "no")
        #expect(await verdict("ann", String(repeating: "x", count: 257)) == "no")
        #expect(service.questions.isEmpty && logins.name(of: user) == nil)
    }

    @Test func onlySoManyAreRemembered() async {
        for number in 0..<(2 * AskedLogins.most) {
            grant("cam\(number)", "1234")
            #expect(await verdict("cam\(number)", "1234") == "yes cam\(number)")
            #expect(logins.count <= AskedLogins.most)
            time.pass(.milliseconds(1))
        }
        #expect(logins.count >= AskedLogins.most / 2)
        let asked = service.questions.count
        #expect(await verdict("cam\(2 * AskedLogins.most - 1)", "1234").hasPrefix("yes"))
        #expect(service.questions.count == asked)
    }

    @Test(arguments: [
        ("ann", "ann", "ann"), ("ann", "bodies/ann", "ann=bodies%2fann"), ("a=b", "a=b", "a%3db"),
        ("..", "..", "%2e."), (".events", ".events", "%2eevents"), ("Jürgen", "Jürgen", "J%c3%bcrgen"),
    ]) func aFolderSaysWhoseItIs(_ user: String, _ folder: String, _ name: String) {
        let home = FTPHome(user: user, folder: folder)
        #expect(home.name == name && FTPHome(name: name) == home)
    }

    @Test(arguments: ["", "a=b=c", "=", "a%2", "a%zz", "a%41", "%2E.", "a b", "a/b", "%ff", "ann="])
    func whatWasNotNamedSoSaysNothing(_ name: String) {
        #expect(FTPHome(name: name) == nil)
    }
}
