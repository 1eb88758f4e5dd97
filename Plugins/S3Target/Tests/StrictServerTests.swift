import FilmgateCore
import FilmgateTesting
import Glibc
import Testing

@testable import S3Target

/// OpenStack Swift checks signatures and digests as Amazon does; it takes a while to start.
@Suite(
    .enabled(
        if: getenv("FILMGATE_PEERS") != nil && ServerProcess.has("swift-proxy-server", "memcached"),
        "runs with `make peers`"),
    .timeLimit(.minutes(5)))
struct StrictServerTests {
    @Test func wholeFilesPartsAndNames() async throws {
        let server = try await ServerProcess("swift-s3", ports: 5)
        let bucket = try await Bucket(port: server.port, auth: TestKeys())
        let target = try bucket.target { options in
            (options.ifNoneMatch, options.checksum) = (false, .md5)
            (options.multipartAbove, options.partSize) = (ByteCount(6 << 20), ByteCount(5 << 20))
        }
        try await target.check()
        let small = try SampleJob(), large = try SampleJob(count: 12 << 20)
        #expect(try await target.upload(small.job("ä (1)+&=.jpg", path: "2026-05-01/ä (1)+&=.jpg")).verified == .server)
        #expect(try await target.occupancy(of: "2026-05-01/ä (1)+&=.jpg", for: large.job()) == .other)
        let receipt = try await target.upload(large.job("CLIP.MOV"))
        #expect(try await target.verify(receipt, size: large.size, sha256: large.digests.sha256) == .equal)
        #expect(try await target.find(large.job("CLIP.MOV"))?.verified == .reread)
        #expect(try await bucket.copies(large.digests.sha256) == 1)
    }

    @Test func wrongKeysHoldTheTarget() async throws {
        let server = try await ServerProcess("swift-s3", ports: 5)
        let bucket = try await Bucket(port: server.port, auth: TestKeys())
        let sample = try SampleJob()
        let wrong = try Bucket.target("\(bucket.endpoint)/\(bucket.name)", TestKeys(secret: "other"))
        let error = await S3TargetTests.failure { () async throws(IngestError) in try await wrong.upload(sample.job()) }
        #expect(error?.code == .unauthorized)
    }
}
