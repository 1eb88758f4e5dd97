import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization
import Testing

@testable import HTTPTarget

/// Refusals that are about the place, not about the one file.
@Suite(.timeLimit(.minutes(2))) struct RefusalTests {
    private static func target(_ server: FaultServer) throws -> HTTPTarget {
        try make(["url": .text(server.url + "/dav/{event}/{name}")])
    }

    private static func uploads(_ target: HTTPTarget, _ names: String...) async throws -> [IngestError.Code?] {
        var codes: [IngestError.Code?] = []
        for name in names {
            let job = try JobFile([1, 2, 3], path: name)
            codes.append(await code { () async throws(IngestError) in try await target.upload(job.job) })
        }
        return codes
    }

    /// mod_dav says so where the folder is missing (RFC 4918 §9.7.1): no other name helps, and each would be sent
    /// whole.
    @Test func aFolderThatIsMissingHoldsTheTargetAtTheFirstFile() async throws {
        let server = try FaultServer { seen, _ in .answer(seen.method == "PUT" ? 409 : 404) }
        defer { server.stop() }
        let target = try Self.target(server), file = try JobFile([1, 2, 3], path: "e/a.jpg")
        do throws(IngestError) {
            _ = try await target.upload(file.job)
            Issue.record("It was taken for stored.")
        } catch {
            #expect(error.code == .untrusted && error.advice?.contains("folder may be missing") == true, "\(error)")
        }
        #expect(server.seen.count { $0.method == "PUT" } == 1)
    }

    /// Also where the gallery is asked by digest, and has these bytes nowhere.
    @Test func aFolderThatIsMissingHoldsATargetThatIsAsked() async throws {
        let server = try FaultServer { seen, _ in .answer(seen.method == "PUT" ? 409 : 404) }
        defer { server.stop() }
        let target = try make([
            "url": .text(server.url + "/dav/{event}/{name}"),
            "find": .map(["url": .text(server.url + "/by-digest/{sha256}")]),
        ])
        #expect(try await Self.uploads(target, "e/a.jpg") == [.untrusted])
        #expect(server.seen.count { $0.method == "PUT" } == 1)
    }

    /// A file that nobody is shown may have the name: another one is tried, and then no further ones.
    @Test func aNameThatIsTakenUnseenIsTriedOnceUnderAnother() async throws {
        let server = try FaultServer { seen, _ in .answer(seen.method == "PUT" ? 412 : 404) }
        defer { server.stop() }
        #expect(
            try await Self.uploads(Self.target(server), "e/a.jpg", "e/a-2.jpg", "e/b.jpg") == [
                .nameTaken, .untrusted, .untrusted,
            ])
    }

    @Test func whereSomethingWasTakenTheNameIsToBlame() async throws {
        let server = try FaultServer { seen, _ in
            .answer(seen.method != "PUT" ? 404 : seen.target.hasSuffix("/a.jpg") ? 409 : 201)
        }
        defer { server.stop() }
        #expect(
            try await Self.uploads(Self.target(server), "e/b.jpg", "e/a.jpg", "e/c.jpg", "e/a.jpg") == [
                nil, .nameTaken, nil, .nameTaken,
            ])
    }

    /// A wrong path concerns every file of the card; one name that the server does not like concerns that one.
    @Test(arguments: [404, 410]) func anAddressThatIsNotKnownHoldsTheTarget(_ status: Int) async throws {
        let server = try FaultServer { seen, _ in
            .answer(seen.method != "PUT" ? 404 : seen.target.hasSuffix("/ok.jpg") ? 201 : status)
        }
        defer { server.stop() }
        let target = try Self.target(server)
        #expect(
            try await Self.uploads(target, "e/a.jpg", "e/b.jpg", "e/ok.jpg", "e/a.jpg") == [
                .untrusted, .untrusted, nil, .rejected,
            ])
    }

    /// Some servers keep what arrived of an upload that broke off, under its name: it is finished, also by the next
    /// process, and nothing is sent beside it.
    @Test(arguments: ["this run", "the run before", "another station"])
    func whatBrokeOffIsFinished(_ sender: String) async throws {
        let held = Mutex<String?>(nil), state = Temporary.ownFolder, isOurs = sender != "another station"
        let server = try FaultServer { _, _ in
            .compute { seen in
                held.withLock { held in
                    guard seen.method == "PUT" else { return held.map { .answer(200, body: $0) } ?? .answer(404) }
                    if held != nil, seen[header: "If-None-Match"] != nil { return .answer(412) }
                    defer { held = held == nil ? "ab" : String(decoding: seen.body, as: UTF8.self) }
                    return .answer(held == nil ? 503 : 204)
                }
            }
        }
        defer { server.stop() }
        let options = ["url": Option.text(server.url + "/dav/{event}/{name}")]
        let first = try make(options, state: state), later = try make(options, state: isOurs ? state : nil)
        let file = try JobFile(Array("abc".utf8), path: "e/a.jpg"), job = file.job
        let second = sender == "this run" ? first : later
        let tries = [
            await code { () async throws(IngestError) in try await first.upload(job) },
            await code { () async throws(IngestError) in try await second.upload(job) },
        ]
        let expected: [IngestError.Code?] = [.unavailable, isOurs ? nil : .nameTaken]
        #expect(tries == expected)
        #expect(held.withLock(\.self) == (isOurs ? "abc" : "ab"))
    }

    /// nginx knows no If-None-Match: what came under the name since it was chosen is seen before it is replaced, also
    /// where bytes are asked for by their digest.
    @Test(arguments: [true, false]) func whatCameUnderTheNameIsNotReplaced(_ isAsked: Bool) async throws {
        let held = Mutex("FOREIGN")
        let server = try FaultServer { _, _ in
            .compute { seen in
                held.withLock { held in
                    if seen.target.hasPrefix("/by-digest/") { return .answer(404) }
                    guard seen.method == "PUT" else { return .answer(200, body: held) }
                    held = String(decoding: seen.body, as: UTF8.self)
                    return .answer(204)
                }
            }
        }
        defer { server.stop() }
        let question = ["find": Option.map(["url": .text(server.url + "/by-digest/{sha256}")])]
        let target = try make(
            ["url": Option.text(server.url + "/dav/{name}")].merging(isAsked ? question : [:]) { $1 })
        let file = try JobFile([1, 2, 3], path: "a.jpg"), job = file.job
        #expect(try await target.find(job) == nil)
        #expect(await code { () async throws(IngestError) in try await target.upload(job) } == .nameTaken)
        #expect(held.withLock(\.self) == "FOREIGN" && !server.seen.contains { $0.method == "PUT" })
        // The same bytes are no reason for another name.
        held.withLock { $0 = "\u{1}\u{2}\u{3}" }
        #expect(try await target.upload(job).existed)
        #expect(!server.seen.contains { $0.method == "PUT" })
    }

    /// HEAD says of everything, or of nothing, that it is there; GET tells the truth.
    @Test(arguments: [200, 404]) func whereHEADAndGETDifferGETIsBelieved(_ head: Int) async throws {
        let server = try FaultServer { seen, _ in
            if seen.method == "HEAD" { return .answer(head) }
            guard seen.target.hasSuffix("/there.jpg") else { return .answer(404) }
            return seen[header: "Range"] == nil
                ? .answer(200, body: "FOREIGN") : .answer(206, headers: [("Content-Range", "bytes 0-0/7")], body: "F")
        }
        defer { server.stop() }
        let target = try Self.target(server), job = try JobFile([1, 2, 3])
        for _ in 0..<2 {
            #expect(try await target.occupancy(of: "e/there.jpg", for: job.job) == .other)
            #expect(try await target.occupancy(of: "e/free.jpg", for: job.job) == .free)
        }
        #expect(server.seen.count { $0.method == "HEAD" } <= 2)
    }

    /// libcurl sends a file anew by itself where a kept connection ends.
    ///
    /// A server whose threads come late would cut the second with the first. Where nobody may look, another try could
    /// leave it there twice.
    @Test(arguments: [true, false]) func whatWasSentAnewUnaskedIsLookedAtFirst(_ isShown: Bool) async throws {
        let bytes = [UInt8](repeating: 7, count: 12_000_000), stored = Flag(), broken = Flag()
        let server = try FaultServer { seen, _ in
            guard seen.method == "PUT" else {
                if !isShown { return .answer(403) }
                return .compute { _ in
                    stored.isRaised ? .answer(200, body: String(decoding: bytes, as: UTF8.self)) : .answer(404)
                }
            }
            if broken.isRaised {
                stored.raise()
                return .answer(201)
            }
            broken.raise()
            return .reset(afterBody: 100_000)
        }
        defer { server.stop() }
        let target = try make(["url": .text(server.url + "/dav/{name}")]), file = try JobFile(bytes, path: "a.jpg")
        // The connection that this leaves is the one that ends.
        _ = try await target.occupancy(of: "a.jpg", for: file.job)
        #expect(try await target.find(file.job) == nil)
        let first = await code { () async throws(IngestError) in try await target.upload(file.job) }
        #expect(first == (isShown ? .network : nil))
        #expect(server.seen.count { $0.method == "PUT" } == 2)
        if isShown { #expect(try await target.find(file.job) != nil) }
    }
}
