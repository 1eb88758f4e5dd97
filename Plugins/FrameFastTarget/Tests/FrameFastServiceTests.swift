import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization
import Testing

@testable import FrameFastTarget

/// How the service is, what is left to spend there, and what it goes on with by itself.
@Suite(.timeLimit(.minutes(5))) struct FrameFastServiceTests {
    func code<Value>(_ body: () async throws(IngestError) -> Value) async -> IngestError.Code? {
        if case .failure(let error) = await Result(catching: body) { return error.code }
        return nil
    }

    @Test func aServiceThatIsWellOrDoesNotSay() async throws {
        let (double, server) = try FrameFastDouble.start()
        defer { server.stop() }
        let target = try target(server.url)
        try await target.health()
        for (status, body) in [(200, "{}"), (200, #"{"status":"OK"}"#), (404, ""), (405, ""), (401, "{}"), (403, "{}")]
        {
            double.state.withLock { ($0.healthStatus, $0.health) = (status, body) }
            try await target.health()
        }
        #expect(double.state.withLock { $0.askedHealth } == 7)
    }

    @Test func aServiceThatSaysItIsNotWell() async throws {
        let (double, server) = try FrameFastDouble.start()
        defer { server.stop() }
        let target = try target(server.url)
        for (status, body) in [
            (200, #"{"status":"degraded"}"#), (503, #"{"status":"down"}"#), (500, ""), (502, "<html>"),
        ] {
            double.state.withLock { ($0.healthStatus, $0.health) = (status, body) }
            #expect(await code { () async throws(IngestError) in try await target.health() } == .unavailable)
            #expect(await code { () async throws(IngestError) in try await target.check() } == .unavailable)
        }
        // A hotel's page is not the service.
        double.state.withLock { ($0.healthStatus, $0.health) = (200, "<!doctype html><p>Welcome") }
        #expect(await code { () async throws(IngestError) in try await target.health() } == .untrusted)
        server.stop()
        #expect(await code { () async throws(IngestError) in try await target.health() } == .network)
    }

    @Test func creditsOfTheAccount() async throws {
        let (double, server) = try FrameFastDouble.start { $0.credits = 57 }
        defer { server.stop() }
        let holder = try target(server.url)
        #expect(try await holder.credits() == CreditBalance(balance: 57, nearestExpiry: "2026-12-01T00:00:00.000Z"))
        double.state.withLock { $0.credits = 0 }
        #expect(try await holder.credits()?.balance == 0)
        let nobody = try target(server.url, NobodyAuth())
        #expect(await code { () async throws(IngestError) in try await nobody.credits() } == .unauthorized)
    }

    /// Two pictures and one credit: the second is stored there, and put off.
    private func broke() async throws -> (FrameFastDouble, FaultServer, FrameFastTarget, SampleJob) {
        let (double, server) = try FrameFastDouble.start { $0.credits = 1 }
        let target = try target(server.url) { $0.poll = .milliseconds(50) }, first = try SampleJob()
        let second = try SampleJob(count: 100)
        _ = try await target.upload(first.job())
        // The last credit goes to somebody else between the address and the work.
        double.state.withLock { ($0.credits, $0.creditsOnceStored) = (1, 0) }
        #expect(await code { () async throws(IngestError) in try await target.upload(second.job()) } == .storageFull)
        double.state.withLock { $0.creditsOnceStored = nil }
        #expect(double.state.withLock { $0.uploads["u2"]?.code } == "insufficient_credits")
        return (double, server, target, second)
    }

    @Test func whatWasPutOffGoesOnWithoutBeingSentAgain() async throws {
        let (double, server, target, second) = try await broke()
        defer { server.stop() }
        #expect(await code { () async throws(IngestError) in try await target.upload(second.job()) } == .storageFull)
        double.state.withLock { $0.credits = 5 }
        #expect(try await target.upload(second.job()).id == "p-u2")
        #expect(server.seen.count { $0.method == "PUT" } == 2 && double.state.withLock { $0.takenUp } == 1)
        #expect(double.state.withLock { $0.uploads.count } == 2)
    }

    @Test func allThatWasPutOffAtOnce() async throws {
        let (double, server, target, second) = try await broke()
        defer { server.stop() }
        #expect(await code { () async throws(IngestError) in try await target.takeUpAgain() } == .storageFull)
        double.state.withLock { $0.credits = 5 }
        #expect(try await target.takeUpAgain() == 1)
        #expect(try await target.takeUpAgain() == 0)
        #expect(try await target.upload(second.job()).id == "p-u2")
        #expect(server.seen.count { $0.method == "PUT" } == 2)
    }

    /// The service keeps the bytes of what it put off for some days only.
    @Test func whatWasClearedAwayIsSentAgain() async throws {
        let (double, server, target, second) = try await broke()
        defer { server.stop() }
        double.state.withLock { ($0.credits, $0.isCleared) = (5, true) }
        #expect(try await target.takeUpAgain() == 0)
        #expect(try await target.upload(second.job()).id == "p-u2")
        #expect(server.seen.count { $0.method == "PUT" } == 3 && double.state.withLock { $0.uploads.count } == 2)
    }

    private struct NobodyAuth: AuthProvider {
        func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest { request }
    }
}
