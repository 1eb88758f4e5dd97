import FilmgateCore
import Testing

@testable import FTPSource

/// A port that cannot be had.
@Suite struct PortTests {
    @Test func oneThatIsInUseIsNamedWithTheWayToWhoHasIt() async throws {
        let first = try await PushScene()
        var failure: IngestError?
        do { try await PushScene { $0.listen = "127.0.0.1:\(first.port)" }.close() } catch { failure = error as? IngestError }
        #expect(failure?.code == .unavailable)
        #expect(failure?.message == "Port \(first.port) at 127.0.0.1 is in use by another program.")
        #expect(failure?.advice?.contains("ss -ltnp 'sport = :\(first.port)'") == true)
        await first.close()
    }
}
