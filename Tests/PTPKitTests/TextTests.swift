import FilmgateCore
import PTPKit
import Testing

@Suite struct TextTests {
    private func read(_ bytes: [UInt8]) throws(PTPError) -> String {
        var cursor = ByteCursor()
        return try cursor.string(from: bytes.span.bytes)
    }

    @Test func textSurvivesTheWire() throws {
        for text in ["", "A", "IMG_0001.JPG", "Grüße 📷", String(repeating: "x", count: 254)] {
            var writer = ByteWriter()
            writer.put(string: text)
            #expect(try read(writer.bytes) == text)
        }
    }

    @Test func textIsCutAtTheStandardsLimit() throws {
        var writer = ByteWriter()
        writer.put(string: String(repeating: "x", count: 300))
        #expect(writer.bytes[0] == 255)
        #expect(try read(writer.bytes).count == 254)
    }

    @Test func missingAndEarlyNulsAreTolerated() throws {
        #expect(try read([2, 0x41, 0, 0x42, 0]) == "AB")
        #expect(try read([3, 0x41, 0, 0, 0, 0x42, 0]) == "A")
        #expect(try read([1, 0, 0]) == "")
    }

    @Test func loneSurrogatesBecomeReplacements() throws {
        #expect(try read([2, 0x00, 0xD8, 0, 0]) == "\u{FFFD}")
    }

    @Test func aCountBeyondTheDataIsRefused() {
        #expect(throws: PTPError.self) { try read([255, 1, 2, 3, 4, 5, 6, 7, 8, 9]) }
        #expect(throws: PTPError.self) { try read([]) }
    }

    @Test(arguments: [
        ("20260501T123005", "2026-05-01T12:30:05"), ("20260501T123005.5", "2026-05-01T12:30:05.5"),
        ("20260501T123005Z", "2026-05-01T12:30:05Z"), ("20260501T123005+0200", "2026-05-01T12:30:05+02:00"),
        ("20260501T123005.0-0330 and more", "2026-05-01T12:30:05.0-03:30"),
        ("20260501T123005+1400", "2026-05-01T12:30:05+14:00"), ("20260501T123005garbage", "2026-05-01T12:30:05"),
    ])
    func datesAreRead(text: String, expected: String) { #expect(PTPDate.parse(text)?.description == expected) }

    @Test(arguments: [
        "", "20260501T12300", "20261301T123005", "20260501 123005", "2026O501T123005", "00000000T000000",
        "20260501T250000",
    ])
    func impossibleDatesAreNone(text: String) { #expect(PTPDate.parse(text) == nil) }

    @Test func datesAreWrittenAsRead() {
        for text in ["20260501T123005", "20260501T123005Z", "20260501T123005+0200", "20260501T123005-0330"] {
            #expect(PTPDate.parse(text).map(PTPDate.format) == text)
        }
    }
}
