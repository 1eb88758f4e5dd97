import FilmgateCore
import FilmgateTesting
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

@Suite(.enabled(if: Nginx.isInstalled, "nginx with its dav-ext module is not installed: .ci/deps.sh peers"), .timeLimit(.minutes(5)))
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
        #expect(try ServerRoom.copies(sample.digests.sha256, below: server.folder + "/files" + room) == 1)
        // Another run finds it by itself.
        let later = try Nginx.target(base, Basic()) { $0.web.caFile = server.folder + "/ca.pem" }
        #expect(try await later.find(job)?.verified == .reread)
        let other = try SampleJob()
        #expect(try await later.occupancy(of: job.path, for: other.job()) == .other)
        #expect(try await later.occupancy(of: "2026-05-01/new.jpg", for: other.job()) == .free)
    }

    @Test func aWrongPasswordHoldsAndAnUnknownAuthorityStops() async throws {
        let server = try await Nginx.server.start(), base = "https://localhost:\(server.ports[0])/x", sample = try SampleJob()
        for (password, trusted, code) in [("wrong", true, IngestError.Code.unauthorized), ("secret", false, .untrusted)] {
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
        #expect(try ServerRoom.copies(first.digests.sha256, below: server.folder + "/files" + room) == 1)
    }

    /// The file was renamed, and the answer got lost: asked, not sent again.
    @Test func aLostAnswerToTheRenamingIsAskedAbout() async throws {
        let server = try await Nginx.server.start(), room = "/lost" + SharedServer.newRoom()
        let proxy = try FaultServer(upstream: server.ports[1]) { seen, _ in seen.method == "MOVE" ? .relayThenReset : .relay }
        defer { proxy.stop() }
        let sample = try SampleJob(), target = try Nginx.target(proxy.url + room, nil)
        do throws(IngestError) { _ = try await target.upload(sample.job()) } catch { #expect(error.code == .network) }
        #expect(try await target.find(sample.job())?.verified == .reread)
        #expect(proxy.seen.count { $0.method == "PUT" } == 1)
        #expect(try ServerRoom.copies(sample.digests.sha256, below: server.folder + "/files" + room) == 1)
    }
}
