import FilmgateCore
import FilmgateTesting
import Foundation
import HTTPKit
import Logging
import Synchronization
import Testing

@testable import FilmgateExternal

/// Whatever a child does, the frame is delivered later, and the program goes on.
@Suite struct MisbehavingModuleTests {
    private func failure(_ mood: String, _ codes: IngestError.Code = .unavailable) async throws -> IngestError {
        let module = try MisbehavingModule(), target = try module.target(["mood": mood, "key": "${env:X}"])
        let job = try SampleJob()
        return try await expectError(codes) { () async throws(IngestError) in try await target.upload(job.job()) }
    }

    @Test func aCrashIsTriedAgainWithAnotherChild() async throws {
        let module = try MisbehavingModule(), target = try module.target(["mood": "crash once"]), job = try SampleJob()
        let error = try await expectError(.unavailable) { () async throws(IngestError) in
            try await target.upload(job.job())
        }
        #expect(error.message.contains("signal 9"))
        #expect(try await target.find(job.job()) == nil)
        #expect(try await target.upload(job.job()).id == "1")
        #expect(Set(module.asked.map { $0.split(separator: " ").last }).count == 2)
    }

    @Test func crashesInARowAreLeftAloneForAWhile() async throws {
        let module = try MisbehavingModule(), target = try module.target(["mood": "crash"]), job = try SampleJob()
        // The pause doubles with each crash: on a slow machine the first ones may be over before the next try.
        var started = 0, pause: Duration?
        while pause == nil, started < 10 {
            let error = try await expectError(.unavailable) { () async throws(IngestError) in
                try await target.upload(job.job())
            }
            pause = error.retryAfter
            if pause == nil { started += 1 }
        }
        #expect(started >= 2 && pause.map { $0 > .zero && $0 <= .seconds(60) } == true)
        #expect(module.asked.filter { $0.hasPrefix("upload") }.count == started)
    }

    @Test(arguments: ["silent", "long", "nonsense", "other id", "no receipt"])
    func whatIsNoAnswerIsTriedAgain(_ mood: String) async throws { _ = try await failure(mood) }

    @Test func progressIsASignOfLife() async throws {
        let module = try MisbehavingModule(), target = try module.target(["mood": "progress"]), job = try SampleJob()
        #expect(try await target.upload(job.job()).id == "1")
    }

    /// Whoever waits for an answer must get one some day: the run would never end.
    @Test(arguments: [
        ("goes on", "find", "went on without an answer"), ("asks on", "upload", "asked without end"),
    ]) func aChildThatNeverAnswersIsEnded(_ mood: String, _ verb: String, _ words: String) throws {
        let module = try MisbehavingModule(), channel = try LineChannel(module.program, name: "moody")
        _ = try channel.receive(within: Worker.greeting, StopFlag())
        let worker = Worker(channel, silence: .seconds(2), answers: .seconds(1), mostQuestions: 10)
        let options: JSONObject = ["mood": .string(mood), "log": .string(module.folder + "/log")]
        worker.begin(Request(verb: "configure", arguments: ["options": .object(options)]))
        _ = try worker.hear(StopFlag())
        worker.begin(Request(verb: verb))
        do throws(IngestError) {
            while case .question = try worker.hear(StopFlag()) { worker.reply(.object(["unsupported": .bool(true)])) }
            Issue.record("It answered.")
        } catch { #expect(error.code == .unavailable && error.message.contains(words), "\(error)") }
        #expect(channel.isOver)
    }

    /// Sending a clip may take hours, a question for it may not.
    @Test func whatMovesFilesHasNoEnd() {
        func longest(_ verb: String) -> Duration? {
            Request(verb: verb).longest(.seconds(120), answers: .seconds(600))
        }
        #expect(["upload", "fetch", "list", "verify", "process"].allSatisfy { longest($0) == nil })
        #expect(longest("sign") == .seconds(120) && longest("find") == .seconds(600))
        #expect(longest("finish") == .seconds(3600))
    }

    /// Who does not say that the same bytes are stored once is warned of by `check`.
    @Test(arguments: [true, false]) func thatAFileMayComeTwiceIsWarnedOf(_ isIdempotent: Bool) throws {
        let said = #"{"identity": "here", "idempotent": \#(isIdempotent ? "True" : "False")}"#
        let module = try MisbehavingModule(
            MisbehavingModule.script.replacing(#"{"identity": "here"}"#, with: said))
        #expect(try module.target([:]).traits.warnings.isEmpty == isIdempotent)
    }

    @Test func aReceiptForOtherBytesIsNone() async throws { _ = try await failure("other bytes", .corruptData) }

    @Test func itsWordsAreCleanedAndItsCodesLimited() async throws {
        let error = try await failure("strange code")
        #expect(error.message == "moody: line break ‹secret›")
        #expect(try await failure("later", .rateLimited).retryAfter == .seconds(7))
    }

    @Test func secretsTravelThroughThePipeAlone() async throws {
        let module = try MisbehavingModule(), log = LogCollector(), secrets = CanarySecrets(), job = try SampleJob()
        let target = try module.target(["mood": "talks", "key": "${env:X}"], module.context(log.logger, secrets))
        #expect(secrets.lookups == 0)
        #expect(try await target.upload(job.job()).id == "unseen")
        // Its last words are heard at its next answer at the latest.
        _ = try await target.find(job.job())
        #expect(log.text.contains("key is ‹secret›"))
        try secrets.expectAbsent(from: log.text, "The log")
    }

    @Test func aMissingSecretHoldsTheTarget() async throws {
        let module = try MisbehavingModule(), job = try SampleJob()
        let target = try module.target(["key": "${env:X}"], module.context(secretless: true))
        try await expectError(.unauthorized) { () async throws(IngestError) in try await target.upload(job.job()) }
    }

    @Test func whatItStartedEndsWithIt() async throws {
        let module = try MisbehavingModule(), target = try module.target(["mood": "children"]), job = try SampleJob()
        let attempt = Task { await Result { () async throws(IngestError) in try await target.upload(job.job()) } }
        while !module.asked.contains(where: { $0.hasPrefix("child") }) { try await Task.sleep(for: .milliseconds(20)) }
        attempt.cancel()
        guard case .failure(let error) = await attempt.value else { throw CheckFailure("It went well.") }
        #expect(error.code == .cancelled)
        let child = try #require(
            module.asked.compactMap { $0.hasPrefix("child ") ? pid_t($0.dropFirst(6)) : nil }.first)
        var left = 500
        while Self.lives(child), left > 0 {
            try await Task.sleep(for: .milliseconds(20))
            left -= 1
        }
        #expect(!Self.lives(child))
    }

    /// False for what is gone, or dead and not buried by init yet.
    private static func lives(_ child: pid_t) -> Bool {
        let state = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8))?.split(separator: ")").last?
            .first { $0 != " " }
        return state != nil && state != "Z" && state != "X"
    }

    @Test func signInsSignForTheAddressOfTheEntryAlone() async throws {
        let module = try MisbehavingModule(), job = try SampleJob(), auth = BoundAuth()
        let options = ["mood": "sign", "url": "https://gallery.example/up", "auth": "studio"]
        let target = try module.target(options, module.context(auth: ["studio": auth]))
        let signed = try await target.upload(job.job("https://gallery.example/up/1"))
        #expect(signed.id == #"[["Authorization", "Bearer abc"]]"#)
        let refused = try await target.upload(job.job("https://evil.example/"))
        #expect(refused.id?.contains("untrusted") == true)
    }

    /// What it was handed for one request it may write to its stderr, and say of its failure.
    @Test func whatARequestWasSignedWithIsShownNowhere() async throws {
        let module = try MisbehavingModule(), log = LogCollector(), job = try SampleJob()
        let options = ["mood": "tells", "url": "https://gallery.example/up", "auth": "studio"]
        let target = try module.target(options, module.context(log.logger, auth: ["studio": PasswordAuth()]))
        let error = try await expectError(.rejected) { () async throws(IngestError) in
            try await target.upload(job.job("https://gallery.example/up/1"))
        }
        // Its last words are heard at its next answer at the latest.
        _ = try await target.find(job.job())
        #expect(error.message == "moody: refused ‹secret›" && log.text.contains("sent ‹secret›"))
        for secret in ["hunter22", PasswordAuth.pair] {
            #expect(!log.text.contains(secret) && !"\(error)".contains(secret))
        }
    }

    @Test func theLatestRequestsAreRememberedAndEverySecretIs() {
        var words = HiddenWords()
        words.add(secrets: [SecretValue("first-secret")])
        words.add(secrets: [SecretValue("second-secret")])
        let plain = HTTPRequest("GET", "https://gallery.example")
        for number in 100..<200 {
            var signed = plain
            signed.set("X-Key", "number-\(number)")
            words.add(plain: plain, signed: signed)
        }
        let text = words.redactor.scrub("first-secret second-secret number-199 number-140 number-100")
        #expect(text == "‹secret› ‹secret› ‹secret› ‹secret› number-100")
    }
}

/// A password, as `basic` sends it.
private struct PasswordAuth: AuthProvider {
    static let pair = Base64.text(of: Array("cam:hunter22".utf8))
    func bind(to address: String) throws(IngestError) {}
    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        var signed = request
        signed.set("Authorization", "Basic " + Self.pair)
        return signed
    }
}

extension MisbehavingModule {
    func context(secretless: Bool) -> ModuleContext {
        context(Logger(label: "test"), secretless ? CanarySecrets(nil) : CanarySecrets())
    }
}

/// Signs for what it was bound to.
private final class BoundAuth: AuthProvider {
    let origins = Mutex<[String]>([])
    func bind(to address: String) throws(IngestError) { origins.withLock { $0.append(String(address.prefix(23))) } }
    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        guard origins.withLock({ $0.contains { request.url.hasPrefix($0) } }) else {
            throw IngestError(.untrusted, "Not for there.")
        }
        var signed = request
        signed.set("Authorization", "Bearer abc")
        return signed
    }
    func ready() async throws(IngestError) {}
}
