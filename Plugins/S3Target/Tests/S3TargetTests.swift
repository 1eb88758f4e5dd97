import FilmgateCore
import FilmgateTesting
import Glibc
import HTTPKit
import Synchronization
import Testing

@testable import S3Target

@Suite(.timeLimit(.minutes(5))) struct S3TargetTests {
    static func failure<Value>(_ body: () async throws(IngestError) -> Value) async -> IngestError? {
        do throws(IngestError) {
            _ = try await body()
            return nil
        } catch { return error }
    }

    @Test func addressesByStyle() throws {
        var options = S3Options()
        (options.bucket, options.region) = ("frames", "eu-west-1")
        #expect(options.base?.text == "https://frames.s3.eu-west-1.amazonaws.com/")
        options.style = .path
        #expect(options.base?.text == "https://s3.eu-west-1.amazonaws.com/frames/")
        options.endpoint = "https://minio.example:9000/gate"
        #expect(options.base?.text == "https://minio.example:9000/gate/frames/")
        options.style = .virtualHost
        #expect(options.base?.text == "https://frames.minio.example:9000/gate/")
    }

    @Test func oneRequestCarriesDigestsAndForbidsOverwriting() async throws {
        let sample = try SampleJob(), checksum = JobDigest.base64(sample.digests.sha256)
        let server = try FaultServer { seen, _ in
            seen.isListing ? .noKeys : .answer(200, headers: [("ETag", "\"x\""), ("x-amz-checksum-sha256", checksum)])
        }
        defer { server.stop() }
        let target = try Bucket.target(server.url + "/b", TestKeys())
        let receipt = try await target.upload(sample.job("a b.jpg", path: "ä/a b.jpg"))
        let seen = try #require(server.seen.first { $0.method == "PUT" })
        #expect(
            seen.target == "/b/%C3%A4/a%20b.jpg" && seen[header: "If-None-Match"] == "*"
                && seen[header: "Content-Type"] == "image/jpeg")
        #expect(
            seen[header: "x-amz-content-sha256"] == sample.digests.sha256
                && seen[header: "x-amz-checksum-sha256"] == checksum)
        let signed = try #require(seen[header: "Authorization"])
        #expect(signed.contains("if-none-match") && signed.contains("x-amz-checksum-sha256"))
        #expect(receipt.verified == .server && receipt.url == server.url + "/b/%C3%A4/a%20b.jpg")
    }

    /// A hotel's network, or the console of a service at the port beside it.
    @Test func whatDoesNotAnswerAsS3HasNothing() async throws {
        let server = try FaultServer { _, _ in
            .answer(200, headers: [("Content-Type", "text/html")], body: "<!doctype html><p>Welcome")
        }
        defer { server.stop() }
        let sample = try SampleJob(), target = try Bucket.target(server.url + "/b", TestKeys())
        #expect(await Self.failure { () async throws(IngestError) in try await target.check() }?.code == .untrusted)
        #expect(
            await Self.failure { () async throws(IngestError) in _ = try await target.upload(sample.job()) }?.code
                == .untrusted)
        let asked = await Self.failure { () async throws(IngestError) in
            _ = try await target.occupancy(of: "a.jpg", for: sample.job())
        }
        #expect(asked?.code == .untrusted)
        let tagged = try FaultServer { seen, _ in
            seen.isListing ? .noKeys : .answer(200, headers: [("ETag", "\"x\"")], body: "<!doctype html><p>Welcome")
        }
        defer { tagged.stop() }
        let portal = try Bucket.target(tagged.url + "/b", TestKeys())
        #expect(
            await Self.failure { () async throws(IngestError) in _ = try await portal.upload(sample.job()) }?.code
                == .untrusted)
        let other = try FaultServer { seen, _ in seen.isListing ? .noKeys : .answer(404, body: "{}") }
        defer { other.stop() }
        let elsewhere = try Bucket.target(other.url + "/b", TestKeys())
        #expect(
            await Self.failure { () async throws(IngestError) in _ = try await elsewhere.upload(sample.job()) }?.code
                == .untrusted)
    }

    @Test func aClockThatIsWrongIsSetByTheServers() async throws {
        let server = try FaultServer { seen, number in
            let date = [("Date", "Sun, 06 Nov 2044 08:49:37 GMT")]
            guard number > 0 else {
                return .answer(403, headers: date, body: "<Error><Code>RequestTimeTooSkewed</Code></Error>")
            }
            return seen.isListing ? .noKeys : .answer(200, headers: [("ETag", "\"x\"")])
        }
        defer { server.stop() }
        let sample = try SampleJob()
        _ = try await Bucket.target(server.url + "/b", TestKeys()).upload(sample.job())
        #expect(server.seen.map { $0[header: "x-amz-date"]?.hasPrefix("2044") } == [false, true, true])
    }

    /// Each of them was signed before the first answer told the time.
    @Test func aClockThatIsWrongIsSetForAllThatAreUnderWay() async throws {
        let arrived = Arrivals()
        let server = try FaultServer { seen, number in
            guard number < 2 else { return seen.isListing ? .noKeys : .answer(200, headers: [("ETag", "\"x\"")]) }
            return .compute { _ in
                arrived.meet(2)
                let date = [("Date", "Sun, 06 Nov 2044 08:49:37 GMT")]
                return .answer(403, headers: date, body: "<Error><Code>RequestTimeTooSkewed</Code></Error>")
            }
        }
        defer { server.stop() }
        let sample = try SampleJob(), target = try Bucket.target(server.url + "/b", TestKeys())
        async let first = target.upload(sample.job("a.jpg", path: "1/a.jpg"))
        async let second = target.upload(sample.job("b.jpg", path: "2/b.jpg"))
        _ = try await (first, second)
        #expect(server.seen.count == 6 && server.seen.count { $0.method == "PUT" } == 2)
    }

    /// Each of them was signed with the keys of before; the second is refused when the new ones are known.
    @Test func keysThatHaveRunOutAreChangedForAllThatAreUnderWay() async throws {
        let arrived = Arrivals()
        let server = try FaultServer { seen, _ in
            guard seen[header: "x-amz-security-token"] == "old" else {
                return seen.isListing ? .noKeys : .answer(200, headers: [("ETag", "\"x\"")])
            }
            return .compute { _ in
                arrived.meet(2)
                return .answer(400, body: "<Error><Code>ExpiredToken</Code></Error>")
            }
        }
        defer { server.stop() }
        let sample = try SampleJob(), target = try Bucket.target(server.url + "/b", ChangedKeys())
        async let first = target.upload(sample.job("a.jpg", path: "1/a.jpg"))
        async let second = target.upload(sample.job("b.jpg", path: "2/b.jpg"))
        _ = try await (first, second)
        #expect(server.seen.count { $0.method == "PUT" } == 2)
    }

    /// The region stands in a header, or in the body alone; an answer to HEAD has none.
    @Test(arguments: ["GET", "HEAD"], [true, false]) func aWrongRegionNamesTheRightOne(
        _ method: String, _ hasHeader: Bool
    ) async throws {
        let body =
            "<Error><Code>AuthorizationHeaderMalformed</Code><Message>No.</Message><Region>eu-north-1</Region></Error>"
        let server = try FaultServer { _, _ in
            .answer(400, headers: hasHeader ? [("x-amz-bucket-region", "eu-north-1")] : [], body: body)
        }
        defer { server.stop() }
        let response = try await Bucket.target(server.url + "/b", TestKeys()).client.ask(
            method, server.url + "/b/a.jpg")
        let error = S3Failure.error(for: response)
        guard method == "GET" || hasHeader else { return }
        #expect(error.code == .unauthorized && error.advice?.contains("The bucket is in eu-north-1") == true)
    }

    @Test(arguments: [
        (503, "SlowDown", IngestError.Code.unavailable), (400, "RequestTimeout", .network),
        (403, "AccessDenied", .unauthorized), (409, "ConditionalRequestConflict", .unavailable),
        (404, "NoSuchBucket", .unauthorized), (400, "BadDigest", .network), (400, "EntityTooLarge", .rejected),
        (501, "NotImplemented", .unauthorized), (403, "QuotaExceeded", .storageFull),
        (404, "NoSuchUpload", .unavailable), (400, "InvalidPart", .unavailable),
    ]) func errorsBySense(_ status: Int, _ code: String, _ sense: IngestError.Code) async throws {
        let server = try FaultServer { seen, _ in
            if seen.isListing { return .noKeys }
            return .answer(
                status,
                body: "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>No &amp; no.</Message></Error>")
        }
        defer { server.stop() }
        let sample = try SampleJob(), target = try Bucket.target(server.url + "/b", TestKeys())
        let error = await Self.failure { () async throws(IngestError) in try await target.upload(sample.job()) }
        #expect(error?.code == sense && error?.message.contains("\(code): No & no.") == true)
    }

    /// WebDAV's answer, a part of an object, a promise to do it later: none of them says that the object is there.
    @Test(
        arguments: [207, 206, 202, 203],
        ["<?xml version=\"1.0\"?><multistatus><response><href>/b/a</href>", "", "<Error><Co"])
    func aSuccessOfAnotherKindHoldsTheTarget(_ status: Int, _ body: String) async throws {
        let server = try FaultServer { seen, _ in seen.isListing ? .noKeys : .answer(status, body: body) }
        defer { server.stop() }
        let sample = try SampleJob(), target = try Bucket.target(server.url + "/b", TestKeys())
        let error = await Self.failure { () async throws(IngestError) in try await target.upload(sample.job()) }
        #expect(
            error?.code == .untrusted && error?.advice?.contains("endpoint") == true,
            "\(error?.message ?? "It was taken.")")
        // Asked what it has, it must not be taken for an empty bucket either.
        let all = try FaultServer { _, _ in .answer(status, body: body) }
        defer { all.stop() }
        let other = try Bucket.target(all.url + "/b", TestKeys())
        let asked = await Self.failure { () async throws(IngestError) in
            guard case .free = try await other.occupancy(of: "a.jpg", for: sample.job()) else {
                throw IngestError(.untrusted, "Not said to be free.")
            }
        }
        #expect(asked != nil)
    }

    /// Completing may answer 200 and fail all the same.
    @Test(arguments: [
        "<?xml version=\"1.0\"?>\n<Error><Code>InternalError</Code></Error>",
        "   <Error><Code>InternalError</Code></Error>", "", "<?xml version=\"1.0\"?>\n  ", "<html>Welcome</html>",
        "<CompleteMultipartUploadResult><Key>k</Key>",
    ]) func anErrorInsideOfSuccessIsAnError(_ body: String) async throws {
        let server = try FaultServer { seen, _ in
            if seen.method == "PUT" { return .answer(200, headers: [("ETag", "\"1\"")]) }
            if seen.isListing { return .noKeys }
            if seen.method == "GET" { return .answer(501) }
            if seen.target.hasSuffix("?uploads=") { return .answer(200, body: "<R><UploadId>u/1</UploadId></R>") }
            return .answer(200, body: body)
        }
        defer { server.stop() }
        let sample = try SampleJob()
        let target = try Bucket.target(server.url + "/b", TestKeys()) { $0.multipartAbove = ByteCount(1) }
        let error = await Self.failure { () async throws(IngestError) in try await target.upload(sample.job()) }
        #expect(error?.code == .unavailable)
        #expect(server.seen.contains { $0.target.contains("uploadId=u%2F1") })
    }

    @Test(.enabled(if: Bucket.hasMoto, "moto_server is not installed: .ci/deps.sh peers"))
    func aBrokenUploadGoesOnWithThePartsThatAreThere() async throws {
        let bucket = try await Bucket.moto(), counter = PartCounter()
        let proxy = try FaultServer(upstream: bucket.port) { seen, _ in
            seen.method == "PUT" && counter.next() == 2 ? .reset(afterBody: 100_000) : .relay
        }
        defer { proxy.stop() }
        let sample = try SampleJob(count: 18 << 20)
        let target = try Bucket.target("\(proxy.url)/\(bucket.name)", nil) {
            ($0.multipartAbove, $0.partSize) = (ByteCount(5 << 20), ByteCount(5 << 20))
        }
        let error = await Self.failure { () async throws(IngestError) in
            try await target.upload(sample.job("CLIP.MOV"))
        }
        #expect(error?.code == .network)
        _ = try await target.upload(sample.job("CLIP.MOV"))
        let sent = proxy.seen.filter { $0.method == "PUT" }.compactMap {
            $0.target.split(separator: "=").dropFirst().first?.first
        }
        #expect(sent == ["1", "2", "3", "3", "4"])
        #expect(try await bucket.copies(sample.digests.sha256) == 1)
    }
}

extension FaultServer.Seen {
    var isListing: Bool { target.contains("list-type=2") }
}

extension FaultAct {
    /// An empty folder.
    static let noKeys = Self.answer(200, body: "<ListBucketResult></ListBucketResult>")
}

/// Keys that were changed where they are kept: whoever looks first finds that out.
private final class ChangedKeys: AWSKeySource {
    private let token = Mutex("old")

    func keys() async throws(IngestError) -> AWSKeys {
        let token = token.withLock(\.self)
        return AWSKeys(accessKey: "A", secretKey: SecretValue("secret"), sessionToken: SecretValue(token))
    }

    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest { request }

    func renew(after rejection: Rejection) async throws(IngestError) -> Bool {
        token.withLock { token in
            defer { token = "new" }
            return token == "old"
        }
    }
}

/// Lets requests wait for each other.
private final class Arrivals: Sendable {
    private let count = Atomic(0)

    /// Returns when so many are there; five seconds at most.
    func meet(_ number: Int) {
        count.add(1, ordering: .relaxed)
        for _ in 0..<500 where count.load(ordering: .relaxed) < number { usleep(10_000) }
    }
}
