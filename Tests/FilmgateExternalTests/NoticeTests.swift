import FilmgateCore
import FilmgateTesting
import Foundation
import HTTPKit
import Logging
import Synchronization
import Testing

@testable import FilmgateExternal

@Suite struct NoticeTests {
    private func settled(_ name: String, _ ending: Ending = .delivered) throws -> AssetResult {
        var asset = try SampleJob().job(name).asset
        asset.receipts = ["archive": Receipt(state: .done, path: "/a/\(name)", verified: .reread)]
        return AssetResult(asset: asset, ending: ending)
    }

    private func notifier(_ sender: any HookSender, _ on: [HookMoment] = HookMoment.allCases) -> HookNotifier {
        HookNotifier([(sender, Set(on))], pipeline: "wedding", event: "smith", logger: Logger(label: "test"))
    }

    @Test func aShotIsOneNoticeWithAllItsFiles() async throws {
        let list = NoticeList(), notifier = notifier(list)
        notifier.runStarted("import", targets: ["archive"])
        for name in ["IMG_1.CR3", "IMG_1.JPG", "IMG_2.JPG"] { notifier.note(.settled(try settled(name))) }
        notifier.note(.settled(try settled("IMG_3.JPG", .duplicate)))
        notifier.runEnded("import", RunSummary(counts: [.delivered: 3]), exit: 0)
        await notifier.finish()
        #expect(list.bodies.map { $0["type"]?.text } == ["run-start", "delivered", "delivered", "run-end"])
        let files = list.bodies.compactMap { $0["files"]?.items?.compactMap { $0["path"]?.text } }
        #expect(Set(files) == [["DCIM/100/IMG_1.CR3", "DCIM/100/IMG_1.JPG"], ["DCIM/100/IMG_2.JPG"]])
        #expect(list.bodies.allSatisfy { $0["event"]?.text == "smith" && $0["pipeline"]?.text == "wedding" })
        #expect(list.bodies.last?["delivered"]?.whole == 3)
        #expect(Set(list.bodies.compactMap { $0["id"]?.text }).count == 4)
    }

    /// Rejected by one person and picked by another at the same moment, it ends twice.
    @Test func aFileThatEndsTwiceIsToldOnceWithAllItsTargets() async throws {
        let list = NoticeList(), notifier = notifier(list, [.delivered])
        var again = try settled("IMG_1.JPG")
        notifier.note(.settled(again))
        again.asset.receipts["archive"]?.existed = true
        again.asset.receipts["picks"] = Receipt(state: .done, path: "/p/IMG_1.JPG", verified: .reread)
        notifier.note(.settled(again))
        await notifier.finish()
        let files = try #require(list.bodies.first?["files"]?.items)
        #expect(list.bodies.count == 1 && files.count == 1)
        let receipts = try #require(files.first?["receipts"])
        #expect(receipts["archive"]?["existed"]?.flag == false && receipts["picks"]?["existed"]?.flag == false)
    }

    @Test func itHearsOnlyWhatItAskedForAndAHoldOnce() async throws {
        let list = NoticeList(), notifier = notifier(list, [.held])
        notifier.runStarted("run", targets: [])
        notifier.note(.settled(try settled("IMG_1.JPG")))
        for _ in 0..<3 { notifier.note(.held(target: "far", reason: "refused")) }
        notifier.signedOut("studio")
        await notifier.finish()
        #expect(list.bodies.map { $0["type"]?.text } == ["held"])
    }

    @Test func aHoldAfterItWasWellIsNews() async {
        let list = NoticeList(), notifier = notifier(list, [.held])
        let held = RunEvent.held(target: "far", reason: "refused")
        for runEvent in [held, held, .released(target: "near"), held, .released(target: "far"), held] {
            notifier.note(runEvent)
        }
        await notifier.finish()
        #expect(list.bodies.count == 2)
    }

    @Test func aStuckReceiverHoldsNobodyUp() async throws {
        let stuck = StuckHookSender(), box = NoticeQueue(stuck, on: [.held], Logger(label: "test"), limit: 5)
        for number in 0..<100 { box.put(Notice(.held, ["target": .integer(Int64(number))])) }
        await box.finish(within: .milliseconds(50))
        #expect(stuck.cancelled.withLock { $0 } >= 1)
    }

    @Test func aProgramReadsTheNoticeFromItsInput() async throws {
        let module = try MisbehavingModule(
            "#!/bin/sh\nprintf '%s ' \"$FILMGATE_NOTICE\" \"$1\" > \"$2\"\ncat >> \"$2\"\n")
        var hook = ExecHook()
        hook.command = [module.program, "a b", module.folder + "/out"]
        let big = String(repeating: "x", count: 300_000)
        try await ProgramHookSender(hook: hook).deliver(Notice(.runEnd, ["note": .string(big)]))
        let text = try String(contentsOfFile: module.folder + "/out", encoding: .utf8)
        #expect(text.hasPrefix("run-end a b {"))
        #expect(JSONValue(Array(text.dropFirst(12).utf8))?["note"]?.text == big)
    }

    @Test func aProgramThatHangsOrFailsIsEndedAndToldOf() async throws {
        let module = try MisbehavingModule("#!/bin/sh\n[ \"$1\" = fail ] && exit 3\nsleep 600\n")
        var hook = ExecHook()
        (hook.command, hook.timeout) = ([module.program, "hang"], .milliseconds(200))
        try await expectError(.unavailable) { () async throws(IngestError) in
            try await ProgramHookSender(hook: hook).deliver(Notice(.held, [:]))
        }
        hook.command[1] = "fail"
        hook.timeout = .seconds(30)
        let error = try await expectError(.rejected) { () async throws(IngestError) in
            try await ProgramHookSender(hook: hook).deliver(Notice(.held, [:]))
        }
        #expect(error.message.contains("status 3"))
    }

    /// Its own limit is another matter than that of the run's end.
    @Test func aProgramThatTheRunCannotWaitForIsToldOfAsThat() async throws {
        let module = try MisbehavingModule("#!/bin/sh\nexec sleep 600\n")
        var hook = ExecHook()
        (hook.command, hook.timeout) = ([module.program], .seconds(300))
        let sender = ProgramHookSender(hook: hook)
        let delivering = Task {
            await Result { () async throws(IngestError) in try await sender.deliver(Notice(.held, [:])) }
        }
        try await Task.sleep(for: .milliseconds(100))
        delivering.cancel()
        let delivered = await delivering.value
        let error = try #require(throws: IngestError.self) { try delivered.get() }
        #expect(error.message.hasSuffix(" was not done when the run ended, and was ended."), "\(error.message)")
    }

    /// Whoever waits for the end of the run hears of it, however much else waits before it or did not fit.
    @Test(arguments: [3, 100]) func theEndOfARunIsToldBeforeTheRestIsLeftOut(_ limit: Int) async {
        let slow = SlowHookSender()
        let box = NoticeQueue(slow, on: [.held, .runEnd], Logger(label: "test"), limit: limit)
        for _ in 0..<20 { box.put(Notice(.held, [:])) }
        box.put(Notice(.runEnd, [:]))
        await box.finish(within: .milliseconds(300))
        #expect(slow.told.withLock { $0 } == [.runEnd])
    }

    @Test func whatStillWaitsWhenTheRunEndsIsCounted() async throws {
        let log = LogCollector(), box = NoticeQueue(StuckHookSender(), on: [.held], log.logger)
        for _ in 0..<4 { box.put(Notice(.held, [:])) }
        await box.finish(within: .milliseconds(100))
        #expect(
            log.text.contains("hook stuck: 3 notices still waited when the run ended, and were left out"), "\(log.text)"
        )
    }

    /// A program that is told of two runs hears of the end of the first before the start of the second.
    @Test func theNextRunsNoticesWaitForTheLastOnesOfThis() async {
        let list = NoticeList(), ending = Task { (try? await Task.sleep(for: .milliseconds(200))) ?? () }
        let box = NoticeQueue(list, on: [.runStart], Logger(label: "test"), after: ending)
        box.put(Notice(.runStart, [:]))
        try? await Task.sleep(for: .milliseconds(20))
        #expect(list.bodies.isEmpty)
        await ending.value
        await box.finish(within: .seconds(10))
        #expect(list.bodies.count == 1)
    }

    /// The end of the process waits no longer for what hangs before it.
    @Test func aRunThatEndsWaitsForNoEarlierOne() async {
        let list = NoticeList(), hanging = Task { (try? await Task.sleep(for: .seconds(600))) ?? () }
        let box = NoticeQueue(list, on: [.runEnd], Logger(label: "test"), after: hanging)
        box.put(Notice(.runEnd, [:]))
        await box.finish(within: .milliseconds(300))
        #expect(list.bodies.count == 1)
        hanging.cancel()
    }

    /// HMAC-SHA256 by another implementation (Python's hmac).
    @Test func theSignatureIsThatOfTimeAndBody() {
        #expect(
            WebhookSender.signature(of: Array("{}\n".utf8), at: "1700000000", SecretValue("s3cret"))
                == "v1=6241e3c9140d64151b9410040f94cb1a0ba027fae9e9457e5990d85e0bb80d0a")
    }

    private func webhook(_ tries: Int = 5) -> Webhook {
        var hook = Webhook()
        (hook.url, hook.secret, hook.tries) = ("https://hooks.example/x", Secret(.environment("HOOK")), tries)
        return hook
    }

    @Test func aServerInTroubleIsAskedAgainWithTheSameID() async throws {
        let server = ScriptedServer([503, 429, 200]), secrets = CanarySecrets()
        let sender = WebhookSender(webhook(), secrets, over: server, pause: .milliseconds(1))
        let notice = Notice(.held, [:])
        try await sender.deliver(notice)
        let seen = server.seen.withLock { $0 }
        #expect(seen.count == 3)
        for request in seen {
            #expect(request[header: "Filmgate-Delivery"] == notice.id)
            let time = try #require(request[header: "Filmgate-Timestamp"])
            #expect(abs((Int64(time) ?? 0) - Notice.now) < 100)
            let secret = SecretValue(secrets.value ?? "")
            #expect(request[header: "Filmgate-Signature"] == WebhookSender.signature(of: notice.body, at: time, secret))
            try secrets.expectAbsent(from: request.headers.map(\.value).joined(), "A header")
        }
    }

    @Test func aRefusalAndAMissingSecretAreFinal() async throws {
        let server = ScriptedServer([400, 200]), sender = WebhookSender(webhook(), CanarySecrets(), over: server)
        try await expectError(.rejected) { () async throws(IngestError) in
            try await sender.deliver(Notice(.held, [:]))
        }
        let blind = WebhookSender(webhook(), CanarySecrets(nil), over: server)
        try await expectError(.misconfigured) { () async throws(IngestError) in
            try await blind.deliver(Notice(.held, [:]))
        }
        #expect(server.seen.withLock { $0.count } == 1)
    }

    @Test func itGivesUpAfterItsTries() async throws {
        let server = ScriptedServer([500, 500, 500, 200])
        let sender = WebhookSender(webhook(3), CanarySecrets(), over: server, pause: .zero)
        try await expectError(.unavailable) { () async throws(IngestError) in
            try await sender.deliver(Notice(.held, [:]))
        }
        #expect(server.seen.withLock { $0.count } == 3)
    }
}

private final class NoticeList: HookSender {
    let name = "list"
    private let taken = Mutex<[JSONValue]>([])
    var bodies: [JSONValue] { taken.withLock { $0 } }
    func deliver(_ notice: Notice) async throws(IngestError) {
        if let value = JSONValue(notice.body) { taken.withLock { $0.append(value) } }
    }
}

private final class StuckHookSender: HookSender {
    let name = "stuck"
    let cancelled = Mutex(0)
    func deliver(_ notice: Notice) async throws(IngestError) {
        guard (try? await Task.sleep(for: .seconds(600))) == nil else { return }
        cancelled.withLock { $0 += 1 }
        throw IngestError(.cancelled, "Stopped.")
    }
}

/// Takes the end of a run at once, and all else never.
private final class SlowHookSender: HookSender {
    let name = "slow"
    let told = Mutex<[HookMoment]>([])
    func deliver(_ notice: Notice) async throws(IngestError) {
        if notice.moment != .runEnd, (try? await Task.sleep(for: .seconds(600))) == nil {
            throw IngestError(.cancelled, "Stopped.")
        }
        told.withLock { $0.append(notice.moment) }
    }
}

private final class ScriptedServer: HTTPTransport {
    let seen = Mutex<[HTTPRequest]>([])
    private let statuses: Mutex<[Int]>
    init(_ statuses: [Int]) { self.statuses = Mutex(statuses) }
    func send(_ exchange: HTTPExchange) async throws(IngestError) -> HTTPResponse {
        seen.withLock { $0.append(exchange.request) }
        return HTTPResponse(
            status: statuses.withLock { $0.isEmpty ? 200 : $0.removeFirst() }, url: exchange.request.url)
    }
}
