import Dispatch
import FilmgateCore
import Glibc
import HTTPKit
import Synchronization
import Testing

@testable import AuthKit

@Suite struct OAuthTests {
    /// The example of RFC 7636, appendix B.
    @Test func challenge() {
        #expect(
            PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").challenge
                == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(PKCE().verifier.utf8.count == 43 && PKCE().verifier != PKCE().verifier)
        #expect(PKCE.same("abc", "abc") && !PKCE.same("abc", "abd") && !PKCE.same("abc", "ab"))
    }

    @Test func callbacks() throws {
        #expect(
            try Callback(query: "code=a%2Bb&state=s&iss=https%3A%2F%2Fi").code(state: "s", issuer: "https://i") == "a+b"
        )
        for query in ["code=a&state=t", "code=a", "code=&state=s", "error=x&state=s", "code=a&state=s&iss=other", ""] {
            #expect(throws: IngestError.self) { try Callback(query: query).code(state: "s", issuer: "https://i") }
        }
    }

    @Test(arguments: [
        "", "a.b", "a.b.c", "e30.e30.", "eyJhbGciOiJub25lIn0.bm90anNvbg.x",
        String(repeating: "a", count: 70_000) + ".b.c",
    ])
    func whatIsNoIDToken(_ text: String) {
        #expect(throws: IngestError.self) { try IDToken(text) }
    }

    @Test func theListenerIgnoresWhatIsNotForIt() async throws {
        let listener = try LoopbackListener(ports: [])
        #expect(listener.redirect.hasPrefix("http://127.0.0.1:"))
        async let answer = listener.answer(seconds: 20)
        for target in ["/favicon.ico", "/callback", "/other?code=1", "/callback?code=1&state=2"] {
            _ = try? HelperProgram.run([
                "/usr/bin/curl", "-s", "-o", "/dev/null", "http://127.0.0.1:\(listener.port)\(target)",
            ])
        }
        #expect(try await answer == "code=1&state=2")
    }

    /// The page of an older sign-in comes back: the person who waits at the terminal hears of it, however often it
    /// comes.
    @Test func anotherSignInsAnswerIsToldOnce() async throws {
        let listener = try LoopbackListener(ports: []), prompter = RecordedPrompts()
        async let answer = Callback.answer(listener, prompter, state: "s", paste: false)
        for query in ["code=0&state=old", "code=0", "code=0&state=old"] {
            #expect(await Self.status(of: listener.redirect + "?" + query) == "400")
        }
        #expect(await Self.status(of: listener.redirect + "?code=1&state=s") == "200")
        #expect(try await answer.values["code"] == "1")
        let said = await prompter.first
        #expect(
            said.contains("another sign-in") && said.contains("Finish the sign-in in the page that was opened last"))
        #expect(prompter.count == 1)
    }

    /// RFC 9207 §2.4: who promises to name itself in each answer, and does not, did not give it.
    @Test func anAnswerWithoutItsPromisedIssuerIsDropped() throws {
        func code(_ query: String) throws -> String {
            try Callback(query: query).code(state: "s", issuer: "https://i", namesIssuer: true)
        }
        #expect(try code("code=a&state=s&iss=https%3A%2F%2Fi") == "a")
        for query in ["code=a&state=s", "error=access_denied&state=s", "code=a&state=s&iss=https%3A%2F%2Fj"] {
            #expect(throws: IngestError.self) { try code(query) }
        }
        let text =
            #"{"issuer":"https://i","token_endpoint":"https://i/t","authorization_response_iss_parameter_supported":true}"#
        let said = try #require(JSONValue(Array(text.utf8)))
        #expect(try ProviderMetadata(said, of: "https://i").namesIssuer)
    }

    @Test(arguments: [("Bearer", true), ("bearer", true), ("", true), ("MAC", false), ("DPoP", false)])
    func onlyBearerTokensAreUsed(_ kind: String, _ isUsed: Bool) async {
        let json = JSONValue.object(["access_token": .string("t"), "token_type": .string(kind)])
        let reply = OAuthReply(json: json, at: 0)
        let client = OAuthClient(issuer: "https://i.invalid", id: "c", transport: CurlTransport(TransportOptions()))
        let fresh = await Result { () async throws(IngestError) in try await client.credential(reply) }
        #expect(((try? fresh.get()) != nil) == isUsed)
    }

    /// Browsers open connections that they may need; more of them than are looked after at once keep the right one
    /// waiting for a second.
    @Test(arguments: [3, 40]) func silentConnectionsDoNotDelayTheAnswer(_ count: Int) async throws {
        let listener = try LoopbackListener(ports: [])
        let silent = (0..<count).map { _ in Self.connection(to: listener.port) }
        defer { for descriptor in silent { close(descriptor) } }
        async let answer = listener.answer(seconds: 4)
        #expect(await Self.status(of: "http://127.0.0.1:\(listener.port)/callback?code=1") == "200")
        #expect(try await answer == "code=1")
    }

    private static func connection(to port: Int) -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }

    /// Any page in the browser can ask for the port: who does not know our state is refused, and the sign-in goes on.
    @Test func aWrongStateIsRefusedAndTheRightOneIsStillTaken() async throws {
        let listener = try LoopbackListener(ports: [])
        async let answer = Callback.answer(listener, SilentPrompter(), state: "ours", paste: false)
        var codes: [String] = []
        for query in ["code=x&state=theirs", "code=x", "error=access_denied", "code=right&state=ours"] {
            let page = "http://127.0.0.1:\(listener.port)/callback?\(query)"
            codes.append(await Self.status(of: page))
        }
        #expect(codes == ["400", "400", "400", "200"])
        #expect(try await answer.code(state: "ours", issuer: nil) == "right")
    }

    /// Beside the tasks: the listener needs one of their threads.
    private static func status(of page: String) async -> String {
        await withCheckedContinuation { done in
            DispatchQueue(label: "beside").async {
                let code = try? HelperProgram.run([
                    "/usr/bin/curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", page,
                ])
                done.resume(returning: String(decoding: code ?? [], as: UTF8.self))
            }
        }
    }

    @Test func theListenerCanBeStopped() async throws {
        let listener = try LoopbackListener(ports: [])
        let task = Task { () -> Result<String, IngestError> in
            await Result { () async throws(IngestError) in try await listener.answer(seconds: 100) }
        }
        task.cancel()
        let error = await #expect(throws: IngestError.self) { try await task.value.get() }
        #expect(error?.code == .cancelled)
    }

    @Test func aTokenThatNoHeaderCanCarryIsNone() async throws {
        let answer = OAuthReply(json: .object(["access_token": .string("a\r\nX: 1")]), at: 0)
        let client = OAuthClient(issuer: "https://login.example", id: "c", transport: CurlTransport())
        await #expect(throws: IngestError.self) { try await client.credential(answer) }
    }
}

/// Keeps what it is told.
private final class RecordedPrompts: SignInPrompter {
    private let said = Mutex<[String]>([])
    private let (lines, line) = AsyncStream<String>.makeStream()

    var count: Int { said.withLock(\.count) }
    /// Waits for it.
    var first: String { get async { await lines.first { _ in true } ?? "" } }

    func invite(_ prompt: SignInPrompt) async {}
    func tell(_ sentence: String) async {
        said.withLock { $0.append(sentence) }
        line.yield(sentence)
    }
    func ask(_ prompt: String, hidden: Bool) async throws(IngestError) -> String { "" }
}

/// Says nothing and is told nothing.
private struct SilentPrompter: SignInPrompter {
    func invite(_ prompt: SignInPrompt) async {}
    func tell(_ sentence: String) async {}
    func ask(_ prompt: String, hidden: Bool) async throws(IngestError) -> String { "" }
}
