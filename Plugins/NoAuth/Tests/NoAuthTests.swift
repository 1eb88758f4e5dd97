import FilmgateCore
import Logging
import NoAuth
import Testing

@Suite struct NoAuthTests {
    @Test func sendsRequestsAsTheyAre() async throws {
        let provider = try NoAuth(
            NoOptions(), ModuleContext(name: "open", logger: Logger(label: "test"), state: "/tmp"))
        let request = HTTPRequest("PUT", "http://nas.lan/x", headers: [("A", "b")])
        let signed = try await provider.sign(request)
        #expect(signed.url == request.url && signed.headers.map(\.name) == ["A"])
        #expect(try await provider.renew(after: Rejection(status: 401)) == false)
    }
}
