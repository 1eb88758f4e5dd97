import FilmgateCore
import Testing

@testable import MediaKit

@Suite struct TimeTests {
    @Test(arguments: [
        ("2026:05:01 12:30:05", "2026-05-01T12:30:05"),
        ("2026-05-01T12:30:05.25+02:00", "2026-05-01T12:30:05.25+02:00"),
        ("2026/05/01 12:30:05", "2026-05-01T12:30:05"), ("2026:05:01  9:03:05", "2026-05-01T09:03:05"),
        ("2026-05-01T12:30Z", "2026-05-01T12:30:00Z"), ("2026:05:01 12:30:05-0330", "2026-05-01T12:30:05-03:30"),
        ("2026-05-01T12:30:05.123456789123Z", "2026-05-01T12:30:05.123456789Z"),
        ("2026:05:01 12:30:60", "2026-05-01T12:30:60"),
    ])
    func read(_ text: String, _ expected: String) { #expect(CivilTime(text: text)?.description == expected) }

    @Test(arguments: [
        "", "0000:00:00 00:00:00", "    :  :     :  :  ", "2026:05:01", "2026:13:01 00:00:00", "2026:02:30 00:00:00",
        "2026:05:01 24:00:00", "26:05:01 12:30:05", "2026:05:01 12", "2026:05:01 12:30:", "yesterday",
        "2026::05:01 1:1:1",
    ])
    func refused(_ text: String) { #expect(CivilTime(text: text) == nil) }

    @Test func offsetsAndFractions() {
        #expect(
            CivilTime.offset(text: "+02:00") == 120 && CivilTime.offset(text: "-03:30") == -210
                && CivilTime.offset(text: "Z") == 0)
        #expect(
            CivilTime.offset(text: "   :  ") == nil && CivilTime.offset(text: "+99:00") == nil
                && CivilTime.offset(text: "") == nil)
        #expect(CivilTime.fraction(text: "25") == 250_000_000 && CivilTime.fraction(text: " 5 ") == 500_000_000)
        #expect(CivilTime.fraction(text: "") == nil && CivilTime.fraction(text: "9999999999999") == 999_999_999)
    }
}
