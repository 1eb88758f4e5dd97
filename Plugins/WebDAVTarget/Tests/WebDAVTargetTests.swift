import FilmgateCore
import FilmgateTesting
import Foundation
import HTTPKit
import Testing

@testable import WebDAVTarget

/// Basic sign-in as the rig wants it.
private struct Basic: AuthProvider {
    var password = "secret"
    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        var signed = request
        signed.set("Authorization", "Basic " + Base64.text(of: Array("cam:\(password)".utf8)))
        return signed
    }
}

@Suite(
    .enabled(if: Nginx.isInstalled, "nginx with its dav-ext module is not installed: .ci/deps.sh peers"),
    .timeLimit(.minutes(5)))
struct WebDAVTargetTests {
    @Test func overTLSWithSignInAndALocalAuthority() async throws {
        let server = try await Nginx.server.start(), room = "/tls" + SharedServer.newRoom()
        let base = "https://localhost:\(server.ports[0])\(room)", sample = try SampleJob()
        let target = try Nginx.target(base, Basic()) { options in
            (options.web.caFile, options.verify) = (server.folder + "/ca.pem", .reread)
        }
        try await target.check()
        let job = sample.job("Ä 1#%?.jpg", path: "2026-05-01/Ä 1#%?.jpg")
        let receipt = try await target.upload(job)
        #expect(receipt.verified == .reread && !receipt.existed)
        #expect(try await target.verify(receipt, size: sample.size, sha256: sample.digests.sha256) == .equal)
        #expect(try ServerFolder.copies(sample.digests.sha256, below: server.folder + "/files" + room) == 1)
        // Another run finds it by itself.
        let later = try Nginx.target(base, Basic()) { $0.web.caFile = server.folder + "/ca.pem" }
        #expect(try await later.find(job)?.verified == .reread)
        let other = try SampleJob()
        #expect(try await later.occupancy(of: job.path, for: other.job()) == .other)
        #expect(try await later.occupancy(of: "2026-05-01/new.jpg", for: other.job()) == .free)
    }

    @Test func aWrongPasswordHoldsAndAnUnknownAuthorityStops() async throws {
        let server = try await Nginx.server.start(), base = "https://localhost:\(server.ports[0])/x"
        let sample = try SampleJob()
        for (password, trusted, code) in [
            ("wrong", true, IngestError.Code.unauthorized), ("secret", false, .untrusted),
        ] {
            let target = try Nginx.target(base, Basic(password: password)) { options in
                if trusted { options.web.caFile = server.folder + "/ca.pem" }
            }
            do throws(IngestError) {
                _ = try await target.upload(sample.job())
                Issue.record("It was taken.")
            } catch { #expect(error.code == code) }
        }
    }

    @Test func nothingIsReplacedWhateverTheModes() async throws {
        let server = try await Nginx.server.start(), room = "/keep" + SharedServer.newRoom()
        let first = try SampleJob(), second = try SampleJob()
        for placing in [WebDAVOptions.Placing.move, .direct] {
            let target = try Nginx.target("http://127.0.0.1:\(server.ports[1])\(room)", nil) { $0.placing = placing }
            _ = try await target.upload(first.job())
            do throws(IngestError) {
                _ = try await target.upload(second.job())
                Issue.record("It was replaced.")
            } catch { #expect(error.code == .nameTaken) }
        }
        #expect(try ServerFolder.copies(first.digests.sha256, below: server.folder + "/files" + room) == 1)
    }

    /// What is on the server is over: the next line of the file says so, and it may be forgotten one day.
    @Test func whatWasSentUnderItsNameHasEnded() async throws {
        let server = try await Nginx.server.start(), room = "/keep" + SharedServer.newRoom()
        let state = Temporary.ownFolder, first = try SampleJob(), second = try SampleJob()
        let target = try Nginx.target("http://127.0.0.1:\(server.ports[1])\(room)", nil, state: state) {
            $0.placing = .direct
        }
        var other = second.job()
        other.path = "other-" + other.path
        for job in [first.job(), other] { _ = try await target.upload(job) }
        let file = try #require(
            try FileManager.default.contentsOfDirectory(atPath: state).first { $0.hasSuffix(".begun") })
        let lines = try String(contentsOfFile: state + "/" + file, encoding: .utf8).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix(first.digests.sha256) && $0.hasSuffix(" end") }, "\(lines)")
    }

    /// Two that send at the same moment: what a server does not prevent, `check` says.
    @Test func sendingUnderTheFinalNameIsWarnedOf() throws {
        #expect(try Nginx.target("http://127.0.0.1:9/dav", nil).traits.warnings.isEmpty)
        let warnings = try Nginx.target("http://127.0.0.1:9/dav", nil) { $0.placing = .direct }.traits.warnings
        #expect(warnings.count == 1 && warnings[0].contains("`placing: direct`"))
    }

    /// A network's sign-in page is no yes, whatever it calls itself; what a server says of a file that it created may
    /// well be a page.
    @Test(arguments: [(200, "text/plain", true), (200, "", true), (201, "text/html", false)])
    func aPageIsNoDelivery(_ status: Int, _ type: String, _ refused: Bool) async throws {
        let headers = type.isEmpty ? [] : [("Content-Type", type)]
        let server = try FaultServer { seen, _ in
            seen.method == "PUT"
                ? .answer(status, headers: headers, body: "<!doctype html><title>Created</title>") : .answer(404)
        }
        defer { server.stop() }
        let sample = try SampleJob(), target = try Nginx.target(server.url + "/x", nil) { $0.placing = .direct }
        let result = await Result { () async throws(IngestError) in try await target.upload(sample.job(path: "a.jpg")) }
        switch result {
        case .success: #expect(!refused)
        case .failure(let error): #expect(refused && error.code == .untrusted)
        }
    }

    /// The file was renamed, and the answer got lost: asked, not sent again.
    @Test func aLostAnswerToTheRenamingIsAskedAbout() async throws {
        let server = try await Nginx.server.start(), room = "/lost" + SharedServer.newRoom()
        let proxy = try FaultServer(upstream: server.ports[1]) { seen, _ in
            seen.method == "MOVE" ? .relayThenReset : .relay
        }
        defer { proxy.stop() }
        let sample = try SampleJob(), target = try Nginx.target(proxy.url + room, nil)
        do throws(IngestError) { _ = try await target.upload(sample.job()) } catch { #expect(error.code == .network) }
        #expect(try await target.find(sample.job())?.verified == .reread)
        #expect(proxy.seen.count { $0.method == "PUT" } == 1)
        #expect(try ServerFolder.copies(sample.digests.sha256, below: server.folder + "/files" + room) == 1)
    }
}

/// Lists that servers may give, by a scripted one.
@Suite(.timeLimit(.minutes(5))) struct WebDAVListTests {
    private static func list(_ entries: String, end: String = "</D:multistatus>") -> String {
        "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/dav/</D:href></D:response>\(entries)\(end)"
    }

    private static func names(_ body: String) async throws -> Set<String>? {
        let server = try FaultServer { _, _ in .answer(207, body: body) }
        defer { server.stop() }
        return try await Nginx.target(server.url + "/dav", nil).server.names(in: "")
    }

    @Test func aListIsGoodToItsLastEntryOrNotAtAll() async throws {
        let entry = "<D:response><D:href>/dav/a%20b.jpg</D:href></D:response>"
        #expect(try await Self.names(Self.list(entry)) == ["a b.jpg"])
        #expect(try await Self.names(Self.list(entry, end: "")) == nil)
        #expect(try await Self.names(Self.list("<D:response><D:href>/dav/a b.jpg</D:href></D:response>")) == nil)
        #expect(try await Self.names("<html>Sign in</html>") == nil)
        #expect(try await Self.names(Self.list("<D:href>/dav/c.jpg</D:href>")) == nil)
        let many = (0...20_000).map { "<D:href>/dav/\($0)</D:href>" }.joined()
        #expect(try await Self.names(Self.list(many)) == nil)
    }

    /// A name that is read as another one, or as none, would count as free.
    @Test func aListWhoseNamesCannotBeReadIsNone() async throws {
        func entry(_ href: String) -> String { "<D:response>\(href)</D:response>" }
        for href in [
            "", "<D:href/>", "<D:href></D:href>", "<D:href>&a;</D:href>", "<D:href>/dav/a%EF%BF%BD.jpg</D:href>",
        ] {
            #expect(try await Self.names(Self.list(entry(href))) == nil, "\(href)")
        }
        let good = Self.list(entry("<D:href>/dav/a.jpg</D:href>"))
        #expect(try await Self.names(good) == ["a.jpg"])
        let typed = good.replacing("<D:multistatus", with: "<!DOCTYPE a [<!ENTITY a \"/dav/b.jpg\">]><D:multistatus")
        #expect(try await Self.names(typed) == nil)
        let cut = Self.list(entry("<D:href>/dav/</D:href><D:status>HTTP/1.1 507 Insufficient Storage</D:status>"))
        #expect(try await Self.names(cut) == nil)
    }

    /// `Bl\xE5.JPG`: the byte travels through the program as U+10FFE5.
    @Test func aNameThatIsNotUTF8KeepsItsBytes() async throws {
        let foreign = "<D:response><D:href>/dav/Bl%E5.JPG</D:href></D:response>"
        #expect(try await Self.names(Self.list(foreign)) == ["Bl\u{10FFE5}.JPG"])
        let server = try FaultServer { seen, _ in
            switch seen.method {
            case "PROPFIND": .answer(207, body: Self.list(foreign))
            case "GET", "HEAD": seen.target == "/dav/Bl%E5.JPG" ? .answer(200, body: "FOREIGN") : .answer(404)
            default: .answer(201)
            }
        }
        defer { server.stop() }
        let sample = try SampleJob(), target = try Nginx.target(server.url + "/dav", nil) { $0.placing = .direct }
        #expect(try await target.occupancy(of: "Bl\u{10FFE5}.JPG", for: sample.job()) == .other)
        do throws(IngestError) {
            _ = try await target.upload(sample.job("Bl\u{10FFE5}.JPG"))
            Issue.record("It was replaced.")
        } catch { #expect(error.code == .nameTaken) }
        #expect(!server.seen.contains { $0.method == "PUT" })
    }

    /// Neither listed nor read: no number behind a name makes it free, so it is asked once.
    @Test func aServerThatShowsNothingIsHeld() async throws {
        let server = try FaultServer { _, _ in .answer(405) }
        defer { server.stop() }
        let sample = try SampleJob(), target = try Nginx.target(server.url + "/dav", nil)
        do throws(IngestError) {
            let answer = try await target.occupancy(of: "a.jpg", for: sample.job())
            Issue.record("It says \(answer).")
        } catch { #expect(error.code == .misconfigured) }
    }

    /// The answer to the renaming was lost, and nobody may read what stands there: under another name it would be there
    /// twice.
    @Test func whatMayBeOursIsNotSentUnderAnotherName() async throws {
        let server = try FaultServer { seen, _ in
            switch seen.method {
            case "PUT": .answer(201)
            case "MOVE": .answer(412)
            case "PROPFIND": .answer(207, body: Self.list(""))
            default: .answer(403)
            }
        }
        defer { server.stop() }
        let sample = try SampleJob(), target = try Nginx.target(server.url + "/dav", nil)
        do throws(IngestError) {
            _ = try await target.upload(sample.job())
            Issue.record("It was taken.")
        } catch { #expect(error.code == .rejected) }
    }
}
