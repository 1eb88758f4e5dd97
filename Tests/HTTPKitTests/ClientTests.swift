import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization
import Testing

/// Signs with a token that `renew` replaces, and counts.
final class RenewingAuth: AuthProvider {
    private let state = Mutex((generation: 0, renewals: 0))
    private let lasting: Bool

    /// `lasting`: renewing helps.
    init(lasting: Bool = true) { self.lasting = lasting }

    var renewals: Int { state.withLock { $0.renewals } }

    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        var signed = request
        signed.set("Authorization", "Bearer secret-token-\(state.withLock { $0.generation })")
        return signed
    }

    func renew(after rejection: Rejection) async throws(IngestError) -> Bool {
        state.withLock { state in
            state.renewals += 1
            if lasting { state.generation += 1 }
        }
        return true
    }
}

@Suite(.timeLimit(.minutes(5))) struct ClientTests {
    let body = HTTPBody.bytes(Array("picture".utf8))

    @Test func renewsOnceAfterA401AndSendsTheWholeBodyAgain() async throws {
        let server = try FaultServer { seen, _ in
            .answer(seen[header: "Authorization"] == "Bearer secret-token-1" ? 201 : 401)
        }
        defer { server.stop() }
        let auth = RenewingAuth()
        let response = try await HTTPClient(CurlTransport(), auth: auth).send(
            HTTPExchange(HTTPRequest("PUT", server.url), body: body))
        #expect(response.status == 201 && auth.renewals == 1)
        #expect(server.seen.map { String(decoding: $0.body, as: UTF8.self) } == ["picture", "picture"])
    }

    @Test func a401AfterRenewingHoldsTheTarget() async throws {
        let server = try FaultServer { seen, _ in
            .answer(401, body: "bad token \(seen[header: "Authorization"] ?? "")")
        }
        defer { server.stop() }
        let auth = RenewingAuth()
        let error = await failure { () async throws(IngestError) in
            try await HTTPClient(CurlTransport(), auth: auth).send(
                HTTPExchange(HTTPRequest("PUT", server.url), body: body))
        }
        #expect(error?.code == .unauthorized && auth.renewals == 1 && server.seen.count == 2)
        #expect(error?.message.contains("bad token") == true && error?.message.contains("secret-token") == false)
    }

    @Test func withoutCredentialA401HoldsAtOnce() async throws {
        let server = try FaultServer { _, _ in .answer(401) }
        defer { server.stop() }
        let error = await failure { () async throws(IngestError) in
            try await HTTPClient(CurlTransport()).send(HTTPExchange(HTTPRequest("PUT", server.url), body: body))
        }
        #expect(error?.code == .unauthorized && server.seen.count == 1)
    }

    @Test(arguments: [307, 308]) func followsWithinTheSameOrigin(_ status: Int) async throws {
        let server = try FaultServer { seen, _ in
            seen.target == "/a" ? .answer(status, headers: [("Location", "/b")]) : .answer(201)
        }
        defer { server.stop() }
        let response = try await HTTPClient(CurlTransport(), auth: RenewingAuth()).send(
            HTTPExchange(HTTPRequest("PUT", server.url + "/a"), body: body))
        #expect(response.status == 201)
        #expect(server.seen.map(\.target) == ["/a", "/b"] && server.seen.map(\.method) == ["PUT", "PUT"])
        #expect(server.seen.last?.body == Array("picture".utf8) && server.seen.last?[header: "Authorization"] != nil)
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func neverGoesToAnotherOrigin(_ status: Int) async throws {
        let other = try FaultServer { _, _ in .answer(201) }
        defer { other.stop() }
        let place = other.url
        let server = try FaultServer { _, _ in .answer(status, headers: [("Location", place + "/stolen")]) }
        defer { server.stop() }
        for method in ["PUT", "GET"] {
            let response = try await HTTPClient(CurlTransport(), auth: RenewingAuth()).send(
                HTTPExchange(HTTPRequest(method, server.url), body: method == "PUT" ? body : nil))
            #expect(response.status == status)
            #expect(HTTPStatus.error(for: response).code == .untrusted)
            #expect(HTTPStatus.error(for: response).message.contains(place))
        }
        #expect(other.seen.isEmpty)
    }

    @Test(arguments: [301, 302, 303]) func anUploadIsNotTurnedIntoAGet(_ status: Int) async throws {
        let server = try FaultServer { _, _ in .answer(status, headers: [("Location", "/b")]) }
        defer { server.stop() }
        let response = try await HTTPClient(CurlTransport()).send(
            HTTPExchange(HTTPRequest("POST", server.url), body: body))
        #expect(response.status == status && server.seen.count == 1)
    }

    @Test func aCircleOfRedirectsEnds() async throws {
        let server = try FaultServer { _, _ in .answer(307, headers: [("Location", "/again")]) }
        defer { server.stop() }
        let error = await failure { () async throws(IngestError) in
            try await HTTPClient(CurlTransport()).send(HTTPExchange(HTTPRequest("PUT", server.url), body: body))
        }
        #expect(error?.code == .untrusted && server.seen.count == 4)
    }
}
