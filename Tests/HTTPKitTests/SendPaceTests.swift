import FilmgateCore
import FilmgateTesting
import Testing

@testable import HTTPKit

/// The bandwidth limit, by a clock whose time passes only by waiting.
@Suite(.timeLimit(.minutes(2))) struct SendPaceTests {
    @Test func grantsWhatTheRateAllowsAndNoMore() {
        let time = WaitedTime(), limiter = BandwidthLimiter(bytesPerSecond: 1_000_000, clock: time.clock)
        let stop = StopFlag()
        var sent = 0
        while sent < 20_000_000 { sent += limiter.take(upTo: 512 << 10, UInt64(20_000_000 - sent), stop: stop) }
        #expect(sent == 20_000_000)
        #expect(abs(time.seconds - (20 - 0.25)) < 0.2)
    }

    @Test func allLanesShareOneLimit() async {
        let time = WaitedTime(), limiter = BandwidthLimiter(bytesPerSecond: 1_000_000, clock: time.clock)
        let sent = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var left = 2_000_000
                    while left > 0 { left -= limiter.take(upTo: 100_000, UInt64(left), stop: StopFlag()) }
                    return 2_000_000 - left
                }
            }
            return await group.reduce(0, +)
        }
        // However the workers wait for one another: never more than the bucket and what it got meanwhile.
        #expect(Double(sent) <= limiter.burst + 1_000_000 * time.seconds + 1)
    }

    @Test func slowerThanAByteASecondStillMoves() {
        let time = WaitedTime(), limiter = BandwidthLimiter(bytesPerSecond: 0, clock: time.clock)
        #expect(limiter.take(upTo: 100, 3, stop: StopFlag()) == 1)
    }

    @Test func stoppingEndsTheWait() {
        let stop = StopFlag()
        let limiter = BandwidthLimiter(
            bytesPerSecond: 8, clock: LimiterClock(now: { .zero }, wait: { _ in stop.raise() }))
        _ = limiter.take(upTo: 8, 8, stop: stop)
        _ = limiter.take(upTo: 8, 8, stop: stop)
        _ = limiter.take(upTo: 8, 8, stop: stop)
        #expect(stop.isRaised)
    }

    /// Two uploads of 1 MB at 500 kB/s over one transport: nearly four seconds of waiting, all in the injected clock.
    @Test func aTransportKeepsToItsLimit() async throws {
        let server = try FaultServer { _, _ in .answer(201) }, time = WaitedTime(), url = server.url
        defer { server.stop() }
        var options = TransportOptions()
        (options.bytesPerSecond, options.clock, options.lanes) = (500_000, time.clock, 2)
        let transport = CurlTransport(options)
        for _ in 0..<2 {
            let body = HTTPBody.bytes([UInt8](repeating: 7, count: 1_000_000))
            let response = try await transport.send(HTTPExchange(HTTPRequest("PUT", url + "/x"), body: body))
            #expect(response.status == 201)
        }
        #expect(time.seconds >= (2_000_000 - 125_000) / 500_000 - 0.01)
    }
}
