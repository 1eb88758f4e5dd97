import FilmgateCore
import Foundation
import Logging
import Synchronization
import TestThreads
import Testing

@testable import FilmgateStudio

@Suite(.ownThreads, .timeLimit(.minutes(5))) struct PairingTests {
    /// A store in a folder of its own and a clock that stands.
    final class World: Sendable {
        let folder: String, time = Mutex<Int64>(1_760_000_000)

        init() throws {
            var template = Array("/tmp/filmgate-grants-XXXXXX".utf8CString)
            folder = String(cString: try #require(mkdtemp(&template)))
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        var store: GrantStore { GrantStore(state: folder) }
        var now: Int64 { time.withLock { $0 } }
        func wait(_ seconds: Int64) { time.withLock { $0 += seconds } }
        func access(_ limit: AttemptLimit = AttemptLimit()) -> AccessControl {
            AccessControl(store, limit: limit, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
                self.now
            }
        }
        func code(_ role: Role = .admin, seconds: Int64? = nil) throws -> String {
            try store.makeCode(role: role, seconds: seconds, now: now).code
        }
        func text() throws -> String {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/studio")
            return try names.map { try String(contentsOfFile: "\(folder)/studio/\($0)", encoding: .utf8) }.joined()
        }
    }

    @Test func aCodeOpensOneSession() async throws {
        let world = try World(), access = world.access(), code = try world.code(.operate)
        let opened = try await access.pair(code.lowercased().replacing("-", with: " "), label: "b", from: "a")
        #expect(
            opened.grant.role == .operate
                && access.session(cookie: opened.cookie, key: opened.key)?.id == opened.grant.id)
        await #expect(throws: AccessControl.Refusal.wrongCode) { _ = try await access.pair(code, label: "", from: "a") }
    }

    /// Two pages of one state: each makes links to itself, and one that ended is not among those that are served.
    @Test func pagesKnowWhereTheyAre() throws {
        let world = try World(), first = world.store, second = world.store
        let places = ["http://127.0.0.1:1", "http://127.0.0.1:2"]
        try first.note(address: places[0])
        try second.note(address: places[1])
        #expect(first.address == places[0] && second.address == places[1] && world.store.address == places[1])
        #expect(world.store.served == [places[1], places[0]])
        for _ in 0..<2 { try second.forgetAddress() }
        #expect(world.store.served == [places[0]] && world.store.address == places[1])
        try first.forgetAddress()
        #expect(world.store.served == [] && first.address == places[1])
    }

    /// Many at once, in processes that share nothing but the folder.
    @Test func oneOfManyHasTheCode() async throws {
        let world = try World(), code = try world.code()
        let opened = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask { (try? await world.access().pair(code, label: "", from: "\(number)")) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(opened == 1)
    }

    @Test func aCodeLastsFiveMinutes() async throws {
        let world = try World(), access = world.access(), code = try world.code(), other = try world.code()
        world.wait(299)
        _ = try await access.pair(code, label: "", from: "a")
        world.wait(1)
        await #expect(throws: AccessControl.Refusal.wrongCode) {
            _ = try await access.pair(other, label: "", from: "a")
        }
    }

    @Test func fiveWrongCodesEndTheRightOne() async throws {
        let world = try World(), access = world.access(), code = try world.code()
        for number in 0..<5 {
            await #expect(throws: AccessControl.Refusal.wrongCode) {
                _ = try await access.pair("AAAA-AAA\(number)", label: "", from: "a")
            }
        }
        await #expect(throws: AccessControl.Refusal.wrongCode) { _ = try await access.pair(code, label: "", from: "b") }
        let fresh = try world.code()
        _ = try await access.pair(fresh, label: "", from: "a")
    }

    /// Also when all tries are made at the same moment.
    @Test func guessesAreCountedBeforeTheyAreAnswered() async throws {
        let world = try World(), access = world.access()
        let refused = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<30 {
                group.addTask {
                    do { _ = try await access.pair("AAAA-AAAA", label: "", from: "a") } catch AccessControl.Refusal
                        .tooMany
                    {
                        return true
                    } catch {}
                    return false
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(refused == 20)
    }

    @Test func aMinuteHasSixtyTriesInAll() {
        let limit = AttemptLimit(), now = ContinuousClock.now
        #expect((0..<100).count { limit.begin("address \($0)", at: now) != nil } == 60)
        #expect(
            limit.begin("another", at: now + .seconds(59)) == nil
                && limit.begin("another", at: now + .seconds(60)) != nil)
    }

    @Test func aRightCodeIsNoGuess() {
        let limit = AttemptLimit(), now = ContinuousClock.now
        for _ in 0..<50 { limit.begin("a", at: now).map { limit.forgive($0) } }
        #expect(limit.begin("a", at: now) != nil)
    }

    @Test func aSessionLastsWhileItIsUsed() async throws {
        let world = try World(), access = world.access()
        let opened = try await access.pair(try world.code(), label: "", from: "a")
        for _ in 0..<3 {
            world.wait(11 * 3600)
            #expect(access.session(cookie: opened.cookie, key: opened.key) != nil)
        }
        world.wait(12 * 3600)
        #expect(access.session(cookie: opened.cookie, key: opened.key) == nil)
    }

    @Test func aSessionForHoursIsNotMadeLonger() async throws {
        let world = try World(), access = world.access()
        let opened = try await access.pair(try world.code(.view, seconds: 8 * 3600), label: "", from: "a")
        world.wait(8 * 3600 - 1)
        #expect(access.session(cookie: opened.cookie, key: opened.key) != nil)
        world.wait(1)
        #expect(access.session(cookie: opened.cookie, key: opened.key) == nil)
    }

    @Test func aSessionOutlivesTheProcess() async throws {
        let world = try World(), opened = try await world.access().pair(try world.code(), label: "", from: "a")
        #expect(world.access().session(cookie: opened.cookie, key: opened.key) != nil)
        world.store.remove(opened.grant.id)
        #expect(world.access().session(cookie: opened.cookie, key: opened.key) == nil)
    }

    @Test func whatIsKeptLetsNobodyIn() async throws {
        let world = try World(), opened = try await world.access().pair(try world.code(), label: "", from: "a")
        let code = try world.code()
        let made = try world.store.makeToken(role: .view, seconds: 60, label: "", now: world.now)
        let kept = try world.text()
        for secret in [opened.cookie, opened.key, made.token, code, try #require(AccessSecret.normalised(code))] {
            #expect(!kept.contains(secret))
        }
        let attributes = try FileManager.default.attributesOfItem(
            atPath: "\(world.folder)/studio/\(made.grant.id).json")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func sessionsAreFiftyAtMost() async throws {
        let world = try World(), access = world.access()
        for _ in 0..<55 {
            world.wait(1)
            _ = try await access.pair(try world.code(), label: "", from: "a")
        }
        #expect(world.store.all(.session, now: world.now).count == GrantStore.mostSessions)
    }

    @Test(arguments: [
        "7kq2m0xt": "7KQ2M0XT", "7KQ2-MOXT": "7KQ2M0XT", "il00-0000": "11000000", " 7KQ2 – M0XT ": "7KQ2M0XT",
    ])
    func aCodeIsReadAsItWasMeant(_ typed: String, _ code: String) { #expect(AccessSecret.normalised(typed) == code) }

    @Test(arguments: ["", "7KQ2M0X", "7KQ2M0XTT", "7KQ2M0XU", "7KQ2*M0XT", String(repeating: "A", count: 100)])
    func whatIsNoCodeIsNone(_ typed: String) { #expect(AccessSecret.normalised(typed) == nil) }
}
