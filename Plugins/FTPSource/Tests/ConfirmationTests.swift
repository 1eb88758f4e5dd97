import FilmgateCore
import Foundation
import Synchronization
import TestThreads
import Testing

@testable import FTPSource

/// A camera is told that its file is safe once a target has it, and not before.
@Suite(.ownThreads, .serialized, .timeLimit(.minutes(5))) struct ConfirmationTests {
    private final class Order: Sendable {
        private let all = Mutex<[String]>([])
        func add(_ word: String) { all.withLock { $0.append(word) } }
        var words: [String] { all.withLock { $0 } }
    }

    private func scene(_ change: (inout FTPSource.Config) -> Void = { _ in }) async throws -> PushScene {
        try await PushScene { config in
            (config.confirm, config.confirmWithin) = (.delivered("bucket"), .seconds(120))
            change(&config)
        }
    }

    /// What the client hears in the end; it waits on a thread of its own.
    private func heard(_ body: @escaping @Sendable () -> Int) -> Task<Int, Never> {
        Task.detached {
            await withCheckedContinuation { done in Thread.detachNewThread { done.resume(returning: body()) } }
        }
    }

    private func result(_ entry: SourceEntry, _ ending: Ending, _ reason: String? = nil) -> AssetResult {
        AssetResult(
            asset: Asset(origin: entry.origin, kind: entry.kind, shot: entry.shot), ending: ending, reason: reason)
    }

    private func push(_ scene: PushScene, _ name: String, _ seed: UInt8 = 1) -> Int {
        guard let client = RawClient(scene.port), client.logIn("ann") else { return -1 }
        return client.store("STOR \(name)", PushScene.jpeg(3000, seed))
    }

    @Test func yesComesAfterTheTargetHasIt() async throws {
        let scene = try await scene(), order = Order(), port = scene.port
        let client = heard {
            guard let client = RawClient(port), client.logIn("ann") else { return -1 }
            let code = client.store("STOR IMG_1.JPG", PushScene.jpeg(3000))
            order.add("answered")
            return code
        }
        let entry = try #require(await scene.entries(1).first)
        scene.session.delivered(entry.origin, to: "another")
        try await Task.sleep(for: .milliseconds(300))
        order.add("delivered")
        scene.session.delivered(entry.origin, to: "bucket")
        #expect(await client.value == 226)
        #expect(order.words == ["delivered", "answered"])
        await scene.close()
    }

    /// The bytes were delivered before: nothing is sent, and there is nothing to wait for.
    @Test(arguments: [Ending.alreadySeen, .duplicate, .delivered, .filtered])
    func whatNeedsNoDeliveryIsAnsweredByItsEnding(_ ending: Ending) async throws {
        let scene = try await scene(), port = scene.port
        let client = heard {
            RawClient(port).map { $0.logIn("ann") ? $0.store("STOR IMG_1.JPG", PushScene.jpeg(900)) : -1 } ?? -1
        }
        let entry = try #require(await scene.entries(1).first)
        scene.session.settled(result(entry, ending))
        #expect(await client.value == 226)
        await scene.close()
    }

    /// Another station's word is no yes, and the file may be the only one that there is.
    @Test(arguments: [Ending.alreadySeen, .duplicate])
    func whatOnlyAnotherStationSaysIsNotConfirmed(_ ending: Ending) async throws {
        let scene = try await scene(), port = scene.port
        let client = heard {
            RawClient(port).map { $0.logIn("ann") ? $0.store("STOR IMG_1.JPG", PushScene.jpeg(900)) : -1 } ?? -1
        }
        let entry = try #require(await scene.entries(1).first)
        var settled = result(entry, ending)
        let receipt = Receipt(state: .done, sha256: "a", verified: .hearsay, existed: true)
        settled.asset.digests = Digests(sha256: "a")
        settled.asset.receipts = ["bucket": receipt]
        scene.session.settled(settled)
        #expect(await client.value == 451)
        try await Task.sleep(for: .milliseconds(100))
        #expect(scene.session.localPath(entry.origin).map { FileManager.default.fileExists(atPath: $0) } == true)
        await scene.close()
    }

    /// The same frame came over another event's login a moment ago: nobody has written down yet what it is for.
    @Test func whatAnotherEventHasJustReadIsNotConfirmed() async throws {
        let scene = try await scene(), port = scene.port
        let client = heard {
            RawClient(port).map { $0.logIn("ann") ? $0.store("STOR IMG_1.JPG", PushScene.jpeg(900)) : -1 } ?? -1
        }
        let entry = try #require(await scene.entries(1).first)
        var settled = result(entry, .alreadySeen, "it was taken for the event smith before")
        settled.asset.flags.insert(AssetFlag.otherEvent)
        scene.session.settled(settled)
        #expect(await client.value == 451)
        await scene.close()
    }

    @Test(arguments: [Ending.pending, .setAside]) func whatIsNotThereIsRefusedWithTheReason(
        _ ending: Ending
    ) async throws {
        let scene = try await scene(), port = scene.port, order = Order()
        let client = heard {
            guard let client = RawClient(port), client.logIn("ann"), let line = client.begin("STOR IMG_1.JPG") else {
                return -1
            }
            line.send(Array(PushScene.jpeg(900)))
            line.hangUp()
            let reply = client.reply()
            order.add(reply)
            return client.code(reply)
        }
        let entry = try #require(await scene.entries(1).first)
        scene.session.settled(result(entry, ending, "the disk\r\nis full"))
        #expect(await client.value == 451)
        #expect(order.words.first?.contains("bucket does not have it: the disk") == true)
        // Its bytes stay, and are delivered later.
        #expect(scene.session.localPath(entry.origin).map { FileManager.default.fileExists(atPath: $0) } == true)
        await scene.close()
    }

    /// Nobody waits for ever, and who sends it again is answered anew.
    @Test func aTargetThatTakesTooLongIsNotWaitedFor() async throws {
        let scene = try await scene { ($0.confirmWithin, $0.companions) = (.seconds(1), .zero) }, port = scene.port
        let store: @Sendable () -> Int = {
            RawClient(port).map { $0.logIn("ann") ? $0.store("STOR IMG_1.JPG", PushScene.jpeg(900)) : -1 } ?? -1
        }
        #expect(await heard(store).value == 451)
        let again = heard(store)
        let entries = await scene.entries(2)
        scene.session.delivered(try #require(entries.last).origin, to: "bucket")
        // On a machine that is too busy for a second it may have been told to send it once more.
        #expect([226, 451].contains(await again.value))
        await scene.close()
    }

    /// A client that renames in the end waits there, and nowhere before: the file is not taken until then.
    @Test func aFileThatIsRenamedIsWaitedForAtItsLastName() async throws {
        let scene = try await scene(), port = scene.port, order = Order()
        let client = heard {
            guard let client = RawClient(port), client.logIn("ann") else { return -1 }
            guard client.store("STOR IMG_1.JPG.tmp", PushScene.jpeg(900)) == 226,
                client.say("RNFR IMG_1.JPG.tmp") == 350
            else { return -2 }
            let code = client.say("RNTO IMG_1.JPG")
            order.add("answered")
            return code
        }
        let entry = try #require(await scene.entries(1).first)
        #expect(entry.origin.path == "ann/IMG_1.JPG")
        order.add("delivered")
        scene.session.delivered(entry.origin, to: "bucket")
        #expect(await client.value == 250)
        #expect(order.words == ["delivered", "answered"])
        await scene.close()
    }

    /// A picture whose end is missing was sent to its end: its client waits for an answer and sends no more.
    @Test func whatIsNotWholeIsTakenAtOnce() async throws {
        let scene = try await scene { $0.incomplete = .seconds(3600) }, port = scene.port
        let client = heard {
            guard let client = RawClient(port), client.logIn("ann") else { return -1 }
            return client.store("STOR IMG_1.JPG", PushScene.jpeg(3000).dropLast(500))
        }
        let entry = try #require(await scene.entries(1).first)
        scene.session.settled(result(entry, .duplicate))
        #expect(await client.value == 226)
        await scene.close()
    }

    /// What goes nowhere is not waited for.
    @Test func aFileOfUnknownKindIsAnsweredAtOnce() async throws {
        let scene = try await scene(), port = scene.port
        let client = heard {
            RawClient(port).map { $0.logIn("ann") ? $0.store("STOR notes.xyz", Data("hello".utf8)) : -1 } ?? -1
        }
        #expect(await client.value == 226)
        await scene.close()
    }

    /// When the source ends, nobody is left waiting.
    @Test func whoWaitsAtTheEndIsToldToSendItAgain() async throws {
        let scene = try await scene(), port = scene.port
        let client = heard {
            RawClient(port).map { $0.logIn("ann") ? $0.store("STOR IMG_1.JPG", PushScene.jpeg(900)) : -1 } ?? -1
        }
        _ = await scene.entries(1)
        await scene.close(keeping: true)
        #expect(await client.value == 451)
        try? FileManager.default.removeItem(atPath: scene.folder)
    }

    /// Random orders of arriving, answering and asking: each client gets one answer, and nothing is left behind.
    @Test func everyClientGetsOneAnswer() async throws {
        var random = SystemRandomNumberGenerator()
        let confirmations = PushConfirmations("bucket", within: .seconds(600))
        for _ in 0..<500 {
            let file = UInt64.random(in: 0...9, using: &random), clients = Int.random(in: 1...3, using: &random)
            let isFirst = Bool.random(using: &random), isSafe = Bool.random(using: &random)
            let tickets = (0..<clients).map { _ in confirmations.expect(file) }
            let answer: @Sendable () -> Void = {
                if isSafe { confirmations.confirm(file) } else { confirmations.refuse(file, "no") }
                confirmations.refuse(file, "later")
            }
            if isFirst { answer() }
            async let outcome = confirmations.outcome(tickets[0])
            if !isFirst {
                await Task.yield()
                answer()
            }
            #expect(await outcome == (isSafe ? nil : "no"))
            for ticket in tickets.dropFirst() { #expect(await confirmations.outcome(ticket) == (isSafe ? nil : "no")) }
            #expect(!confirmations.isExpected(file))
        }
    }

    /// The first was taken, so the second comes to its place: each client hears of its own file.
    @Test(arguments: [true, false]) func twoOfOneNameAreAnsweredEachForItself(_ isFirstSafe: Bool) async throws {
        let scene = try await scene(), port = scene.port
        let push: @Sendable (UInt8) -> Int = { seed in
            guard let client = RawClient(port), client.logIn("ann") else { return -1 }
            return client.store("STOR IMG_1.JPG", PushScene.jpeg(3000, seed))
        }
        let first = heard { push(1) }, one = try #require(await scene.entries(1).first)
        let second = heard { push(2) }, other = try #require(await scene.entries(1).first)
        scene.session.settled(result(other, isFirstSafe ? .pending : .delivered))
        scene.session.settled(result(one, isFirstSafe ? .delivered : .pending))
        #expect(await first.value == (isFirstSafe ? 226 : 451))
        #expect(await second.value == (isFirstSafe ? 451 : 226))
        await scene.close()
    }
}
