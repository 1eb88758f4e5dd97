import CameraTesting
import FilmgateCore
import Testing

@testable import PTPKit

/// Which connection bytes came over decides whether they have to be proved.
@Suite struct ConnectionIdentityTests {
    private func camera() -> PTPCamera { PTPCamera(BulkLink(PlayedPipe([]))) }

    /// A new connection that lies in memory where the one before lay would pass for it, and nothing would be compared.
    @Test func theOneBeforeIsHeldWhileItsBytesWait() throws {
        var before: PTPCamera? = camera()
        weak let held = before
        let sink = CountingSink(MemorySink(), of: "A.MOV", from: 0, provedOver: before)
        before = nil
        #expect(held != nil)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
        try sink.write(bytes.span.bytes)
        #expect(try sink.resumption(over: try #require(held), wholly: false).pieces.isEmpty)
        #expect(try !sink.resumption(over: camera(), wholly: false).pieces.isEmpty)
    }
}
