import FilmgateCore
import FilmgateTesting
import Synchronization
import Testing

@testable import OIDCAuth

/// How signing in by a device code ends, at a provider that counts the polls and the seconds between them (RFC 8628
/// §3.5).
@Suite struct DeviceEndTests {
    func outcome(_ bench: OIDCBench) async -> Result<Account, IngestError> {
        await Result { () async throws(IngestError) in
            try await bench.open().signIn(TestPrompter(), SignInPreference(flow: .device))
        }
    }

    func failure(_ bench: OIDCBench) async -> IngestError? {
        if case .failure(let error) = await outcome(bench) { return error }
        return nil
    }

    /// Seconds between one poll and the next.
    func pauses(_ bench: OIDCBench) -> [Int] { zip(bench.double.polls, bench.double.polls.dropFirst()).map { $1 - $0 } }

    @Test(arguments: OIDCDouble.Profile.Style.allCases) func slowDownCountsForAllLaterPolls(
        _ style: OIDCDouble.Profile.Style
    ) async throws {
        var profile = OIDCDouble.Profile()
        (profile.style, profile.pending, profile.slowDowns) = (style, 1, 3)
        let bench = try OIDCBench(profile)
        _ = try await outcome(bench).get()
        #expect(bench.double.earlyPolls == 0)
        #expect(pauses(bench) == [6, 12, 18, 24])
    }

    /// Once longer, it never gets shorter again.
    @Test func pendingAfterSlowDownKeepsThePause() async throws {
        var profile = OIDCDouble.Profile()
        (profile.pending, profile.slowDowns) = (0, 1)
        let bench = try OIDCBench(profile)
        bench.onSleep = { [double = bench.double] count in
            if count == 2 { double.set { ($0.pending, $0.slowDowns) = (5, 0) } }
        }
        _ = try await outcome(bench).get()
        #expect(bench.double.earlyPolls == 0 && pauses(bench) == [12, 12, 12, 12, 12])
    }

    @Test func aLongIntervalIsKept() async throws {
        var profile = OIDCDouble.Profile()
        (profile.interval, profile.pending) = (100, 2)
        let bench = try OIDCBench(profile)
        _ = try await outcome(bench).get()
        #expect(bench.double.earlyPolls == 0 && pauses(bench) == [120, 120])
    }

    /// Nobody waits longer than the code lives.
    @Test func anIntervalLongerThanTheCodeEndsWithIt() async throws {
        var profile = OIDCDouble.Profile()
        profile.interval = 3600
        let bench = try OIDCBench(profile)
        let slept = Mutex(0)
        bench.onSleep = { count in slept.withLock { $0 = count } }
        let error = await failure(bench)
        #expect(error?.code == .unauthorized && error?.message.contains("ran out") == true)
        #expect(bench.double.polls.isEmpty && slept.withLock { $0 } == 1)
    }

    @Test(arguments: OIDCDouble.Profile.Style.allCases) func refusedInTheBrowser(
        _ style: OIDCDouble.Profile.Style
    ) async throws {
        var profile = OIDCDouble.Profile()
        (profile.style, profile.denies) = (style, true)
        let bench = try OIDCBench(profile), error = await failure(bench)
        #expect(error?.code == .unauthorized && error?.message.contains("refused in the browser") == true)
        #expect(error?.advice?.contains("filmgate login") == true)
        #expect(bench.double.polls.count == 2 && bench.double.earlyPolls == 0)
    }

    @Test(arguments: OIDCDouble.Profile.Style.allCases) func ranOut(_ style: OIDCDouble.Profile.Style) async throws {
        var profile = OIDCDouble.Profile()
        (profile.style, profile.codeExpires) = (style, true)
        let bench = try OIDCBench(profile), error = await failure(bench)
        #expect(error?.code == .unauthorized && error?.message.contains("ran out") == true)
        #expect(error?.advice?.contains("filmgate login") == true)
        // Nobody asks for another code by itself.
        #expect(bench.double.polls.count == 2 && bench.double.seen.count { $0.target == "/device" } == 1)
    }

    /// By our own clock too: whoever walks away leaves nothing behind that asks for ever.
    @Test func nobodyComes() async throws {
        let bench = try OIDCBench()
        bench.double.set { $0.pending = 1000 }
        let error = await failure(bench)
        #expect(error?.message.contains("ran out") == true && error?.advice?.contains("filmgate login") == true)
        #expect(bench.double.earlyPolls == 0 && bench.double.polls.allSatisfy { $0 < 1_790_000_900 })
    }

    /// A provider that says `expired_token` once and then does not know the code.
    @Test func unknownByNow() async throws {
        let bench = try OIDCBench()
        bench.double.set { $0.trouble = .code("invalid_grant", status: 403) }
        let error = await failure(bench)
        #expect(
            error?.message.contains("does not know the code any more") == true
                && error?.advice?.contains("filmgate login") == true)
    }
}
