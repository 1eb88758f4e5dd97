import FilmgateCore
import FilmgateTesting
import Synchronization
import Testing

@testable import S3Target

/// A service that lets If-None-Match go by without a word: the last PUT wins.
private final class HeedlessServer: Sendable {
    private let keys = Mutex<[String: SampleJob]>([:])
    private let server = Mutex<FaultServer?>(nil)

    init(_ sample: SampleJob) throws {
        let server = try FaultServer { [self] seen, _ in
            let key = String(seen.target.dropFirst("/b/".count))
            if seen.isListing {
                let names = keys.withLock { $0.keys.map { "<Contents><Key>\($0)</Key></Contents>" }.joined() }
                return .answer(200, body: "<ListBucketResult>\(names)</ListBucketResult>")
            }
            if seen.method == "PUT" {
                put(sample, at: key)
                return .answer(200, headers: [("ETag", "\"x\"")])
            }
            guard let held = self[key] else { return .answer(404) }
            let facts = [
                ("ETag", "\"x\""), ("Content-Length", String(held.size)),
                ("x-amz-checksum-sha256", JobDigest.base64(held.digests.sha256)),
            ]
            return .answer(200, headers: facts)
        }
        self.server.withLock { $0 = server }
    }

    func put(_ sample: SampleJob, at key: String) { keys.withLock { $0[key] = sample } }
    subscript(key: String) -> SampleJob? { keys.withLock { $0[key] } }
    var url: String { server.withLock { $0?.url ?? "" } }
    func stop() { server.withLock { $0?.stop() } }
    func asked(_ method: String) -> Int { server.withLock { $0?.seen.count { $0.method == method } ?? 0 } }
}

@Suite(.timeLimit(.minutes(2))) struct HeedlessServerTests {
    /// Another photographer's frame of the same name comes after the folder was listed.
    @Test func whatCameAfterTheListingIsNotReplaced() async throws {
        let ours = try SampleJob(), theirs = try SampleJob(), server = try HeedlessServer(ours)
        defer { server.stop() }
        let target = try Bucket.target(server.url + "/b", TestKeys())
        for name in ["1.JPG", "2.JPG", "3.JPG"] {
            #expect(try await target.occupancy(of: name, for: ours.job(name)) == .free)
        }
        server.put(theirs, at: "1.JPG")
        server.put(ours, at: "2.JPG")
        try await Task.sleep(for: .seconds(3.2))
        let error = await S3TargetTests.failure { () async throws(IngestError) in
            _ = try await target.upload(ours.job("1.JPG"))
        }
        #expect(error?.code == .nameTaken)
        #expect(server["1.JPG"] === theirs)
        #expect(try await target.upload(ours.job("2.JPG")).existed)
        #expect(try await !target.upload(ours.job("3.JPG")).existed)
        #expect(server.asked("PUT") == 1)
    }

    /// Services differ in how they write keys: one that is read as another would count as free.
    @Test(arguments: [
        ("a+b.JPG", "", "a+b.JPG"), ("a+b.JPG", "url", "a b.JPG"), ("Bl%E5.JPG", "url", "Bl\u{10FFE5}.JPG"),
    ])
    func aKeyIsReadInEachWayThatItMayBeMeant(_ key: String, _ encoding: String, _ name: String) async throws {
        let server = try FaultServer { seen, _ in
            .answer(
                200,
                body:
                    "<ListBucketResult><EncodingType>\(encoding)</EncodingType><Contents><Key>\(key)</Key></Contents></ListBucketResult>"
            )
        }
        defer { server.stop() }
        #expect(try await Bucket.target(server.url + "/b", TestKeys()).client.names(in: "")?.contains(name) == true)
    }

    @Test func aKeyThatNobodyCanReadMakesTheListNone() async throws {
        let server = try FaultServer { _, _ in
            .answer(200, body: "<ListBucketResult><Contents><Key>Bl\u{FFFD}.JPG</Key></Contents></ListBucketResult>")
        }
        defer { server.stop() }
        #expect(try await Bucket.target(server.url + "/b", TestKeys()).client.names(in: "") == nil)
    }

    @Test func whatIsFreshlyListedCostsNoQuestionOfItsOwn() async throws {
        let sample = try SampleJob(), server = try HeedlessServer(sample)
        defer { server.stop() }
        let target = try Bucket.target(server.url + "/b", TestKeys())
        for number in 0..<5 {
            #expect(try await target.occupancy(of: "\(number).JPG", for: sample.job("\(number).JPG")) == .free)
            _ = try await target.upload(sample.job("\(number).JPG"))
        }
        #expect(server.asked("PUT") == 5 && server.asked("HEAD") == 0)
        #expect(server.asked("GET") <= 3)
    }
}
