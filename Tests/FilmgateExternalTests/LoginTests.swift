import FilmgateCore
import FilmgateTesting
import Foundation
import HTTPKit
import Synchronization
import Testing

@testable import FilmgateExternal

/// Programs and services that say who may log in.
@Suite struct LoginTests {
    private let question = LoginQuestion(user: "ann", password: SecretValue("a-secret-word"), address: "192.0.2.7")

    private func ask(_ script: String, seconds: Int64 = 30) async throws(IngestError) -> LoginAnswer {
        let module: MisbehavingModule
        do { module = try MisbehavingModule("#!/bin/sh\n" + script) } catch {
            throw IngestError(.unexpected, "no script", cause: error)
        }
        return try await ProgramLogins(words: [module.program, "a b"], timeout: .seconds(seconds)).answer(question)
    }

    /// The password comes over stdin: neither arguments nor environment have it.
    @Test func aProgramReadsTheQuestionFromItsInput() async throws {
        let script = """
            cat > "$0.in"
            { tr '\\0' '\\n' < /proc/$$/cmdline; env; } > "$0.shown"
            grep -q '"user":"ann"' "$0.in" && grep -q '"password":"a-secret-word"' "$0.in" || exit 1
            grep -q '"address":"192.0.2.7"' "$0.in" || exit 2
            grep -q a-secret-word "$0.shown" && exit 3
            [ "$1" = "a b" ] || exit 4
            echo '{"ok": true, "folder": "bodies/ann", "event": "smith"}'

            """
        #expect(try await ask(script) == .granted(LoginGrant(folder: "bodies/ann", event: "smith")))
        #expect(try await ask("echo '{\"ok\": false}'\n") == .refused)
        // One that does not read is none the worse.
        #expect(try await ask("exec 0<&-; echo '{\"ok\": true}'\n") == .granted(LoginGrant()))
    }

    @Test(arguments: [
        ("cat; exit 1\n", "ended with status 1"), ("cat\n", "is no JSON object"), ("echo yes\n", "is no JSON object"),
        ("exit 0\n", "is no JSON object"), ("kill -9 $$\n", "ended with signal 9"),
        ("cat >&2; exit 3\n", "with status 3"),
        ("yes a-secret-word | head -c 300000; echo '{\"ok\": true}'\n", "64 KiB"),
    ]) func whatIsNoAnswerIsUnavailable(_ script: String, _ words: String) async throws {
        let error = try await expectError(.unavailable) { () async throws(IngestError) in try await ask(script) }
        #expect(error.message.contains(words) && !"\(error)".contains("a-secret-word"), "\(error)")
    }

    @Test func aProgramThatHangsIsEndedAndOneThatIsNotThereIsToldOf() async throws {
        let error = try await expectError(.unavailable) { () async throws(IngestError) in
            try await ask("sleep 600\n", seconds: 1)
        }
        #expect(error.message.contains("took longer than 1s"), "\(error)")
        try await expectError(.unavailable) { () async throws(IngestError) in
            try await ProgramLogins(words: ["/nowhere/logins"], timeout: .seconds(5)).answer(question)
        }
    }

    /// Answers each request with that.
    private final class FakeService: HTTPTransport {
        let reply: HTTPResponse, asked = Mutex<[HTTPExchange]>([])
        init(_ status: Int, _ body: String) { reply = HTTPResponse(status: status, body: Array(body.utf8)) }
        func send(_ exchange: HTTPExchange) async throws(IngestError) -> HTTPResponse {
            asked.withLock { $0.append(exchange) }
            return reply
        }
    }
    private static let url = "https://studio.example/logins?shop=1"

    private func ask(_ service: FakeService, token: String? = nil) async throws(IngestError) -> LoginAnswer {
        try await WebLogins(
            Self.url, token: token.map { SecretValue($0) }, caFile: nil, timeout: .seconds(5), over: service
        ).answer(question)
    }

    @Test func aServiceIsPostedTheQuestion() async throws {
        let service = FakeService(200, #"{"ok": true, "event": "smith"}"#)
        #expect(try await ask(service, token: "key") == .granted(LoginGrant(event: "smith")))
        let asked = service.asked.withLock { $0 }, exchange = try #require(asked.first)
        #expect(exchange.request.method == "POST" && exchange.request.url == Self.url)
        #expect(exchange.request.headers.contains { $0.name == "Authorization" && $0.value == "Bearer key" })
        #expect(exchange.body?.pieces == [.bytes(question.body)] && exchange.body?.type == "application/json")
        #expect(!"\(exchange.request.headers)".contains("a-secret-word"))
        #expect(try await ask(FakeService(200, #"{"ok": false}"#)) == .refused)
    }

    /// A service that refuses us, is broken or redirects has said nothing of the camera.
    @Test(arguments: [401, 403, 404, 500, 503, 302, 204])
    func anyOtherStatusIsNoAnswer(_ status: Int) async throws {
        let service = FakeService(status, #"{"ok": true, "why": "a-secret-word"}"#)
        let error = try await expectError(.unavailable) { () async throws(IngestError) in try await ask(service) }
        #expect(error.message.contains("\(status)") && !"\(error)".contains("a-secret-word"))
        #expect(!error.message.contains("shop=1"))
    }

    /// Takes its time, until nobody waits any more.
    private struct SlowService: HTTPTransport {
        func send(_ exchange: HTTPExchange) async throws(IngestError) -> HTTPResponse {
            let (never, feed) = AsyncStream<Never>.makeStream()
            for await _ in never {}
            feed.finish()
            throw IngestError(.cancelled, "Nobody waits.")
        }
    }

    /// Whoever waits to be asked about waits as long as whoever is asked about.
    @Test func theTimeCountsFromTheQuestion() async throws {
        let web = WebLogins(
            Self.url, token: nil, caFile: nil, timeout: .milliseconds(20), over: SlowService())
        let error = try await expectError(.unavailable) { () async throws(IngestError) in try await web.answer(question)
        }
        #expect(error.message.contains("did not answer within"), "\(error)")
        let program = ProgramLogins(words: ["/bin/sh", "-c", "echo '{\"ok\": true}'"], timeout: .zero)
        let late = try await expectError(.unavailable) { () async throws(IngestError) in
            try await program.answer(question)
        }
        #expect(late.message.contains("was not started"), "\(late)")
    }

    @Test func anAnswerThatIsCutOffIsNone() async throws {
        let service = FakeService(200, #"{"ok": tr"#)
        try await expectError(.unavailable) { () async throws(IngestError) in try await ask(service) }
    }
}
