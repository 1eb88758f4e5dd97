import FilmgateCore
import FilmgateTesting
import HTTPKit
import Testing

@Suite(.timeLimit(.minutes(5)), .enabled(if: TLSServer.isAvailable)) struct TrustTests {
    func get(_ server: TLSServer, host: String = "localhost", _ options: TransportOptions = TransportOptions()) async
        -> IngestError?
    {
        await failure { () async throws(IngestError) in
            try await CurlTransport(options).send(HTTPExchange(HTTPRequest("GET", "https://\(host):\(server.port)/")))
        }
    }

    @Test func aCertificateThatNobodyVouchesForHoldsTheTarget() async throws {
        let server = try await TLSServer()
        let error = await get(server)
        #expect(error?.code == .untrusted && error?.code.disposition == .pauseTarget)
        #expect(error?.message.contains("self") == true && error?.advice?.contains("ca_file") == true)
    }

    @Test func itsOwnAuthorityMakesItTrusted() async throws {
        let server = try await TLSServer()
        var options = TransportOptions()
        options.authorities = server.certificate
        #expect(await get(server, options) == nil)
    }

    @Test func theNameMustBeTheCertificates() async throws {
        let server = try await TLSServer()
        var options = TransportOptions()
        options.authorities = server.certificate
        #expect(await get(server, host: "127.0.0.1", options)?.code == .untrusted)
    }

    @Test(arguments: ["/nonexistent/ca.pem", "/dev/null"]) func authoritiesThatCannotBeReadNeverMeanInsecure(
        _ path: String
    ) async throws {
        let server = try await TLSServer()
        var options = TransportOptions()
        options.authorities = path
        #expect(await get(server, options)?.code == .untrusted)
    }
}
