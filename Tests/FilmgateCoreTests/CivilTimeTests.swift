import FilmgateCore
import Foundation
import Testing

@Suite struct CivilTimeTests {
    @Test(arguments: [0, -1, 951_782_400, 1_709_164_799, 4_102_444_800, -62_135_596_800, 253_402_300_799] as [Int64])
    func roundTripsThroughUnixSeconds(_ seconds: Int64) throws {
        for offset in [0, -720, 840, 345] {
            guard let time = CivilTime(unixSeconds: seconds, offsetMinutes: offset) else { continue }
            #expect(time.unixSeconds == seconds)
            #expect(time.offsetMinutes == offset)
        }
        #expect(CivilTime(unixSeconds: seconds) != nil)
    }

    @Test func everyDayOfFourCenturiesFollowsTheOneBefore() throws {
        var expected = try #require(CivilTime(year: 1899, month: 12, day: 31))
        for _ in 0..<146_097 {
            let next = try #require(expected.adding(seconds: 86_400))
            let follows =
                (next.year, next.month) == (expected.year, expected.month)
                ? next.day == expected.day + 1 : next.day == 1
            try #require(follows)
            expected = next
        }
        #expect((expected.year, expected.month, expected.day) == (2299, 12, 31))
    }

    @Test func refusesDatesThatDoNotExist() {
        #expect(CivilTime(year: 2023, month: 2, day: 29) == nil)
        #expect(CivilTime(year: 2024, month: 2, day: 29) != nil)
        #expect(CivilTime(year: 1900, month: 2, day: 29) == nil)
        #expect(CivilTime(year: 2000, month: 2, day: 29) != nil)
        #expect(CivilTime(year: 0, month: 1, day: 1) == nil)
        #expect(CivilTime(year: 10_000, month: 1, day: 1) == nil)
        #expect(CivilTime(year: 2024, month: 13, day: 1) == nil)
        #expect(CivilTime(year: 2024, month: 1, day: 1, hour: 24) == nil)
        #expect(CivilTime(year: 2024, month: 1, day: 1, second: 61) == nil)
        #expect(CivilTime(year: 2024, month: 1, day: 1, nanosecond: 1_000_000_000) == nil)
        #expect(CivilTime(year: 2024, month: 1, day: 1, offsetMinutes: 1081) == nil)
    }

    /// Times come from files and file systems: the worst of them must not stop the program.
    @Test(arguments: [Int64.min, Int64.min + 1, -62_135_596_801, 253_402_300_800, Int64.max])
    func secondsOutsideTheCalendarAreNoTime(_ seconds: Int64) throws {
        #expect(CivilTime(unixSeconds: seconds) == nil)
        let time = try #require(CivilTime(year: 2026, month: 5, day: 1))
        #expect((time.adding(seconds: seconds)?.year ?? 57) == 57)
    }

    @Test(arguments: [Int.min, -1081, 1081, Int.max]) func offsetsOutsideTheWorldAreNoTime(_ minutes: Int) {
        #expect(CivilTime(unixSeconds: 0, offsetMinutes: minutes) == nil)
    }

    @Test func movesOverMidnightAndKeepsTheOffset() throws {
        let time = try #require(
            CivilTime(year: 2026, month: 12, day: 31, hour: 23, minute: 59, second: 30, offsetMinutes: 120))
        #expect(time.adding(seconds: 40)?.description == "2027-01-01T00:00:10+02:00")
        let plain = try #require(CivilTime(year: 2026, month: 3, day: 1, nanosecond: 7))
        #expect(plain.adding(seconds: -1)?.description == "2026-02-28T23:59:59.000000007")
        #expect(plain.unixSeconds == nil)
    }
}

/// The text form, which the ledger and the output keep.
@Suite struct CivilTimeTextTests {
    @Test(arguments: [
        "2026-05-01T12:30:05", "2026-05-01T12:30:05Z", "2026-05-01T12:30:05+02:00", "2026-05-01T12:30:05.25-09:30",
        "0001-01-01T00:00:00", "9999-12-31T23:59:60.999999999+18:00", "2024-02-29T00:00:00.0",
        "2024-02-29T00:00:00.000000001Z",
    ]) func whatIsPrintedIsRead(_ text: String) throws {
        #expect(try #require(CivilTime(text)).description == text)
    }

    @Test func shorterFractionsMeanTheSame() {
        #expect(CivilTime("2026-05-01T12:30:05.5")?.nanosecond == 500_000_000)
        #expect(CivilTime("2026-05-01T12:30:05.500")?.nanosecond == 500_000_000)
        #expect(CivilTime("2026-05-01T12:30:05-00:30")?.offsetMinutes == -30)
    }

    @Test(arguments: [
        "", "2026", "2026-05-01", "2026-05-01 12:30:05", "2026-13-01T12:30:05", "2026-05-01T12:30:05.",
        "2026-05-01T12:30:05.1234567890", "2026-05-01T12:30:05+2:00", "2026-05-01T12:30:05+02:60",
        "2026-05-01T12:30:05+19:00", "2026-05-01T12:30:05Zx", "2026-05-01T12:30:05 ", "+026-05-01T12:30:05",
        "２026-05-01T12:30:05", "2026-05-01T12:30:0５", "2026-05-01T12:30:05z", "2026-02-30T00:00:00",
    ]) func nothingElseIsRead(_ text: String) { #expect(CivilTime(text) == nil) }

    /// The form in which ledgers and modules have it.
    @Test func itsJSONIsItsFields() throws {
        let time = try #require(CivilTime("2026-05-01T12:30:05.25-09:30"))
        let plain = try #require(CivilTime("2026-05-01T12:30:05"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        func text(_ time: CivilTime) throws -> String { String(decoding: try encoder.encode(time), as: UTF8.self) }
        #expect(try text(plain) == #"{"day":1,"hour":12,"minute":30,"month":5,"second":5,"year":2026}"#)
        #expect(try text(time).contains(#""nanosecond":250000000,"offsetMinutes":-570"#))
        for one in [time, plain] {
            #expect(try JSONDecoder().decode(CivilTime.self, from: try encoder.encode(one)) == one)
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                CivilTime.self, from: Data(#"{"day":1,"hour":12,"minute":30,"month":13,"second":5,"year":2026}"#.utf8))
        }
    }
}
