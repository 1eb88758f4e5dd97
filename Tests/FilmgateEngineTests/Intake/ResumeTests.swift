import FileKit
import FilmgateCore
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// A transfer that is cut off goes on in the next run, and only where that is sure to give the same file.
@Suite final class ResumeTests: Sendable {
    private let folder = NSTemporaryDirectory() + "resume-" + UUID().uuidString
    private let size = 6_000_000
    private static let content = (0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
    private var content: [UInt8] { Self.content }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A run: its own staging area and whatever earlier ones left there.
    private func stager() throws -> Stager {
        let area = try StagingArea(folder)
        area.removeLeftovers()
        return Stager(
            areas: [area], digests: [.md5], dryRun: false, pool: BlockingPool(width: 2), hub: EventHub(),
            cancelled: CancelToken(),
            partialFiles: PartialFiles([area]), checkpoints: CheckpointSink.Rule(bytes: 4096, every: .zero))
    }

    private func cutOff(at offset: Int, _ camera: FakeCamera? = nil) async throws {
        let camera = camera ?? FakeCamera(content, breaksAt: offset)
        let run = try stager(), origin = camera.origin(size: size)
        await #expect(throws: IngestError.self) { try await run.stage(origin, from: camera) }
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix(".lock") }
    }

    private func finish(_ camera: FakeCamera, _ run: Stager? = nil, modified: Int64? = nil) async throws {
        let run = try run ?? stager()
        var origin = camera.origin(size: size)
        if let modified { origin.modified = modified }
        let (file, digests) = try await run.stage(origin, from: camera)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
        #expect(bytes == Data(camera.state.withLock(\.content)) && file.size == UInt64(size))
        let fresh = try FileCopy.hash(path: file.path, algorithms: [.md5]).digests
        #expect(digests == fresh)
        run.partialFiles.planned(origin)
        // What was begun of another file waits for that one.
        if modified == nil { #expect(try files().filter { $0.hasSuffix(".resume") }.isEmpty) }
    }

    /// Blocks of a mebibyte are what reaches the disk.
    @Test(arguments: [8192, 500_000, 1 << 20, 1_500_000, 3_000_000, 5_999_999]) func goesOnInTheNextRun(
        _ offset: Int
    ) async throws {
        try await cutOff(at: offset)
        let camera = FakeCamera(content)
        try await finish(camera)
        #expect(camera.state.withLock(\.fetches) == [UInt64((offset >> 20) << 20)])
        #expect(camera.state.withLock(\.asked).allSatisfy { $0.count <= 65_536 && $0.upperBound <= UInt64(offset) })
    }

    @Test func goesOnWithinTheRun() async throws {
        let run = try stager(), camera = FakeCamera(content, breaksAt: 3_000_000)
        await #expect(throws: IngestError.self) { try await run.stage(camera.origin(size: self.size), from: camera) }
        camera.state.withLock { $0.breaksAt = nil }
        try await finish(camera, run)
        #expect(camera.state.withLock(\.fetches) == [0, 2 << 20])
    }

    @Test(arguments: [100, (2 << 20) - 1000]) func beginsAnewWhenTheCameraMeansOtherBytes(_ place: Int) async throws {
        try await cutOff(at: 3_000_000)
        var other = content
        other[place] ^= 0xFF
        let camera = FakeCamera(other)
        try await finish(camera)
        #expect(camera.state.withLock(\.fetches) == [0])
    }

    /// Two clips of one body: equal at the beginning, and equal for the whole mebibyte around the break, which is
    /// padding.
    @Test(arguments: [70_000, 1_200_000]) func twoFilesWithTheSamePaddingAreNotMixed(_ differs: Int) async throws {
        var first = content
        for index in 1_300_000..<3_200_000 { first[index] = 0 }
        try await cutOff(at: 3_000_000, FakeCamera(first, breaksAt: 3_000_000))
        var other = first
        for index in differs..<1_290_000 { other[index] ^= 0x55 }
        for index in 4_000_000..<6_000_000 { other[index] ^= 0x55 }
        let camera = FakeCamera(other)
        try await finish(camera)
        #expect(camera.state.withLock(\.fetches) == [0])
    }

    @Test func aRunOfOneValueIsNoProof() async throws {
        var zeros = content
        for index in 65_000..<3_200_000 { zeros[index] = 0 }
        try await cutOff(at: 3_000_000, FakeCamera(zeros, breaksAt: 3_000_000))
        let camera = FakeCamera(zeros)
        try await finish(camera)
        #expect(camera.state.withLock(\.fetches) == [0])
    }

    /// The session came back and found other bytes under the name: they are read from their beginning, now.
    @Test func anotherFileAfterAReturnIsReadAnew() async throws {
        let camera = FakeCamera(content)
        camera.state.withLock { $0.firstEnd = OtherBytes.failure("CLIP.MOV") }
        try await finish(camera)
        #expect(camera.state.withLock(\.fetches) == [0, 0])
    }

    @Test func beginsAnewWhereTheMakeGivesWholeFilesOnly() async throws {
        try await cutOff(at: 3_000_000)
        let camera = FakeCamera(content)
        camera.state.withLock { $0.givesParts = false }
        try await finish(camera)
        #expect(camera.state.withLock(\.fetches) == [0])
    }

    @Test func anotherFileOfTheSameNameIsNotTheSame() async throws {
        try await cutOff(at: 3_000_000)
        let camera = FakeCamera(content)
        try await finish(camera, modified: 5)
        #expect(camera.state.withLock(\.fetches) == [0] && camera.state.withLock(\.asked).isEmpty)
    }

    @Test func whatTheDiskLostIsFetchedAgain() async throws {
        try await cutOff(at: 3_000_000)
        let part = try #require(try files().first { $0.hasSuffix(".part") })
        var bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + part))
        bytes[150_000] ^= 1
        try bytes.write(to: URL(fileURLWithPath: folder + "/" + part))
        let camera = FakeCamera(content)
        try await finish(camera)
        #expect(camera.state.withLock(\.fetches) == [0])
    }

    @Test func aCameraThatGoesDuringTheProofIsProvenAtItsReturn() async throws {
        try await cutOff(at: 3_000_000)
        let camera = FakeCamera(content)
        camera.state.withLock { $0.failure = IngestError(.deviceGone, "Gone again.") }
        try await cutOff(at: 3_000_000, camera)
        #expect(camera.state.withLock(\.fetches).isEmpty)
        camera.state.withLock { $0.failure = nil }
        try await finish(camera)
        #expect(camera.state.withLock(\.fetches) == [2 << 20])
    }

    /// Bytes that are wrong are no beginning.
    @Test func whatWasRefusedLeavesNothing() async throws {
        let camera = FakeCamera(Array(content[..<3_000_000])), run = try stager()
        await #expect(throws: IngestError.self) { try await run.stage(camera.origin(size: self.size), from: camera) }
        #expect(try files().isEmpty)
    }

    /// Halfway it waits until the journal is there.
    private func patientCamera() -> FakeCamera {
        FakeCamera(content) { [folder] in
            for _ in 0..<2000 {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                if names.contains(where: { $0.hasSuffix(".resume") }) { return }
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    @Test func aWholeTransferWhoseShotFailedIsNotRepeated() async throws {
        let camera = patientCamera(), origin = camera.origin(size: size)
        do {
            let run = try stager()
            let (file, digests) = try await run.stage(origin, from: camera)
            var asset = Asset(origin: origin, kind: .video, shot: ShotPlace(key: "k", stem: "CLIP"))
            (asset.file, asset.digests) = (file, digests)
            run.partialFiles.leave(asset)
        }
        try await finish(camera)
        #expect(camera.state.withLock(\.fetches) == [0])
    }

    /// It came another way meanwhile.
    @Test func whatIsDeliveredAlreadyIsNotKept() async throws {
        try await cutOff(at: 3_000_000)
        let run = try stager()
        run.partialFiles.planned(FakeCamera(content).origin(size: size, modified: 5))
        #expect(try files().count == 2)
        run.partialFiles.planned(FakeCamera(content).origin(size: size))
        #expect(try files().isEmpty)
    }

    @Test func aShotThatNeverGotOnItsWayIsNotFetchedAgain() async throws {
        let camera = patientCamera(), run = try stager(), origin = camera.origin(size: size)
        _ = try await run.stage(origin, from: camera)
        try #require(try files().count == 2)
        try await finish(camera, run)
        #expect(camera.state.withLock(\.fetches) == [0])
    }

    @Test func shortTransfersLeaveNoTrace() async throws {
        let camera = FakeCamera(content, breaksAt: 3_000_000)
        let area = try StagingArea(folder)
        let run = Stager(
            areas: [area], digests: [], dryRun: false, pool: BlockingPool(width: 2), hub: EventHub(),
            cancelled: CancelToken(), partialFiles: PartialFiles([area]))
        await #expect(throws: IngestError.self) { try await run.stage(camera.origin(size: self.size), from: camera) }
        #expect(try files().isEmpty)
    }
}
