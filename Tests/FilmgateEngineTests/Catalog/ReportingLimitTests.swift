import FilmgateCore
import Testing

@testable import FilmgateEngine

/// A station with a backlog leaves the catalogue time for the others.
@Suite struct ReportingLimitTests {
    private static let start = ContinuousClock.now

    @Test func aReportKeepsTheNextOneWaiting() {
        var limit = ReportingLimit(perSecond: 2000, at: Self.start)
        #expect(limit.pause(at: Self.start) == .zero)
        limit.count(1000, at: Self.start)
        #expect(limit.pause(at: Self.start) == .milliseconds(500))
        #expect(limit.pause(at: Self.start + .milliseconds(400)) == .milliseconds(100))
        #expect(limit.pause(at: Self.start + .seconds(2)) == .zero)
        // What was not told in time is not made up for.
        limit.count(200, at: Self.start + .seconds(60))
        #expect(limit.pause(at: Self.start + .seconds(60)) == .milliseconds(100))
        // Nor is a report without files a reason to wait.
        limit.count(0, at: Self.start + .seconds(90))
        #expect(limit.pause(at: Self.start + .seconds(90)) == .zero)
    }

    /// A day's 50,000 files in reports of whatever size, as fast as the catalogue takes them: 2,000 a second.
    @Test(arguments: [(7, 0), (333, 0), (1000, 0), (1000, 40), (1000, 700)])
    func noMoreThanTheRateIsTold(_ size: Int, _ milliseconds: Int) {
        var limit = ReportingLimit(perSecond: 2000, at: Self.start), now = Self.start, told: [(Duration, Int)] = []
        var left = 50_000
        while left > 0 {
            now += limit.pause(at: now)
            let files = min(size, left)
            limit.count(files, at: now)
            told.append((now - Self.start, files))
            left -= files
            now += .milliseconds(milliseconds)
        }
        for second in 0..<25 {
            let window = Duration.seconds(second)..<Duration.seconds(second + 1)
            let files = told.reduce(0) { window.contains($1.0) ? $0 + $1.1 : $0 }
            #expect(files <= 2000 + size, "\(files) files in second \(second)")
        }
        let took = now - Self.start
        #expect(took >= .seconds(24))
        // Where the catalogue is the slower one, nothing is added to its time.
        if milliseconds < 500 {
            #expect(took < .seconds(26))
        } else {
            #expect(took == .milliseconds(50 * milliseconds))
        }
    }
}
