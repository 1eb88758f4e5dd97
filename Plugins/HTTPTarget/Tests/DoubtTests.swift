import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization
import Testing

@testable import HTTPTarget

/// Servers whose answers must not be believed.
@Suite(.timeLimit(.minutes(5))) struct DoubtTests {
    /// The digest of the bytes that most of these servers have.
    private static let theirs = Hex.text(of: ByteDigest.sha256([1, 2, 3]))

    private static func form(
        _ server: FaultServer, _ find: [String: Option] = [:], absence: KnownAbsence? = nil
    ) throws -> HTTPTarget {
        let question = find.merging(["url": .text(server.url + "/by-digest/{sha256}")]) { $1 }
        return try make(["url": .text(server.url + "/assets"), "find": .map(question)], absence: absence)
    }

    private static func verification(_ target: HTTPTarget, _ job: UploadJob) async -> IngestError.Code? {
        await code { () async throws(IngestError) in
            try await target.verify(Receipt(state: .done), size: job.file.size, sha256: job.digests.sha256)
        }
    }

    @Test(arguments: [200, 404]) func aQuestionThatEndsAtASignInPageIsNotAnswered(_ status: Int) async throws {
        let server = try FaultServer { seen, _ in
            seen.target == "/login" ? .answer(status) : .answer(302, headers: [("Location", "/login")])
        }
        defer { server.stop() }
        let job = try JobFile([1, 2, 3]).job
        let target = try Self.form(server)
        #expect(await code { () async throws(IngestError) in try await target.find(job) } == .untrusted)
        #expect(await Self.verification(target, job) == .untrusted)
        #expect(await code { () async throws(IngestError) in try await target.check() } == .untrusted)
        let named = try make(["url": .text(server.url + "/dav/{name}")])
        #expect(
            await code { () async throws(IngestError) in try await named.occupancy(of: "a.jpg", for: job) }
                == .untrusted)
    }

    @Test func anAddressThatRepeatsTheDigestMayBeAnother() async throws {
        let job = try JobFile([1, 2, 3])
        let digest = job.sha256
        let server = try FaultServer { seen, _ in
            if seen.target == "/assets/7" { return .answer(200, body: #"{"id": 7, "sha256": "\#(digest)"}"#) }
            return seen.target.hasSuffix(digest) ? .answer(303, headers: [("Location", "/assets/7")]) : .answer(404)
        }
        defer { server.stop() }
        let target = try Self.form(server, ["method": .text("GET"), "digest": .map(["json": .text("sha256")])])
        let found = try await target.find(job.job)
        #expect(found?.id == "7" && found?.verified == .server)
    }

    @Test func aServerThatHasEverythingIsNotBelieved() async throws {
        let server = try FaultServer { _, _ in .answer(200) }
        defer { server.stop() }
        let job = try JobFile([1, 2, 3]).job
        let target = try Self.form(server)
        for _ in 0..<2 {
            #expect(await code { () async throws(IngestError) in try await target.find(job) } == .misconfigured)
        }
        #expect(await Self.verification(target, job) == .misconfigured)
        #expect(await code { () async throws(IngestError) in try await target.check() } == .misconfigured)
    }

    private static func pages(
        _ options: [String: Option], found: String? = nil, as type: String? = "text/html; charset=utf-8",
        body: [UInt8] = Array("<!doctype html><p>Welcome".utf8), coding: String? = nil, status: Int = 200
    ) async throws -> (Receipt?, IngestError.Code?) {
        let bytes: [UInt8] = [1, 2, 3], job = try JobFile(bytes), sent = Flag()
        let server = try FaultServer { seen, _ in
            if seen.method == "PUT" || seen.method == "POST" {
                sent.raise()
                let facts = [type.map { "Content-Type: \($0)\r\n" }, coding.map { "Content-Encoding: \($0)\r\n" }]
                    .compactMap(\.self)
                let head =
                    "HTTP/1.1 \(status) OK\r\n\(facts.joined())Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
                return .raw(Array(head.utf8) + body)
            }
            let isThere = sent.isRaised && found.map { seen.target.hasSuffix($0) } == true
            return isThere ? .answer(200, body: String(decoding: bytes, as: UTF8.self)) : .answer(404)
        }
        defer { server.stop() }
        let target = try make(options.mapValues { $0.replacing("BASE", with: server.url) }), given = job.job
        let result = await Result { () async throws(IngestError) in try await target.upload(given) }
        switch result {
        case .success(let receipt): return (receipt, nil)
        case .failure(let error): return (nil, error.code)
        }
    }

    /// A hotel's network answers everything with 200 and its own page.
    @Test func aPageIsNoDelivery() async throws {
        #expect(try await Self.pages(["url": .text("BASE/assets")]).1 == .misconfigured)
        #expect(try await Self.pages(["url": .text("BASE/dav/{name}")]).1 == .untrusted)
        #expect(
            try await Self.pages(["url": .text("BASE/assets"), "find": .map(["url": .text("BASE/of/{sha256}")])]).1
                == .untrusted)
        #expect(
            try await Self.pages(["url": .text("BASE/assets"), "believe_pages": .plain("true")]).0?.verified
                == Receipt.Proof.none)
        #expect(try await Self.pages(["url": .text("BASE/dav/{name}")], found: "/dav/IMG_1.JPG").0?.verified == .reread)
    }

    /// A sign-in page that says nothing true of itself.
    @Test(arguments: [nil, "text/plain", "application/octet-stream", "text/html"], ["PUT", "POST"])
    func aPageIsKnownWhateverItsTypeSays(_ type: String?, _ verb: String) async throws {
        let options = ["url": Option.text(verb == "PUT" ? "BASE/dav/{name}" : "BASE/assets")]
        let expected: IngestError.Code = verb == "PUT" ? .untrusted : .misconfigured
        let page = "\r\n<!-- a network's -->\n<HTML lang=\"en\"><head>"
        #expect(try await Self.pages(options, as: type, body: Array("\u{FEFF}\(page)".utf8)).1 == expected)
        #expect(
            try await Self.pages(options, as: type, body: [0xFF, 0xFE] + page.utf8.flatMap { [$0, 0] }).1 == expected)
    }

    @Test func aCompressedPageIsNoDeliveryEither() async throws {
        let options = ["url": Option.text("BASE/dav/{name}")], body: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        #expect(try await Self.pages(options, body: body, coding: "gzip").1 == .untrusted)
        #expect(try await Self.pages(options, as: nil, body: body, coding: "gzip").1 == .untrusted)
        #expect(try await Self.pages(options, as: "application/json", body: body, coding: "gzip").0 != nil)
    }

    @Test func whatServersSayToAnUploadIsBelieved() async throws {
        let options = ["url": Option.text("BASE/dav/{name}")]
        let created = Array(
            "<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML 2.0//EN\">\n<html><head>\n<title>201 Created</title>".utf8)
        #expect(try await Self.pages(options, body: created, status: 201).0 != nil)
        for (type, text) in [
            ("text/plain", "OK\n"), ("text/html", "OK"), ("text/html", #"{"id": 7}"#), ("text/html", ""),
        ] {
            #expect(try await Self.pages(options, as: type, body: Array(text.utf8)).0 != nil, "\(type) \(text)")
        }
    }

    private typealias Sent = (receipt: Receipt?, error: IngestError?, posts: Int)

    /// One upload to a server that sends on what is posted to `/assets`, and takes it elsewhere.
    private static func sentOn(
        _ status: Int, to location: String, then answer: Int = 201, stores: Bool = true,
        _ options: [String: Option] = [:]
    ) async throws -> Sent {
        let stored = Flag()
        let server = try FaultServer { seen, _ in
            if seen.method != "POST" {
                return .answer(stored.isRaised && seen.target.hasSuffix(theirs) ? 200 : 404)
            }
            if stores { stored.raise() }
            return seen.target == "/assets" ? .answer(status, headers: [("Location", location)]) : .answer(answer)
        }
        defer { server.stop() }
        let given = options.mapValues { $0.replacing("BASE", with: server.url) }
        let target = try make(given.merging(["url": .text(server.url + "/assets")]) { $1 })
        let file = try JobFile([1, 2, 3]), job = file.job
        let result = await Result { () async throws(IngestError) in try await target.upload(job) }
        let posts = server.seen.count { $0.method == "POST" }
        switch result {
        case .success(let receipt): return (receipt, nil, posts)
        case .failure(let error): return (nil, error, posts)
        }
    }

    /// Many sites send on to a page when they have taken a form: sent again, the file would be there twice.
    @Test(arguments: [(302, "/thanks"), (303, "/assets/7"), (307, "http://elsewhere.invalid/")])
    func whatIsRedirectedMayBeStored(_ status: Int, _ location: String) async throws {
        let blind = try await Self.sentOn(status, to: location), error = try #require(blind.error)
        #expect(error.code == .misconfigured && blind.posts == 1)
        #expect(error.message.contains(location.hasPrefix("/") ? location : "http://elsewhere.invalid"), "\(error)")
        #expect(error.advice?.contains("`filmgate retry` sends it again") == true)
        let find = ["find": Option.map(["url": .text("BASE/by/{sha256}")])]
        let found = try await Self.sentOn(status, to: location, find)
        #expect(found.receipt?.verified == .found && found.receipt?.existed == false && found.posts == 1)
        // Nothing can come twice: tried again by itself.
        let missing = try await Self.sentOn(status, to: location, stores: false, find)
        #expect(missing.error?.code == .untrusted && missing.posts == 1)
        let harmless = try await Self.sentOn(status, to: location, ["deduplicates": .plain("true")])
        #expect(harmless.error?.code == .untrusted)
    }

    /// The server behind it may be at it yet: a second form would make a second asset.
    @Test func whatAProxyGaveUpOnIsAskedForBeforeItIsSentAnew() async throws {
        let has = Mutex(false)
        let server = try FaultServer { seen, _ in
            if seen.method == "POST" { return .answer(504) }
            return .answer(has.withLock(\.self) && seen.target.hasSuffix(Self.theirs) ? 200 : 404)
        }
        defer { server.stop() }
        let job = try JobFile([1, 2, 3]), target = try Self.form(server)
        #expect(try await target.find(job.job) == nil)
        #expect(await code { () async throws(IngestError) in try await target.upload(job.job) } == .unavailable)
        for _ in 0..<3 {
            #expect(await code { () async throws(IngestError) in try await target.find(job.job) } == .unavailable)
        }
        has.withLock { $0 = true }
        #expect(try await target.find(job.job)?.verified == .found)
        // Once it is over, nothing there is nothing there.
        let tries = OwnTries(state: "/none", key: "k", patience: .milliseconds(1))
        tries.gaveUp(job.job)
        try await Task.sleep(for: .milliseconds(20))
        try tries.requireOver(job.job, at: "a")
    }

    /// A sign-in page never says that it made something of what came.
    @Test(arguments: [307, 308]) func whatAnotherAddressOfTheServerCreatedIsStored(_ status: Int) async throws {
        let created = try await Self.sentOn(status, to: "/v2/assets")
        #expect(created.receipt?.state == .done && created.posts == 2)
        for answer in [200, 204] {
            let vague = try await Self.sentOn(status, to: "/v2/assets", then: answer)
            #expect(vague.error?.code == .misconfigured && vague.posts == 2)
        }
    }

    /// Not with every file, and not once for ever either: what a server said an hour ago says nothing of who answers in
    /// its place now.
    @Test(arguments: [404, 400]) func anHonestServerIsAskedForNothingOnceInAMoment(_ refusal: Int) async throws {
        let server = try FaultServer { seen, _ in .answer(seen.target.hasSuffix(Self.theirs) ? 200 : refusal) }
        defer { server.stop() }
        let watch = StopWatch(), job = try JobFile([1, 2, 3]).job
        let target = try Self.form(server, absence: KnownAbsence(clock: { watch.now }))
        for _ in 0..<3 { #expect(try await target.find(job)?.verified == .found) }
        #expect(try await target.verify(Receipt(state: .done), size: 3, sha256: job.digests.sha256) == .equal)
        #expect(server.seen.count { !$0.target.hasSuffix(Self.theirs) } == 1 && server.seen.count == 5)
        watch.pass(KnownAbsence.moment)
        for _ in 0..<3 { #expect(try await target.find(job)?.verified == .found) }
        let forNothing = Set(server.seen.map(\.target).filter { !$0.hasSuffix(Self.theirs) })
        #expect(forNothing.count == 2, "Each time for other bytes: \(forNothing)")
        #expect(server.seen.count == 9)
    }

    /// The first file is there and the server honest; then a sign-in page or a catch-all answers for it.
    @Test(
        arguments: [[], [("Content-Type", "text/html")], [("Server", "portal")]] as [[(String, String)]],
        ["HEAD", "GET"]
    )
    func whoAnswersInItsPlaceLaterIsNotBelieved(_ headers: [(String, String)], _ method: String) async throws {
        let isReplaced = Flag()
        let server = try FaultServer { seen, _ in
            if isReplaced.isRaised { return .answer(200, headers: headers) }
            return .answer(seen.target.hasSuffix(Self.theirs) ? 200 : 404)
        }
        defer { server.stop() }
        let watch = StopWatch(), first = try JobFile([1, 2, 3]).job, second = try JobFile([4, 5, 6]).job
        let target = try Self.form(
            server, ["method": .text(method)], absence: KnownAbsence(clock: { watch.now }))
        #expect(try await target.find(first)?.verified == .found)
        isReplaced.raise()
        // Answers that look as before are believed a moment longer: nobody could tell them apart.
        if headers.isEmpty { watch.pass(KnownAbsence.moment) }
        for job in [second, first] {
            #expect(await code { () async throws(IngestError) in try await target.find(job) } == .misconfigured)
            #expect(await code { () async throws(IngestError) in try await target.knows(job) } == .misconfigured)
            #expect(await Self.verification(target, job) == .misconfigured)
        }
    }

    /// Its address may well answer with a page for bytes that it has not.
    @Test func aPageIsNoAnswerToAQuestionAboutBytes() async throws {
        let server = try FaultServer { seen, _ in
            guard seen.target.hasSuffix(Self.theirs) else { return .answer(404) }
            return .answer(200, headers: [("Content-Type", "text/html")], body: "<!doctype html><p>Welcome")
        }
        defer { server.stop() }
        let job = try JobFile([1, 2, 3]).job
        let target = try Self.form(server, ["method": .text("GET")])
        #expect(await code { () async throws(IngestError) in try await target.find(job) } == .untrusted)
        #expect(await Self.verification(target, job) == .untrusted)
        let named = try Self.form(
            server, ["method": .text("GET"), "digest": .map(["header": .text("X-Sha256")])])
        #expect(await code { () async throws(IngestError) in try await named.find(job) } == .untrusted)
    }

    @Test(arguments: [405, 501]) func whereHEADIsNotAllowedTheFirstByteIsAskedFor(_ refusal: Int) async throws {
        let server = try FaultServer { seen, _ in
            if seen.method == "HEAD" { return .answer(refusal) }
            if seen.target != "/dav/taken.jpg" { return .answer(404) }
            return .answer(206, headers: [("Content-Range", "bytes 0-0/99")], body: "x")
        }
        defer { server.stop() }
        let job = try JobFile([1, 2, 3]).job
        let target = try make(["url": .text(server.url + "/dav/{name}")])
        #expect(try await target.occupancy(of: "taken.jpg", for: job) == .other)
        #expect(try await target.occupancy(of: "new.jpg", for: job) == .free)
        #expect(server.seen.filter { $0.method == "GET" }.allSatisfy { $0[header: "Range"] == "bytes=0-0" })
    }

    @Test func theSameBytesAreKnownWithoutHEAD() async throws {
        let server = try FaultServer { seen, _ in seen.method == "HEAD" ? .answer(405) : .answer(200, body: "abc") }
        defer { server.stop() }
        let same = try JobFile(Array("abc".utf8)).job
        let other = try JobFile(Array("xyz".utf8)).job
        let target = try make(["url": .text(server.url + "/dav/{name}")])
        guard case .same(let receipt) = try await target.occupancy(of: "a.jpg", for: same) else {
            Issue.record("not known")
            return
        }
        #expect(receipt.verified == .reread)
        #expect(try await target.occupancy(of: "a.jpg", for: other) == .other)
    }

    private static func names(_ count: Int, _ target: HTTPTarget, _ job: UploadJob) async throws(IngestError) {
        for number in 0..<count { #expect(try await target.occupancy(of: "2026/\(number).jpg", for: job) == .other) }
    }

    private static func busy(_ server: FaultServer) throws -> HTTPTarget {
        try make([
            "url": .text(server.url + "/dav/{captured:yyyy}/{name}"), "digest": .map(["header": .text("X-Sha256")]),
        ])
    }

    @Test func aServerWhoseEveryNameIsTakenIsHeldAfterAFew() async throws {
        let server = try FaultServer { _, _ in .answer(200, headers: [("X-Sha256", JobFile.emptyDigest)]) }
        defer { server.stop() }
        let job = try JobFile([1, 2, 3]).job
        let target = try Self.busy(server)
        for _ in 0..<2 {
            #expect(
                await code { () async throws(IngestError) in try await Self.names(9999, target, job) } == .misconfigured
            )
        }
        #expect(server.seen.count < 30)
        #expect(server.seen.contains { $0.target.hasPrefix("/dav/2026/filmgate-") })
    }

    @Test func thousandsOfTakenNamesAreGoneThrough() async throws {
        let server = try FaultServer { seen, _ in
            seen.target.contains("filmgate-")
                ? .answer(404) : .answer(200, headers: [("X-Sha256", JobFile.emptyDigest)])
        }
        defer { server.stop() }
        let job = try JobFile([1, 2, 3]).job
        let target = try Self.busy(server)
        try await Self.names(2000, target, job)
        #expect(server.seen.count < 2010)
    }
}
