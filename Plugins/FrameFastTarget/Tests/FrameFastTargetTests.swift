import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization
import Testing

@testable import FrameFastTarget

/// Verified against a double.
@Suite(.timeLimit(.minutes(5))) struct FrameFastTargetTests {
    static func code<Value>(_ body: () async throws(IngestError) -> Value) async -> IngestError.Code? {
        do throws(IngestError) {
            _ = try await body()
            return nil
        } catch { return error.code }
    }

    @Test func presignedSentAndTakenIn() async throws {
        let (double, server) = try FrameFastDouble.start()
        defer { server.stop() }
        let sample = try SampleJob(), target = try target(server.url)
        try await target.check()
        let receipt = try await target.upload(sample.job())
        #expect(receipt.id == "p-u1" && !receipt.existed)
        #expect(double.state.withLock { $0.uploads["u1"]?.state } == "completed")
        // Again: it is asked about, not sent.
        #expect(try await target.upload(sample.job()).existed)
        #expect(server.seen.count { $0.method == "PUT" } == 1)
    }

    @Test func statusIsAskedForManyAtOnce() async throws {
        let (_, server) = try FrameFastDouble.start()
        defer { server.stop() }
        let target = try target(server.url) { $0.poll = .milliseconds(200) }
        let samples = try (0..<20).map { _ in try SampleJob() }
        await withTaskGroup { group in
            for sample in samples { group.addTask { _ = try? await target.upload(sample.job()) } }
        }
        #expect(server.seen.count { $0.method == "PUT" } == 20)
        #expect(server.seen.count { $0.target.hasPrefix("/uploads/status") } < 20)
    }

    /// The service works on twelve pictures while one worker sends on, and all of them are asked about at once.
    @Test func aPictureThatIsProcessedTakesNoWorker() async throws {
        let (double, server) = try FrameFastDouble.start { $0.processesUntil = 12 }
        defer { server.stop() }
        let target = try target(server.url) { ($0.web.workers, $0.patience) = (1, .seconds(120)) }
        let samples = try (0..<12).map { _ in try SampleJob(count: 100) }
        #expect(target.traits.parallel == 1 && target.traits.waiting == 50)
        let taken = await withTaskGroup(of: Bool.self) { group in
            for sample in samples { group.addTask { (try? await target.upload(sample.job())) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 12 && double.state.withLock { $0.most } == 12)
    }

    @Test func anAddressThatRanOutIsAskedForAgain() async throws {
        let (double, server) = try FrameFastDouble.start { $0.expireNext = 1 }
        defer { server.stop() }
        let sample = try SampleJob()
        #expect(try await target(server.url).upload(sample.job()).id == "p-u1")
        #expect(double.state.withLock { $0.uploads.count } == 1)
        #expect(server.seen.filter { $0.method == "PUT" }.map(\.target).map { $0.contains("/u1/2") } == [false, true])
    }

    @Test func aLostAnswerIsAskedAboutInTheNextProcessToo() async throws {
        let (double, server) = try FrameFastDouble.start { $0.loseNext = 1 }
        defer { server.stop() }
        let sample = try SampleJob(), first = try target(server.url)
        #expect(await Self.code { () async throws(IngestError) in try await first.upload(sample.job()) } == .network)
        let receipt = try await target(server.url).upload(sample.job())
        #expect(server.seen.count { $0.method == "PUT" } == 1)
        #expect(receipt.existed && double.state.withLock { $0.uploads.count } == 1)
    }

    /// The list of uploads leaves out what the service has: begun anew, the picture would be there twice.
    @Test func whatItsListLeavesOutIsNotBegunAnew() async throws {
        let (double, server) = try FrameFastDouble.start { $0.loseNext = 1 }
        defer { server.stop() }
        let sample = try SampleJob(), target = try target(server.url)
        #expect(await Self.code { () async throws(IngestError) in try await target.upload(sample.job()) } == .network)
        double.state.withLock { $0.silentNext = 1 }
        #expect(try await target.upload(sample.job()).id == "p-u1")
        #expect(double.state.withLock { $0.uploads.count } == 1 && double.copies(sample.digests.sha256) == 1)
        // What it plainly does not know is.
        double.state.withLock { $0.uploads = [:] }
        #expect(try await target.upload(sample.job()).existed == false)
    }

    @Test func noCreditsPausesAndAnEventThatIsOverHolds() async throws {
        let (double, server) = try FrameFastDouble.start { $0.credits = 0 }
        defer { server.stop() }
        let sample = try SampleJob(), target = try target(server.url)
        #expect(
            await Self.code { () async throws(IngestError) in try await target.upload(sample.job()) } == .storageFull)
        double.state.withLock { $0.gone = true }
        do throws(IngestError) {
            _ = try await target.upload(sample.job())
            Issue.record("It was taken.")
        } catch { #expect(error.code == .untrusted && error.message.contains("the event is over (410)"), "\(error)") }
    }

    @Test func theOlderFormWantsConsent() async throws {
        let (double, server) = try FrameFastDouble.start()
        defer { server.stop() }
        let silent = try target(server.url) { $0.profile = .january }
        #expect(await Self.code { () async throws(IngestError) in try await silent.check() } == .unauthorized)
        try await target(server.url) { ($0.profile, $0.acceptConsent) = (.january, true) }.check()
        #expect(double.state.withLock { $0.consented })
    }

    @Test func anUploadGivesTheConsentThatNoCheckGave() async throws {
        let (double, server) = try FrameFastDouble.start()
        defer { server.stop() }
        let samples = try (0..<3).map { _ in try SampleJob() }
        let willing = try target(server.url) { ($0.profile, $0.acceptConsent) = (.january, true) }
        await withTaskGroup(of: Void.self) { group in
            for job in samples.map({ $0.job() }) { group.addTask { _ = try? await willing.upload(job) } }
        }
        withExtendedLifetime(samples) {}
        #expect(double.state.withLock { $0.consented && $0.askedConsent == 2 && $0.uploads.count == 3 })
        let silent = try target(server.url) { $0.profile = .january }, sample = try SampleJob()
        double.state.withLock { $0.consented = false }
        #expect(
            await Self.code { () async throws(IngestError) in try await silent.upload(sample.job()) } == .unauthorized)
        #expect(double.state.withLock { $0.uploads.count } == 3)
    }

    @Test func limitsAreToldBeforeAnythingIsSent() throws {
        let now = try target("https://api.example").traits
        let then = try target("https://api.example") { $0.profile = .january }.traits
        #expect(
            now.maxSize == 10 << 20 && now.extensions == ["jpg", "jpeg", "png", "webp"] && now.maxPixels == 25_000_000)
        #expect(then.maxSize == 20 << 20 && then.extensions?.contains("heic") == true)
    }
}
