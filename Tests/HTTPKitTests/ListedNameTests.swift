import FilmgateCore
import Testing

@testable import HTTPKit

/// Names keep their bytes from a server's listing to the next request.
@Suite struct ListedNameTests {
    @Test func aNameKeepsItsBytes() throws {
        #expect(ListedName.of(Array("Blå.JPG".utf8)) == "Blå.JPG")
        #expect(ListedName.of([0x42, 0x6C, 0xE5, 0x2E]) == "Bl\u{10FFE5}.")
        #expect(ListedName.decoded("Bl%E5%2B+.JPG") == "Bl\u{10FFE5}++.JPG")
        #expect(
            ListedName.decoded("%zz") == nil && ListedName.decoded("a%EF%BF%BD") == nil
                && ListedName.of("a\u{FFFD}".utf8) == nil)
    }

    /// A name may hold what stands for a byte elsewhere, or any bytes at all.
    @Test func bytesAndTextAreTheSameInBothDirections() {
        var generator = SystemRandomNumberGenerator()
        let alphabet: [UInt8] = [0x41, 0x2F, 0x80, 0xBF, 0xC3, 0xE5, 0xED, 0xA0, 0xF4, 0x8F, 0xBE, 0xFF]
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            #expect(PathBytes.of(PathBytes.text(of: bytes)) == bytes, "\(bytes)")
        }
        #expect(PathBytes.of(PathBytes.text(of: Array("\u{10FFE5}".utf8))) == Array("\u{10FFE5}".utf8))
    }
}
