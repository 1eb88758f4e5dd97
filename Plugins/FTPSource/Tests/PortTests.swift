import FilmgateCore
import Testing

@testable import FTPSource

/// A port that cannot be had.
@Suite struct PortTests {
    @Test func oneThatIsInUseIsNamedWithTheWayToWhoHasIt() async throws {
        let first = try await PushScene()
        var failure: IngestError?
        do { try await PushScene { $0.listen = "127.0.0.1:\(first.port)" }.close() } catch {
            failure = error as? IngestError
        }
        #expect(failure?.code == .unavailable)
        #expect(failure?.message == "Port \(first.port) at 127.0.0.1 is in use by another program.")
        #expect(failure?.advice?.contains("ss -ltnp 'sport = :\(first.port)'") == true)
        await first.close()
    }

    /// Without brackets nobody could say where an IPv6 address ends and the port begins.
    @Test(arguments: [
        ("127.0.0.1:2121", "127.0.0.1", 2121), ("localhost:21", "localhost", 21), ("[::1]:2121", "::1", 2121),
        ("[fd00::7]:990", "fd00::7", 990),
    ])
    func addressesAreWrittenAsTheyAreRead(text: String, host: String, port: Int) {
        let address = FTPAddress(text)
        #expect(address?.host == host)
        #expect(address?.port == port)
        #expect(address?.description == text)
    }

    @Test(arguments: ["::1:2121", "[127.0.0.1]:2121", ":2121", "[]:2121", "127.0.0.1", "host:70000", "host:"])
    func otherAddressesAreRefused(text: String) {
        #expect(FTPAddress(text) == nil)
    }
}
