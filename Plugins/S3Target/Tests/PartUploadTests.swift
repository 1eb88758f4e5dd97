import FilmgateCore
import FilmgateTesting
import Synchronization
import Testing

@testable import S3Target

/// Uploads in parts that end otherwise than they began.
@Suite(.timeLimit(.minutes(2))) struct PartUploadTests {
    /// What a scripted service does, by the number of the try.
    private struct Service {
        /// An upload of that key which somebody began before.
        var open: String?
        var part: FaultAct = .answer(200, headers: [("ETag", "\"1\"")])
        var complete: FaultAct
        /// What HEAD finds.
        var object: FaultAct = .answer(404)
        var list: FaultAct = .noKeys

        func answer(_ seen: FaultServer.Seen) -> FaultAct {
            switch seen.method {
            case "PUT": return part
            case "HEAD": return object
            case "DELETE": return .answer(204)
            case "GET" where seen.isListing: return list
            case "GET" where seen.target.contains("uploadId="):
                return .answer(200, body: "<ListPartsResult></ListPartsResult>")
            case "GET":
                let upload = open.map { "<Upload><Key>CLIP.MOV</Key><UploadId>\($0)</UploadId></Upload>" } ?? ""
                return .answer(200, body: "<ListMultipartUploadsResult>\(upload)</ListMultipartUploadsResult>")
            case _ where seen.target.hasSuffix("?uploads="):
                return .answer(200, body: "<R><UploadId>new</UploadId></R>")
            default: return complete
            }
        }
    }

    private static func refusal(_ status: Int, _ code: String) -> FaultAct {
        .answer(status, body: "<Error><Code>\(code)</Code><Message>No.</Message></Error>")
    }
    private static let done = FaultAct.answer(200, body: "<R><ETag>\"9-1\"</ETag></R>")

    private func table(_ service: Service) throws -> (server: FaultServer, script: Script, target: S3Target) {
        let script = Script(service)
        let server = try FaultServer { seen, _ in script.service.withLock { $0.answer(seen) } }
        return (server, script, try Bucket.target(server.url + "/b", TestKeys()) { $0.multipartAbove = ByteCount(1) })
    }

    private final class Script: Sendable {
        let service: Mutex<Service>
        init(_ service: Service) { self.service = Mutex(service) }
    }

    private func code(_ target: S3Target, _ sample: SampleJob) async -> IngestError.Code? {
        await S3TargetTests.failure { () async throws(IngestError) in
            _ = try await target.upload(sample.job("CLIP.MOV"))
        }?.code
    }

    /// A service that always loses the parts must not get one clip over and over, with everything else behind it.
    @Test func whatIsLostAgainAndAgainIsSetAside() async throws {
        let sample = try SampleJob()
        let (server, _, target) = try table(Service(complete: Self.refusal(400, "InvalidPart")))
        defer { server.stop() }
        var codes: [IngestError.Code?] = []
        for _ in 0..<3 { codes.append(await code(target, sample)) }
        #expect(codes == [.unavailable, .unavailable, .rejected])
    }

    /// An account that may only write: the service itself is told not to replace.
    @Test func anAccountThatMayNotLookStillDelivers() async throws {
        let sample = try SampleJob()
        let (server, _, target) = try table(Service(complete: Self.done, object: .answer(403)))
        defer { server.stop() }
        #expect(await code(target, sample) == nil)
        #expect(await code(target, sample) == nil)
    }

    /// As the engine asks before it sends; nor may it list.
    @Test func whatMayNotBeLookedAtCountsAsFree() async throws {
        let sample = try SampleJob(), job = sample.job("CLIP.MOV")
        let (server, _, target) = try table(Service(complete: Self.done, object: .answer(403), list: .answer(403)))
        defer { server.stop() }
        #expect(try await target.occupancy(of: job.path, for: job) == .free)
        #expect(try await target.find(job) == nil)
        #expect(await code(target, sample) == nil)
    }

    /// It concerns this file alone: it may be there already, and under another name it would be there twice.
    @Test func aKeyThatIsTakenAndMayNotBeReadSetsItsFileAside() async throws {
        let sample = try SampleJob(), taken = Self.refusal(412, "PreconditionFailed")
        let (server, _, target) = try table(Service(complete: taken, object: .answer(403), list: .answer(403)))
        defer { server.stop() }
        #expect(await code(target, sample) == .rejected)
    }

    /// Who has to sign in anew does not lose a frame for it.
    @Test func anAccountThatIsNotLetInIsHeld() async throws {
        let sample = try SampleJob(), job = sample.job("CLIP.MOV")
        let (server, _, target) = try table(Service(complete: Self.done, object: .answer(401), list: .answer(403)))
        defer { server.stop() }
        let error = await S3TargetTests.failure { () async throws(IngestError) in _ = try await target.find(job) }
        #expect(error?.code == .unauthorized)
    }

    /// Putting the parts together took longer than the answer was waited for.
    @Test func whatWasPutTogetherMeanwhileIsFound() async throws {
        let sample = try SampleJob()
        let (server, script, target) = try table(Service(open: "old", complete: Self.refusal(404, "NoSuchUpload")))
        defer { server.stop() }
        #expect(await code(target, sample) == .unavailable)
        let facts = [
            ("ETag", "\"x\""), ("Content-Length", String(sample.size)),
            ("x-amz-checksum-sha256", JobDigest.base64(sample.digests.sha256)),
        ]
        script.service.withLock { $0.object = .answer(200, headers: facts) }
        let before = server.seen.count
        #expect(try await target.upload(sample.job("CLIP.MOV")).existed)
        #expect(server.seen.dropFirst(before).map(\.method) == ["HEAD"])
    }

    /// Another machine ended it, or put other parts into it: the next try begins one of its own.
    @Test(arguments: [(404, "NoSuchUpload"), (400, "InvalidPart")], [true, false])
    func whatCannotBeGoneOnWithIsBegunAnew(_ refused: (Int, String), _ isPart: Bool) async throws {
        let sample = try SampleJob()
        var service = Service(open: "old", complete: Self.done)
        if isPart {
            service.part = Self.refusal(refused.0, refused.1)
        } else {
            service.complete = Self.refusal(refused.0, refused.1)
        }
        let (server, script, target) = try table(service)
        defer { server.stop() }
        #expect(await code(target, sample) == .unavailable)
        script.service.withLock { ($0.part, $0.complete) = (Service(complete: Self.done).part, Self.done) }
        _ = try await target.upload(sample.job("CLIP.MOV"))
        let last = try #require(server.seen.last { $0.method == "PUT" })
        #expect(last.target.contains("uploadId=new") && server.seen.allSatisfy { $0.method != "DELETE" })
    }

    /// Another machine may be writing what this one did not begin.
    @Test(arguments: ["old", nil], [412, 400]) func onlyItsOwnUploadsAreEnded(
        _ open: String?, _ status: Int
    ) async throws {
        let sample = try SampleJob()
        let (server, _, target) = try table(
            Service(open: open, complete: Self.refusal(status, status == 412 ? "PreconditionFailed" : "EntityTooLarge"))
        )
        defer { server.stop() }
        #expect(await code(target, sample) == (status == 412 ? .nameTaken : .rejected))
        #expect(
            server.seen.filter { $0.method == "DELETE" }.map(\.target)
                == (open == nil ? ["/b/CLIP.MOV?uploadId=new"] : []))
    }
}
