import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// A proxy named by the environment that lets nothing through: told as such, frames wait, and nobody sees its password.
@Suite(.ownThreads) struct ProxyTests {
    let table: Table, file: String

    init() throws {
        table = try Table()
        file = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [{ card: { paths: ["\(table.card)"] } }]
            stages: [{ exif: {} }, { dedupe: {} }, { upload: { to: [gallery] } }]
            targets:
              gallery: { http: { url: "https://gallery.example/up/{name}", method: PUT } }
            """)
        try table.sampleCard()
    }

    private func importing(_ proxy: String) throws -> Program.Outcome {
        let environment = ["https_proxy": proxy, "no_proxy": "", "NO_PROXY": ""]
        return try table.run(["import", table.card, "--pipeline", file, "--wait", "1s"], environment: environment)
    }

    private func reason(_ outcome: Program.Outcome) -> String {
        outcome.items().first { $0["ending"] as? String == "pending" }?["reason"] as? String ?? ""
    }

    @Test(arguments: [(407, "wants a sign-in"), (403, "lets nothing through"), (502, "lets nothing through")])
    func aProxyThatRefusesIsNamed(_ status: Int, _ words: String) throws {
        let proxy = try FaultServer { _, _ in .answer(status) }
        defer { proxy.stop() }
        let outcome = try importing("http://ann:pr0xy-canary@127.0.0.1:\(proxy.port)"), reason = reason(outcome)
        #expect(
            outcome.status == 8 && outcome.count("setAside") == 0 && outcome.count("pending") >= 15, "\(outcome.errors)"
        )
        #expect(reason.contains("The proxy 127.0.0.1:\(proxy.port) of `https_proxy` \(words)"), "\(reason)")
        #expect(reason.contains("gallery.example (\(status))"))
        #expect(proxy.seen.first?.method == "CONNECT")
    }

    @Test func aProxyThatIsDownIsNamed() throws {
        let port = FreePort.next(), outcome = try importing("127.0.0.1:\(port)")
        #expect(
            outcome.status == 8
                && reason(outcome).contains("The proxy 127.0.0.1:\(port) of `https_proxy` cannot be reached"))
    }

    /// libcurl repeats the whole address of a proxy that it does not understand.
    @Test(arguments: [
        "foo://ann:pr0xy-canary@127.0.0.1:1", "http://ann:pr0xy canary@127.0.0.1:1",
        "http://ann:pr0xy-canary@127.0.0.1:99999", "http://ann:pr0xy-canary@no where:1",
    ])
    func theProxysPasswordIsShownNowhere(_ proxy: String) throws {
        let outcome = try importing(proxy)
        #expect(outcome.status == 8 && reason(outcome).contains("`https_proxy` is no address"), "\(reason(outcome))")
        let kept = table.files(table.state).values.map { String(decoding: $0, as: UTF8.self) }.joined()
        #expect(![outcome.output, outcome.errors, kept].joined().contains("pr0xy"))
    }
}
