import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization
import Testing

@testable import HTTPTarget

/// Servers that take files and let nobody look at what they have.
@Suite(.timeLimit(.minutes(5))) struct UnseenTests {
    /// Keeps what it is sent under its name; replaces unless it knows If-None-Match.
    private final class WriteOnlyServer: Sendable {
        let files = Mutex<[String: [UInt8]]>([:])
        private let refusal: Int, keepsIfNoneMatch: Bool, tells: Bool

        init(refusal: Int = 403, keepsIfNoneMatch: Bool = false, tells: Bool = false, _ first: [String: [UInt8]] = [:])
        {
            (self.refusal, self.keepsIfNoneMatch, self.tells) = (refusal, keepsIfNoneMatch, tells)
            files.withLock { $0 = first }
        }

        func answer(_ seen: FaultServer.Seen) -> FaultAct {
            files.withLock { files in
                switch seen.method {
                case "PUT":
                    if keepsIfNoneMatch, seen[header: "If-None-Match"] == "*", files[seen.target] != nil {
                        return .answer(412)
                    }
                    files[seen.target] = seen.body
                    return .answer(201)
                case "PROPFIND" where tells:
                    guard let file = files[seen.target] else { return .answer(404) }
                    let size = "<d:getcontentlength>\(file.count)</d:getcontentlength>"
                    let one = "<d:response><d:href>\(seen.target)</d:href>\(size)</d:response>"
                    return .answer(
                        207, body: "<?xml version=\"1.0\"?><d:multistatus xmlns:d=\"DAV:\">\(one)</d:multistatus>")
                default: return .answer(refusal)
                }
            }
        }
    }

    private func served(_ box: WriteOnlyServer, _ body: (String) async throws -> Void) async throws {
        let server = try FaultServer { _, _ in .compute { box.answer($0) } }
        defer { server.stop() }
        try await body(server.url)
    }

    @Test(arguments: [403, 405]) func nothingIsSentWhereNobodyCanSeeWhatItWouldReplaceIfSoWished(
        _ refusal: Int
    ) async throws {
        let box = WriteOnlyServer(refusal: refusal, ["/in/a.jpg": [9]])
        let job = try JobFile([1, 2, 3], path: "a.jpg").job
        try await served(box) { url in
            let target = try make(["url": .text(url + "/in/{name}"), "unseen": .text("hold")])
            #expect(
                await code { () async throws(IngestError) in try await target.occupancy(of: "a.jpg", for: job) }
                    == .misconfigured)
            #expect(await code { () async throws(IngestError) in try await target.find(job) } == .misconfigured)
        }
        #expect(box.files.withLock { $0 } == ["/in/a.jpg": [9]])
    }

    @Test func elseTheServerIsTrusted() async throws {
        let box = WriteOnlyServer(), file = try JobFile([1, 2, 3], path: "a.jpg"), job = file.job
        try await served(box) { url in
            let target = try make(["url": .text(url + "/in/{name}")])
            #expect(try await target.occupancy(of: "a.jpg", for: job) == .free)
            #expect(try await target.find(job) == nil)
            #expect(try await target.upload(job).verified == .none)
        }
    }

    @Test func aServerThatSpeaksWebDAVTellsWhatItDoesNotShow() async throws {
        let box = WriteOnlyServer(tells: true, ["/in/a.jpg": [9], "/in/b.jpg": [7, 8, 9]])
        let file = try JobFile([1, 2, 3], path: "b.jpg")
        try await served(box) { url in
            let target = try make(["url": .text(url + "/in/{name}")])
            #expect(try await target.occupancy(of: "a.jpg", for: file.job) == .other)
            #expect(try await target.occupancy(of: "b.jpg", for: file.job) == .other)
            #expect(try await target.occupancy(of: "c.jpg", for: file.job) == .free)
            // Of the same size: perhaps it is ours, from a try whose answer was lost.
            #expect(await code { () async throws(IngestError) in try await target.find(file.job) } == .rejected)
        }
        #expect(box.files.withLock { $0.count } == 2)
    }

    /// The first answer was lost: under another name the picture would be there twice.
    @Test func whatMayBeOursIsNotSentUnderAnotherName() async throws {
        let box = WriteOnlyServer(keepsIfNoneMatch: true), file = try JobFile([1, 2, 3], path: "a.jpg"), job = file.job
        try await served(box) { url in
            let target = try make(["url": .text(url + "/in/{name}")])
            _ = try await target.upload(job)
            #expect(await code { () async throws(IngestError) in try await target.upload(job) } == .rejected)
            let named = try make(["url": .text(url + "/in/{sha256}.{ext}")])
            _ = try await named.upload(job)
            #expect(try await named.upload(job).existed)
        }
    }
}
