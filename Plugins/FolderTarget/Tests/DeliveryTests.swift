import FileKit
import FilmgateCore
import Foundation
import Glibc
import Testing

@testable import FolderTarget

@Suite struct DeliveryTests {
    let fixture: Fixture
    init() throws { fixture = try Fixture() }

    @Test(arguments: [true, false], FolderTarget.Config.Proof.allCases)
    func aFileArrivesWholeWithItsTime(take: Bool, proof: FolderTarget.Config.Proof) async throws {
        let target = try fixture.target { $0.verify = proof }
        let job = try fixture.job("w/2026-05-01/IMG_1.JPG", [1, 2, 3], take: take)
        #expect(try await target.occupancy(of: job.path, for: job) == .free)
        let receipt = try await target.upload(job)
        let path = fixture.root + "/w/2026-05-01/IMG_1.JPG"
        #expect(receipt.state == .done && receipt.path == path && !receipt.existed && receipt.at > 0)
        #expect(receipt.verified == (proof == .reread ? .reread : .size))
        #expect(receipt.sha256 == job.digests.sha256)
        #expect(try bytes(path) == [1, 2, 3])
        #expect(try FileFacts.of(path)?.modified == Fixture.modified)
        #expect(try FileFacts.of(job.file.path) == nil || !take)
        try await target.finishRun([try delivered(receipt, job)])
        #expect(try fixture.tree() == ["w/", "w/2026-05-01/", "w/2026-05-01/IMG_1.JPG"])
    }

    @Test func theSameBytesAgainAreThereAlready() async throws {
        let target = try fixture.target(), first = try fixture.job("IMG_1.JPG", [1, 2, 3])
        _ = try await target.upload(first)
        let again = try fixture.job("IMG_1.JPG", [1, 2, 3], take: true)
        guard case .same(let receipt) = try await target.occupancy(of: again.path, for: again) else {
            Issue.record("not recognised")
            return
        }
        #expect(receipt.existed && receipt.verified == .reread)
        #expect(try await target.upload(again).existed)
        #expect(try bytes(again.file.path) == [1, 2, 3])
    }

    @Test(arguments: [true, false]) func aNameInUseIsNeverReplaced(take: Bool) async throws {
        let target = try fixture.target(), job = try fixture.job("IMG_1.JPG", [1, 2, 3], take: take)
        #expect(try await target.occupancy(of: job.path, for: job) == .free)
        try FileManager.default.createDirectory(atPath: fixture.root, withIntermediateDirectories: true)
        try write([9, 9, 9], fixture.root + "/IMG_1.JPG")
        #expect(try await target.occupancy(of: job.path, for: job) == .other)
        #expect(await code { try await target.upload(job) } == .nameTaken)
        #expect(try bytes(fixture.root + "/IMG_1.JPG") == [9, 9, 9])
        #expect(try bytes(job.file.path) == [1, 2, 3])
    }

    @Test func ofManyWithOneNameOneWinsAndNoneIsLost() async throws {
        let target = try fixture.target { $0.workers = 8 }
        let jobs = try (0..<8).map { try fixture.job("w/IMG_1.JPG", [UInt8($0), 7], take: $0 % 2 == 0) }
        let results = await codes(of: jobs, target)
        #expect(results.count { $0 == nil } == 1)
        #expect(results.count { $0 == .nameTaken } == 7, "\(results)")
        let winner = try bytes(fixture.root + "/w/IMG_1.JPG")
        for job in jobs where try FileFacts.of(job.file.path) == nil { #expect(winner[1] == 7 && job.mayTake) }
        #expect(try fixture.tree(below: fixture.path + "/stage").count >= 3)
        try await target.finishRun([])
        #expect(try fixture.tree() == ["w/", "w/IMG_1.JPG"])
    }

    /// One delivery looks for the folder before another has made it, and is asked afterwards.
    @Test func theFirstOfManyThatMakesTheFolderDoesNotMakeItGoneForTheOthers() async throws {
        for round in 0..<60 {
            let place = fixture.root + "-\(round)"
            let target = try fixture.target {
                $0.path = Template(place)
                $0.workers = 8
                $0.verify = .size
            }
            let jobs = try (0..<8).map { try fixture.job("w/IMG_\($0).JPG", [UInt8($0), 7]) }
            #expect(await codes(of: jobs, target).allSatisfy { $0 == nil })
        }
    }

    /// How each upload of `jobs` ended, all begun at once: its error's code, nil where it arrived.
    private func codes(of jobs: [UploadJob], _ target: FolderTarget) async -> [IngestError.Code?] {
        await withTaskGroup(of: IngestError.Code?.self) { group in
            for job in jobs { group.addTask { await code { try await target.upload(job) } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func notOrdinaryFilesAreOthers() async throws {
        let target = try fixture.target(), job = try fixture.job("x", [1])
        try FileManager.default.createDirectory(atPath: fixture.root + "/folder", withIntermediateDirectories: true)
        symlink(job.file.path, fixture.root + "/link")
        symlink("/nowhere", fixture.root + "/dangling")
        mkfifo(fixture.root + "/fifo", 0o600)
        try write([2], fixture.root + "/other")
        try write([1, 1], fixture.root + "/longer")
        for name in ["folder", "link", "dangling", "fifo", "other", "longer"] {
            var moved = job
            moved.path = name
            #expect(try await target.occupancy(of: name, for: moved) == .other, "\(name)")
            #expect(await code { try await target.upload(moved) } == .nameTaken, "\(name)")
        }
    }

    @Test func bytesThatChangedSinceTheyWereReadDoNotArrive() async throws {
        let target = try fixture.target()
        var job = try fixture.job("IMG_1.JPG", [1, 2, 3])
        unlink(job.file.path)
        try write([1, 2, 4], job.file.path)
        #expect(await code { try await target.upload(job) } == .corruptData)
        job.mayTake = true
        job.file.ownership = .staged
        #expect(await code { try await target.upload(job) } == .corruptData)
        #expect(try bytes(job.file.path) == [1, 2, 4])
        unlink(job.file.path)
        #expect(await code { try await target.upload(job) } == .notFound)
        #expect(try fixture.tree().filter { !$0.hasPrefix(".filmgate") }.isEmpty)
    }

    @Test(arguments: [false, true]) func aDiskThatGivesBackOtherBytesIsCaught(take: Bool) async throws {
        let target = try fixture.target()
        var job = try fixture.job("IMG_1.JPG", [1, 2, 3], take: take)
        job.digests.others[.xxh128] = String(repeating: "0", count: 32)
        #expect(await code { try await target.upload(job) } == .corruptData)
        #expect(try fixture.tree().filter { $0.hasSuffix("JPG") || $0.hasSuffix(".part") }.isEmpty)
        #expect(try bytes(job.file.path) == [1, 2, 3])
    }

    @Test func verifyTellsWhatBecameOfACopy() async throws {
        let target = try fixture.target(), job = try fixture.job("IMG_1.JPG", [1, 2, 3])
        let receipt = try await target.upload(job), path = try #require(receipt.path)
        func verify() async throws -> Verification {
            try await target.verify(receipt, size: 3, sha256: job.digests.sha256)
        }
        #expect(try await verify() == .equal)
        try Data([1, 2, 4]).write(to: URL(fileURLWithPath: path))
        guard case .differs = try await verify() else { Issue.record("bit flip unseen"); return }
        try Data([1, 2]).write(to: URL(fileURLWithPath: path))
        guard case .differs = try await verify() else { Issue.record("cut unseen"); return }
        unlink(path)
        #expect(try await verify() == .missing)
        symlink(job.file.path, path)
        guard case .differs = try await verify() else { Issue.record("link unseen"); return }
    }

    @Test func leftoversOfACrashAreSweptAndNothingElse() async throws {
        let staging = StagingArea.directory(below: fixture.root)
        try FileManager.default.createDirectory(atPath: staging, withIntermediateDirectories: true)
        let own = staging + "/t0000000bbbbbbbb-3.part", states = staging + "/s1234567bbbbbbbb-1.part"
        try write([1], own)
        try write([1], states)
        try await fixture.target().finishRun([])
        #expect(try FileFacts.of(own) == nil)
        // Only the ledger of its state knows whether something waits for that.
        #expect(try FileFacts.of(states) != nil)
        unlink(states)
        try await fixture.target().finishRun([])
        #expect(try fixture.tree().isEmpty)
    }
}
