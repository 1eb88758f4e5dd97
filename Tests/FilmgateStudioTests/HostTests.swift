import ServerKit
import TestThreads
import Testing

@testable import FilmgateStudio

/// A page from elsewhere may let its own name lead here.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct HostTests {
    static let foreign = [
        "evil.example", "evil.example:PORT", "127.1:PORT", "2130706433:PORT", "0x7f.1:PORT",
        "localhost.evil.example:PORT", "localhost.:PORT", "127.0.0.1.:PORT", "[::ffff:127.0.0.1]:PORT", "127.0.0.1",
        "localhost:1", "127.0.0.1:PORT0", "127.0.0.2:PORT", "0.0.0.0:PORT",
    ]

    @Test(arguments: foreign) func anotherNameIsRefusedEverywhere(_ name: String) async throws {
        try await StudioBench.with { bench async throws in
            let host = name.replacing("PORT", with: String(bench.client.port))
            for path in ["/", "/plain", "/api/v1/about", "/api/v1/frames", "/page/x/main.js", "/nothing"] {
                let reply = try bench.client.send("GET", path, ["Host": host])
                #expect(reply.status == 421, "\(host) \(path)")
                #expect(reply.body.contains("--name \(host)"), "the page names the option")
                #expect(reply["Content-Security-Policy"] == SecurityHeaders.policy)
            }
            #expect(try bench.pair("AAAA-AAAA", StudioBench.own.merging(["Host": host]) { $1 }).status == 421)
        }
    }

    @Test func everyAnswerSaysWhen() async throws {
        #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        try await StudioBench.with { bench async throws in
            for path in ["/", "/api/v1/about", "/api/v1/nothing"] {
                let format = /[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT/
                #expect(try bench.client.send("GET", path)["Date"]?.wholeMatch(of: format) != nil)
            }
        }
    }

    @Test func ownNamesAreTaken() async throws {
        try await StudioBench.with(names: ["studio.example", "tunnel.example:9000"]) { bench async throws in
            let port = bench.client.port
            for host in [
                "127.0.0.1:\(port)", "localhost:\(port)", "LOCALHOST:\(port)", "[::1]:\(port)",
                "studio.example:\(port)", "tunnel.example:9000",
            ] {
                #expect(try bench.client.send("GET", "/api/v1/about", ["Host": host]).status == 200, "\(host)")
            }
        }
    }

    @Test(arguments: [
        "GET /api/v1/about HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET /api/v1/about HTTP/1.1\r\nConnection: close\r\nHost: HOST\r\nHost: evil.example\r\n\r\n",
        "GET /api/v1/about HTTP/1.1\r\nConnection: close\r\nHost: evil.example\r\nHost: HOST\r\n\r\n",
        "GET http://HOST/api/v1/about HTTP/1.1\r\nConnection: close\r\nHost: evil.example\r\n\r\n",
        "GET http://HOST/api/v1/about HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET //evil.example/ HTTP/1.1\r\nConnection: close\r\nHost: HOST\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: close\r\nHost: user@HOST\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: close\r\nHost:\r\n\r\n",
    ]) func noBrowserAsksSo(_ request: String) async throws {
        try await StudioBench.with { bench async throws in
            let reply = try bench.client.send(raw: request.replacing("HOST", with: "127.0.0.1:\(bench.client.port)"))
            #expect(reply?.status == 400 || reply?.status == 421)
        }
    }

    /// One machine does not take the connections of all others; who comes through a tunnel may be anybody.
    @Test func eachAddressHasItsShareOfConnections() {
        let shares = ConnectionShares(most: 2)
        let taken = ["192.168.1.20", "192.168.1.20", "192.168.1.20", "192.168.1.21"].map { shares.take($0) }
        #expect(taken == [true, true, false, true])
        shares.giveBack("192.168.1.20")
        #expect(shares.take("192.168.1.20"))
        #expect(!shares.take("192.168.1.20"))
        #expect(ConnectionShares.counted("::ffff:192.168.1.20") == "192.168.1.20")
        // A machine takes as many addresses of its /64 as it likes.
        #expect(ConnectionShares.counted("fe80::1") == ConnectionShares.counted("fe80::2"))
        #expect(ConnectionShares.counted("fe80::1") != ConnectionShares.counted("fe80:0:0:1::1"))
        for own in ["127.0.0.1", "::1", "::ffff:127.0.0.1", nil] { #expect(ConnectionShares.counted(own) == nil) }
    }

    @Test func aNameOnThePageIsNotObeyed() {
        let page = RefusalPage.otherHost(
            "<script>alert(1)</script>\"'", ServedPlace(host: "127.0.0.1", port: 1), isEncrypted: false)
        #expect(!page.contains("<script") && page.contains("&lt;script&gt;") && page.contains("&quot;&#39;"))
    }

    @Test(arguments: ["0.0.0.0", "::", "192.168.1.5", "::ffff:127.0.0.1", "localhost", "evil.example", ""])
    func onlyThisMachineIsServed(_ host: String) {
        #expect(!LocalAddress.isLoopback(host))
    }

    @Test(arguments: ["127.0.0.1", "127.8.9.10", "::1"]) func thisMachineIsServed(_ host: String) {
        #expect(LocalAddress.isLoopback(host))
    }
}
