import Dispatch
import FilmgateCore
import HTTPKit
import Testing

@testable import AuthKit

@Suite struct OAuthTests {
    /// The example of RFC 7636, appendix B.
    @Test func challenge() {
        #expect(PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(PKCE().verifier.utf8.count == 43 && PKCE().verifier != PKCE().verifier)
        #expect(PKCE.same("abc", "abc") && !PKCE.same("abc", "abd") && !PKCE.same("abc", "ab"))
    }

    @Test func callbacks() throws {
        #expect(try Callback(query: "code=a%2Bb&state=s&iss=https%3A%2F%2Fi").code(state: "s", issuer: "https://i") == "a+b")
        for query in ["code=a&state=t", "code=a", "code=&state=s", "error=x&state=s", "code=a&state=s&iss=other", ""] {
            #expect(throws: IngestError.self) { try Callback(query: query).code(state: "s", issuer: "https://i") }
        }
    }

    @Test(arguments: ["", "a.b", "a.b.c", "e30.e30.", "eyJhbGciOiJub25lIn0.bm90anNvbg.x", String(repeating: "a", count: 70_000) + ".b.c"])
    func whatIsNoIDToken(_ text: String) {
        #expect(throws: IngestError.self) { try IDToken(text) }
    }

    @Test func theListenerIgnoresWhatIsNotForIt() async throws {
        let listener = try LoopbackListener(ports: [])
        #expect(listener.redirect.hasPrefix("http://127.0.0.1:"))
        async let answer = listener.answer(seconds: 20)
        for target in ["/favicon.ico", "/callback", "/other?code=1", "/callback?code=1&state=2"] {
            _ = try? HelperProgram.run(["/usr/bin/curl", "-s", "-o", "/dev/null", "http://127.0.0.1:\(listener.port)\(target)"])
        }
        #expect(try await answer == "code=1&state=2")
    }

    /// Any page in the browser can ask for the port: who does not know our state is refused, and the sign-in goes on.
    @Test func aWrongStateIsRefusedAndTheRightOneIsStillTaken() async throws {
        let listener = try LoopbackListener(ports: [])
        async let answer = Callback.answer(listener, SilentDesk(), state: "ours", paste: false)
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
                let code = try? HelperProgram.run(["/usr/bin/curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", page])
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

/// Says nothing and is told nothing.
private struct SilentDesk: SignInDesk {
    func invite(_ invitation: Invitation) async {}
    func tell(_ sentence: String) async {}
    func ask(_ prompt: String, hidden: Bool) async throws(IngestError) -> String { "" }
}
