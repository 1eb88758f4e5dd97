import FilmgateCore
import Testing

@Suite struct CivilTimeTests {
    @Test func roundTripsThroughUnixSeconds() throws {
        for seconds: Int64 in [0, -1, 951_782_400, 1_709_164_799, 4_102_444_800, -62_135_596_800] {
            let time = try #require(CivilTime(unixSeconds: seconds))
            #expect(time.unixSeconds == seconds)
        }
    }

    @Test func refusesDatesThatDoNotExist() {
        #expect(CivilTime(year: 2023, month: 2, day: 29) == nil)
        #expect(CivilTime(year: 2024, month: 2, day: 29) != nil)
        #expect(CivilTime(year: 0, month: 1, day: 1) == nil)
        #expect(CivilTime(year: 2024, month: 13, day: 1) == nil)
    }

    @Test func movesOverMidnightAndKeepsTheOffset() throws {
        let time = try #require(CivilTime(year: 2026, month: 12, day: 31, hour: 23, minute: 59, second: 30, offsetMinutes: 120))
        #expect(time.adding(seconds: 40)?.description == "2027-01-01T00:00:10+02:00")
    }
}
