import FilmgateCore
import FilmgateTesting
import Testing

@testable import HTTPTarget

@Suite(.timeLimit(.minutes(5))) struct HTTPTargetTests {
    @Test func putsTheFileUnderTheNameThatTheEngineChose() async throws {
        let server = try FaultServer { seen, _ in
            guard seen.method == "PUT" else { return .answer(404) }
            return .answer(
                201, headers: [("Location", "/files/77")], body: #"{"id": 77, "sha256": "\#(JobFile.emptyDigest)"}"#)
        }
        defer { server.stop() }
        let job = try JobFile([1, 2, 3], path: "2026-05-01/a b-2.jpg")
        let target = try make([
            "url": .text(server.url + "/dav/{captured:yyyy-MM-dd}/{name}"),
            "headers": .map(["X-Sha": .text("{sha256}")]),
        ])
        let receipt = try await target.upload(job.job)
        let seen = try #require(server.seen.first { $0.method == "PUT" })
        #expect(seen.target == "/dav/2026-05-01/a%20b-2.jpg")
        #expect(
            seen[header: "X-Sha"] == job.sha256 && seen[header: "If-None-Match"] == "*"
                && seen[header: "Content-Type"] == "image/jpeg")
        #expect(seen.body == [1, 2, 3])
        #expect(
            receipt.id == "77" && receipt.url == server.url + "/files/77" && receipt.verified == .none
                && receipt.sha256 == job.sha256)
        #expect(target.traits.layout?.source == "{captured:yyyy-MM-dd}/{name}")
    }

    @Test func aNameThatWasFreeAMomentAgoIsAskedForOnce() async throws {
        let server = try FaultServer { seen, _ in seen.method == "HEAD" ? .answer(404) : .answer(201) }
        defer { server.stop() }
        let job = try JobFile([1, 2, 3], path: "a.jpg"), target = try make(["url": .text(server.url + "/dav/{name}")])
        #expect(try await target.occupancy(of: "a.jpg", for: job.job) == .free)
        #expect(try await target.find(job.job) == nil)
        _ = try await target.upload(job.job)
        // The first no of HEAD is compared with what GET says.
        #expect(server.seen.map(\.method) == ["HEAD", "GET", "PUT"])
        // After an upload whose answer was lost it is asked again.
        #expect(try await target.find(job.job) == nil)
        #expect(server.seen.count { $0.method == "HEAD" } == 2)
        // Where nothing forbids overwriting, each look counts.
        let careless = try make(["url": .text(server.url + "/dav/{name}"), "if_none_match": .plain("false")])
        #expect(try await careless.occupancy(of: "a.jpg", for: job.job) == .free)
        #expect(try await careless.find(job.job) == nil)
        #expect(server.seen.count { $0.method == "HEAD" } == 4)
    }

    /// Without an address nobody could ask later whether it is still there.
    @Test func whereNothingElseIsSaidAFileIsWhereItWasPut() async throws {
        let isShown = Flag()
        let server = try FaultServer { seen, _ in
            if seen.method != "GET" && seen.method != "HEAD" { return .answer(201) }
            return isShown.isRaised ? .answer(200, body: "abc") : .answer(404)
        }
        defer { server.stop() }
        let file = try JobFile(Array("abc".utf8), path: "a b.jpg"), other = String(repeating: "1", count: 64)
        let receipt = try await make(["url": .text(server.url + "/dav/{name}")]).upload(file.job)
        #expect(receipt.url == server.url + "/dav/a%20b.jpg" && receipt.verified == .none)
        // What the query holds is kept out of receipts, and sent along when the file is asked for.
        let keyed = try make(["url": .text(server.url + "/dav/{name}?key=s3cret")])
        #expect(try await keyed.upload(file.job).url == receipt.url)
        // Without the event's album the server would not find it.
        #expect(try await make(["url": .text(server.url + "/dav/{name}?album={event}")]).upload(file.job).url == nil)
        // Where a POST goes is not where the file is.
        #expect(
            try await make(["url": .text(server.url + "/up/{name}"), "method": .text("POST")]).upload(file.job).url
                == nil)
        isShown.raise()
        #expect(try await keyed.verify(receipt, size: 3, sha256: file.sha256) == .equal)
        #expect(server.seen.last?.target == "/dav/a%20b.jpg?key=s3cret")
        #expect(try await keyed.verify(receipt, size: 3, sha256: other) != .equal)
    }

    /// Where a service says that a file is may be a page about it, which is no other file; anything else there is what
    /// it has of it.
    @Test(arguments: [
        ("/p/7", "text/html; charset=utf-8", "abcd", true), ("/p/7", "application/json", "{}", true),
        ("/p/7", "application/problem+json", "{}", true), ("/p/7", "text/plain", "Gone", true),
        ("/p/7", "application/xml", "<a/>", true), ("/p/7", "", "<!doctype html><p>Your picture", true),
        ("/p/7", "image/jpeg", "<html>Your picture", true), ("/p/1.xmp", "text/html", "abcd", true),
        ("/p/1.xmp", "application/json", "{}", true), ("/p/1.xmp", "text/xml", "<a/>", false),
        ("/p/7", "image/jpeg", "ab", false), ("/p/7", "", "abcd", false),
        ("/p/7", "application/octet-stream", "ab", false),
    ]) func otherBytesAtAServicesAddressAreOthersUnlessTheyAreAPage(
        _ path: String, _ type: String, _ body: String, _ isPage: Bool
    ) async throws {
        let headers = type.isEmpty ? [] : [("Content-Type", type)]
        let server = try FaultServer { _, _ in .answer(200, headers: headers, body: body) }
        defer { server.stop() }
        let receipt = Receipt(state: .done, url: server.url + path), digest = String(repeating: "1", count: 64)
        let service = try make(["url": .text(server.url + "/assets"), "method": .text("POST")])
        let said = try await service.verify(receipt, size: 3, sha256: digest)
        if case .differs = said { #expect(!isPage) } else { #expect(isPage && said == .cannotTell) }
        // Where files are PUT stands the file itself, however the address is spelled.
        let put = try make(["url": .text("HTTP" + server.url.dropFirst(4) + "/p/{name}")])
        let there = try await put.verify(receipt, size: 3, sha256: digest)
        guard case .differs = there else { return #expect(Bool(false), "\(there)") }
    }

    /// Asked for something that it was not given, a server would say no to another question.
    @Test func whetherBytesAreThereIsAskedOnlyWhereAllOfTheAddressIsKnown() async throws {
        let server = try FaultServer { _, _ in .answer(404) }
        defer { server.stop() }
        let file = try JobFile([1, 2, 3])
        func target(_ find: [String: Option]) throws -> HTTPTarget {
            try make(["url": .text(server.url + "/up"), "method": .text("POST"), "find": .map(find)])
        }
        #expect(try await target(["url": .text(server.url + "/by/{sha256}")]).knows(file.job) == false)
        for gap in ["/{event}/{sha256}", "/by/{sha1}"] {
            let gapped = try target(["url": .text(server.url + gap)])
            #expect(try await gapped.knows(file.job) == nil)
            #expect(try await gapped.verify(Receipt(state: .done), size: 3, sha256: file.sha256) == .cannotTell)
        }
        let named = try target(["url": .text(server.url + "/{name}"), "digest": .map(["header": .text("X-Sha256")])])
        #expect(try await named.knows(file.job) == nil)
    }

    @Test func whatIsRefusedWhereNothingStandsIsNotSaidToBeThere() async throws {
        let server = try FaultServer { seen, _ in
            seen.method == "PUT" ? .answer(409, body: "No such folder") : .answer(404)
        }
        defer { server.stop() }
        let file = try JobFile([1, 2, 3]), target = try make(["url": .text(server.url + "/dav/{name}")])
        do throws(IngestError) {
            _ = try await target.upload(file.job)
            Issue.record("It was taken for stored.")
        } catch {
            #expect(error.message.contains("something is in the way (409), but has nothing at that address"))
            #expect(error.message.contains("No such folder") && !error.message.contains("Something is there"))
        }
    }

    @Test func aDigestInTheAnswerIsProof() async throws {
        let job = try JobFile([1, 2, 3]), digest = job.sha256
        let server = try FaultServer { _, _ in .answer(201, body: #"{"data": {"sha256": "\#(digest.uppercased())"}}"#) }
        defer { server.stop() }
        let target = try make(["url": .text(server.url), "digest": .map(["json": .text("data.sha256")])])
        #expect(try await target.upload(job.job).verified == .server)
        #expect(server.seen.first?.method == "POST")
    }

    @Test func anotherDigestInTheAnswerIsCorruption() async throws {
        let server = try FaultServer { _, _ in .answer(201, headers: [("X-Sha256", JobFile.emptyDigest)]) }
        defer { server.stop() }
        let job = try JobFile([1, 2, 3])
        let target = try make(["url": .text(server.url), "digest": .map(["header": .text("X-Sha256")])])
        #expect(await code { () async throws(IngestError) in try await target.upload(job.job) } == .corruptData)
    }

    @Test(arguments: [
        #"{"error": {"message": "No room"}}"#, #"{"ok": false, "msg": "No room"}"#,
        #"{"status": "error", "message": "No room"}"#, #"{"errors": ["No room"]}"#,
    ]) func aRefusalInsideOfSuccessIsARefusal(_ body: String) async throws {
        let server = try FaultServer { _, _ in .answer(200, body: body) }
        defer { server.stop() }
        let job = try JobFile([1, 2, 3]), target = try make(["url": .text(server.url)])
        do throws(IngestError) {
            _ = try await target.upload(job.job)
            Issue.record("It was taken for stored.")
        } catch { #expect(error.code == .rejected && error.message.contains("No room")) }
    }

    @Test(arguments: [#"{"id": 1, "error": null}"#, #"{"id": 1, "errors": [], "status": "created"}"#, "fine", "[]", ""])
    func whatSaysNothingBadIsFine(_ body: String) async throws {
        let server = try FaultServer { _, _ in .answer(200, body: body) }
        defer { server.stop() }
        let job = try JobFile([1, 2, 3]), target = try make(["url": .text(server.url)])
        #expect(try await target.upload(job.job).state == .done)
    }

    @Test func aFileThatARedirectTakesToASignInPageIsNotStored() async throws {
        let server = try FaultServer { seen, _ in
            seen.target == "/login"
                ? .answer(200, body: "<html>Sign in</html>") : .answer(307, headers: [("Location", "/login")])
        }
        defer { server.stop() }
        let job = try JobFile([1, 2, 3]), question = Option.map(["url": .text(server.url + "/by/{sha256}")])
        let target = try make(["url": .text(server.url + "/assets")])
        #expect(await code { () async throws(IngestError) in try await target.upload(job.job) } == .misconfigured)
        // Who can be asked is asked before it is sent again.
        let asked = try make(["url": .text(server.url + "/assets"), "find": question])
        #expect(await code { () async throws(IngestError) in try await asked.upload(job.job) } == .untrusted)
    }
}
