import FilmgateCore
import FilmgateTesting
import HTTPKit
import Logging
import Synchronization
import Testing

@testable import ConvexTarget

/// Verified against a double of a deployment, by its documented interface.
@Suite(.timeLimit(.minutes(5))) struct ConvexTargetTests {
    static func target(
        _ url: String, absence: KnownAbsence = KnownAbsence(), _ edit: (inout ConvexOptions) -> Void = { _ in }
    ) throws -> ConvexTarget {
        var options = ConvexOptions()
        (options.url, options.commit) = (try #require(AddressTemplate(url)), "files:save")
        options.web.auth = try AuthReference(node: ConfigNode(.scalar("me", quoted: true)))
        edit(&options)
        let lookup = Lookup(auth: ["me": CanaryAuth(CanarySecrets())])
        return try ConvexTarget(
            options, ModuleContext(name: "c", logger: Logger(label: "test"), state: Temporary.folder, lookup: lookup),
            absence: absence)
    }

    /// Answers by path: the functions' names are in the bodies, which are not read before the answer.
    static func deployment(commit: String, query: String = "null", forNobodys: String = "null") throws -> FaultServer {
        let address = Mutex(""), calls = Mutex(0), theirs = Mutex<String?>(nil)
        let server = try FaultServer { seen, _ in
            if seen.target.hasPrefix("/api/storage/upload") { return .answer(200, body: #"{"storageId":"kg2abc"}"#) }
            if seen.target == "/api/query" {
                return .compute { seen in
                    // The first bytes that it is asked for are those that it has.
                    let asked = JSONValue(seen.body)?.at("args.sha256")?.text
                    let isNobodys = theirs.withLock { theirs in
                        theirs = theirs ?? asked
                        return theirs != asked
                    }
                    return .answer(200, body: #"{"status":"success","value":\#(isNobodys ? forNobodys : query)}"#)
                }
            }
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            if number % 2 == 0 { return .answer(200, body: commit) }
            return .answer(
                200, body: #"{"status":"success","value":"\#(address.withLock { $0 })/api/storage/upload?token=t0k3n"}"#
            )
        }
        address.withLock { $0 = server.url }
        return server
    }

    @Test func addressBytesCommit() async throws {
        let server = try Self.deployment(commit: #"{"status":"success","value":"doc1"}"#)
        defer { server.stop() }
        let sample = try SampleJob(), receipt = try await Self.target(server.url).upload(sample.job())
        #expect(receipt.id == "doc1" && receipt.verified == .server)
        #expect(server.seen.map(\.target) == ["/api/mutation", "/api/storage/upload?token=t0k3n", "/api/mutation"])
        #expect(
            server.seen[1][header: "Authorization"] == nil
                && server.seen[1][header: "Digest"]?.hasPrefix("sha-256=") == true)
        let last = String(decoding: server.seen[2].body, as: UTF8.self)
        #expect(
            last.contains(#""storageId":"kg2abc""#) && last.contains(sample.digests.sha256)
                && last.contains("files:save"))
    }

    @Test func anAppMayDoItByActions() async throws {
        let server = try Self.deployment(commit: #"{"status":"success","value":"doc1"}"#)
        defer { server.stop() }
        let sample = try SampleJob()
        _ = try await Self.target(server.url) { ($0.generateBy, $0.commitBy) = (.action, .action) }.upload(sample.job())
        #expect(server.seen.map(\.target) == ["/api/action", "/api/storage/upload?token=t0k3n", "/api/action"])
    }

    private static let exists = #"{"status":"error","errorMessage":"Uncaught Error: IMG_0001.JPG already exists"}"#

    static func code<Value>(_ body: () async throws(IngestError) -> Value) async -> IngestError.Code? {
        do throws(IngestError) {
            _ = try await body()
            return nil
        } catch { return error.code }
    }

    @Test func whatExistsAlreadyIsSuccessWhereTheQueryKnowsTheseBytes() async throws {
        let server = try Self.deployment(commit: Self.exists, query: "\"doc1\"")
        defer { server.stop() }
        let sample = try SampleJob(), target = try Self.target(server.url) { $0.find = "files:bySha256" }
        let receipt = try await target.upload(sample.job())
        #expect(receipt.existed && receipt.id == "doc1" && receipt.verified == .found)
    }

    /// In production the message is only "Server Error": what the app meant is in the data of its error.
    @Test(arguments: [#""File already exists""#, #"{"code":"EXISTS","message":"It already exists"}"#])
    func whatTheAppMeansIsReadInProductionToo(_ data: String) async throws {
        let failure = #"{"status":"error","errorMessage":"[Request ID: 1f] Server Error","errorData":\#(data)}"#
        let server = try Self.deployment(commit: failure, query: "\"doc1\"")
        defer { server.stop() }
        let sample = try SampleJob(), target = try Self.target(server.url) { $0.find = "files:bySha256" }
        #expect(try await target.upload(sample.job()).id == "doc1")
        let blind = try Self.deployment(commit: failure)
        defer { blind.stop() }
        let poor = try Self.target(blind.url)
        do throws(IngestError) {
            _ = try await poor.upload(sample.job())
            Issue.record("It was taken.")
        } catch {
            #expect(error.message.contains("already exists") && error.advice?.contains("find") == true, "\(error)")
        }
    }

    /// It may be a name that exists, with other bytes.
    @Test(arguments: ["", "files:bySha256"]) func thatSomethingExistsIsNoProof(_ find: String) async throws {
        let server = try Self.deployment(commit: Self.exists)
        defer { server.stop() }
        let sample = try SampleJob(), target = try Self.target(server.url) { $0.find = find }
        #expect(await Self.code { () async throws(IngestError) in try await target.upload(sample.job()) } == .rejected)
    }

    @Test func theAppsWordThatItHasItIsNoProofWithoutAQuery() async throws {
        let server = try Self.deployment(commit: #"{"status":"success","value":{"_id":"doc1","alreadyExists":true}}"#)
        defer { server.stop() }
        let sample = try SampleJob(), receipt = try await Self.target(server.url).upload(sample.job())
        #expect(receipt.existed && receipt.verified == .none)
    }

    @Test(arguments: ["null", "false", "\"\"", "[]"]) func aQueryMaySayNoInSeveralWays(_ no: String) async throws {
        let server = try Self.deployment(commit: "{}", query: no)
        defer { server.stop() }
        let sample = try SampleJob(), target = try Self.target(server.url) { $0.find = "files:bySha256" }
        #expect(try await target.find(sample.job()) == nil)
        #expect(try await target.knows(sample.job()) == false)
        #expect(try await Self.target(server.url).knows(sample.job()) == nil)
    }

    @Test(arguments: [("true", "null"), ("0", "null"), ("{}", "null"), ("\"doc1\"", "\"doc1\"")])
    func whatAQueryMeansMustBePlain(_ yes: String, _ forNobodys: String) async throws {
        let server = try Self.deployment(commit: "{}", query: yes, forNobodys: forNobodys)
        defer { server.stop() }
        let sample = try SampleJob(), target = try Self.target(server.url) { $0.find = "files:bySha256" }
        for _ in 0..<2 {
            #expect(
                await Self.code { () async throws(IngestError) in try await target.find(sample.job()) }
                    == .misconfigured)
        }
    }

    private static let digestOfABC = Hex.text(of: ByteDigest.sha256(Array("abc".utf8)))

    /// What it did not know a while ago says nothing of what it says now.
    @Test func aQueryThatFindsEverythingLaterIsNotBelieved() async throws {
        let time = Mutex(ContinuousClock.now), isReplaced = Mutex(false)
        let server = try FaultServer { _, _ in
            .compute { seen in
                let isTheirs = String(decoding: seen.body, as: UTF8.self).contains(Self.digestOfABC)
                let isFound = isTheirs || isReplaced.withLock(\.self)
                return .answer(200, body: #"{"status":"success","value":\#(isFound ? "\"doc1\"" : "null")}"#)
            }
        }
        defer { server.stop() }
        let target = try Self.target(server.url, absence: KnownAbsence(clock: { time.withLock(\.self) })) {
            $0.find = "files:bySha256"
        }
        let theirs = try SampleJob(bytes: Array("abc".utf8)), other = try SampleJob(bytes: [9])
        for _ in 0..<3 { #expect(try await target.find(theirs.job())?.id == "doc1") }
        #expect(server.seen.count == 4)
        isReplaced.withLock { $0 = true }
        time.withLock { $0 += KnownAbsence.moment }
        #expect(
            await Self.code { () async throws(IngestError) in try await target.find(other.job()) } == .misconfigured)
        #expect(
            await Self.code { () async throws(IngestError) in try await target.knows(other.job()) } == .misconfigured)
    }

    @Test func theAppsOwnRefusalIsItsWords() async throws {
        let server = try Self.deployment(commit: #"{"status":"error","errorMessage":"Not your album"}"#)
        defer { server.stop() }
        let sample = try SampleJob(), target = try Self.target(server.url)
        do throws(IngestError) {
            _ = try await target.upload(sample.job())
            Issue.record("It was taken.")
        } catch { #expect(error.code == .rejected && error.message.contains("Not your album")) }
    }

    @Test func aQuerySaysWhatIsThere() async throws {
        let server = try Self.deployment(commit: "{}", query: "\"doc1\"")
        defer { server.stop() }
        let sample = try SampleJob(), target = try Self.target(server.url) { $0.find = "files:bySha256" }
        #expect(try await target.find(sample.job())?.id == "doc1")
    }
}
