import FilmgateCore
import FilmgateTesting
import HTTPKit
import Testing

/// Questions about one address, and servers that send them on to another.
@Suite(.timeLimit(.minutes(5))) struct LookTests {
    private func code(of url: String) async -> IngestError.Code? {
        await failure { () async throws(IngestError) in
            try await HTTPClient(CurlTransport()).look(HTTPExchange(HTTPRequest("HEAD", url)))
        }?.code
    }

    @Test func theAnswerOfAnotherAddressIsNone() async throws {
        let server = try FaultServer { seen, _ in
            switch seen.target {
            case "/login", "/slash/", "/check?error=1": .answer(200)
            case "/slash": .answer(301, headers: [("Location", "/slash/")])
            case "/check?sha256=1": .answer(302, headers: [("Location", "/check?error=1")])
            default: .answer(307, headers: [("Location", "/login")])
            }
        }
        defer { server.stop() }
        #expect(await code(of: server.url + "/file") == .untrusted)
        #expect(await code(of: server.url + "/check?sha256=1") == .untrusted)
        #expect(await code(of: server.url + "/slash") == nil)
        #expect(await code(of: server.url + "/login") == nil)
    }

    @Test func afterARedirectOnlyTheRightBytesAreAnAnswer() async throws {
        let server = try FaultServer { seen, _ in
            switch seen.target {
            case "/store/1": .answer(200, body: "abc")
            case "/login": .answer(200, body: "xyz")
            case "/gone": .answer(404)
            default:
                .answer(
                    302,
                    headers: [
                        ("Location", seen.target == "/good" ? "/store/1" : seen.target == "/bad" ? "/login" : "/gone")
                    ])
            }
        }
        defer { server.stop() }
        let client = HTTPClient(CurlTransport())
        let digest = Hex.text(of: ByteDigest.sha256(Array("abc".utf8)))
        #expect(try await client.compare(server.url + "/good", size: 3, sha256: digest) == .equal)
        for name in ["/bad", "/lost"] {
            let error = await failure { () async throws(IngestError) in
                try await client.compare(server.url + name, size: 3, sha256: digest)
            }
            #expect(error?.code == .untrusted)
        }
    }

    /// A file that a redirect takes to a page of the same server is not delivered because that page answers.
    @Test func aFileThatIsSentOnIsNotDelivered() async throws {
        let server = try FaultServer { seen, _ in
            switch seen.target {
            case "/login", "/slash/": .answer(200)
            case "/slash": .answer(308, headers: [("Location", "/slash/")])
            case "/busy": .answer(429)
            default: .answer(307, headers: [("Location", seen.target == "/later" ? "/busy" : "/login")])
            }
        }
        defer { server.stop() }
        let client = HTTPClient(CurlTransport()), url = server.url
        func code(_ path: String) async -> IngestError.Code? {
            await failure { () async throws(IngestError) in
                try await client.deliver(HTTPExchange(HTTPRequest("PUT", url + path), body: .bytes([1])))
            }?.code
        }
        #expect(await code("/file") == .untrusted)
        #expect(await code("/slash") == nil)
        let busy = try await client.deliver(HTTPExchange(HTTPRequest("PUT", url + "/later"), body: .bytes([1])))
        #expect(busy.status == 429)
    }
}
