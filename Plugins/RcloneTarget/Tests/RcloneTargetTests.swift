import FilmgateCore
import FilmgateTesting
import Glibc
import HTTPKit
import Logging
import Testing

@testable import RcloneTarget

private struct Basic: AuthProvider {
    var password = "secret"
    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        var signed = request
        signed.set("Authorization", "Basic " + Base64.text(of: Array("cam:\(password)".utf8)))
        return signed
    }
}

/// Whoever comes is let in.
struct Open: AuthProvider {
    func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest { request }
}

/// rclone rcd, one for all tests of this process; each test has a folder of its own.
enum Rclone {
    static let isInstalled = ServerProcess.has("rclone")
    /// With a sign-in, and open.
    static let server = SharedServer("rclone", ports: 2)

    static func target(_ port: Int, room: String, remote: String = "there", password: String = "secret") throws
        -> RcloneTarget
    {
        try target("http://127.0.0.1:\(port)", room: room, remote: remote, Basic(password: password))
    }

    static func target(
        _ base: String, room: String, remote: String = "there", _ auth: any AuthProvider,
        logger: Logger = Logger(label: "test"), _ edit: (inout RcloneOptions) -> Void = { _ in }
    ) throws -> RcloneTarget {
        var options = RcloneOptions()
        (options.url, options.remote) = (try #require(AddressTemplate(base + "/")), "\(remote):\(room)")
        (options.path, options.poll) = (Template("{name}"), .milliseconds(20))
        options.web.auth = try AuthReference(node: ConfigNode(.scalar("rc", quoted: true)))
        edit(&options)
        let lookup = Lookup(auth: ["rc": auth])
        return try RcloneTarget(
            options, ModuleContext(name: "cloud", logger: logger, state: Temporary.folder, lookup: lookup))
    }

    /// What a scripted daemon makes of a file; nil where that is delivered.
    static func failure(_ server: FaultServer, _ job: UploadJob) async throws -> IngestError.Code? {
        let target = try Rclone.target(server.url, room: "r", Open())
        do throws(IngestError) {
            _ = try await target.upload(job)
            return nil
        } catch { return error.code }
    }

    /// Where a test's files are on the server's disk.
    static func folder(_ server: ServerProcess, _ room: String) -> String { "\(server.folder)/files/\(room)" }
}

@Suite(
    .serialized, .enabled(if: Rclone.isInstalled, "rclone is not installed: .ci/deps.sh peers"),
    .timeLimit(.minutes(15)))
struct RcloneTargetTests {
    static let bench = TargetBench {
        let server = try await Rclone.server.start(), room = SharedServer.newRoom()
        return TargetPlace(try Rclone.target(server.port, room: room)) {
            try ServerFolder.copies($0, below: Rclone.folder(server, room))
        }
    }

    /// The network here is the way to the daemon; what is behind it is rclone's own.
    static var web: HTTPBench {
        get async throws {
            let server = try await Rclone.server.start(), room = SharedServer.newRoom()
            let folder = Rclone.folder(server, room)
            return HTTPBench { _ in
                HTTPBench.Server(port: server.ports[1], copies: { try ServerFolder.copies($0, below: folder) })
            } make: { base, auth, logger, patience in
                try Rclone.target(base, room: room, auth, logger: logger) {
                    ($0.web.stallTimeout, $0.web.answerTimeout) = (patience, patience)
                }
            } isUpload: {
                $0.target == "/operations/copyfile"
            }
        }
    }

    static func failure(_ target: RcloneTarget, _ job: UploadJob) async -> IngestError? {
        do throws(IngestError) {
            _ = try await target.upload(job)
            return nil
        } catch { return error }
    }

    @Test(arguments: TargetConformance.checks) func conforms(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.bench)
    }

    @Test(arguments: HTTPConformance.checks) func overHTTP(_ check: Check<HTTPBench>) async throws {
        try await check.run(Self.web)
    }

    @Test func theRemotesOwnDigestIsProofAndNothingIsReplaced() async throws {
        let server = try await Rclone.server.start(), room = SharedServer.newRoom(), sample = try SampleJob()
        let other = try SampleJob()
        let job = sample.job("Ä 1#%.jpg", path: "2026/Ä 1#%.jpg")
        #expect(try await Rclone.target(server.port, room: room).upload(job).verified == .server)
        let later = try Rclone.target(server.port, room: room)
        #expect(try await later.find(job)?.verified == .server)
        #expect(await Self.failure(later, other.job("x.jpg", path: job.path))?.code == .nameTaken)
        #expect(try ServerFolder.copies(sample.digests.sha256, below: Rclone.folder(server, room) + "/2026") == 1)
    }

    @Test func whatBecameOfACopyIsTold() async throws {
        let server = try await Rclone.server.start(), room = SharedServer.newRoom(), sample = try SampleJob()
        let target = try Rclone.target(server.port, room: room), file = Rclone.folder(server, room) + "/2026/Ä 1.jpg"
        let receipt = try await target.upload(sample.job("Ä 1.jpg", path: "2026/Ä 1.jpg"))
        func verification() async throws -> Verification {
            try await target.verify(receipt, size: sample.size, sha256: sample.digests.sha256)
        }
        #expect(try await verification() == .equal)
        let stream = try #require(fopen(file, "r+b"))
        fwrite("edited", 1, 6, stream)
        fclose(stream)
        guard case .differs = try await verification() else {
            Issue.record("Other bytes of the same size were not noticed.")
            return
        }
        unlink(file)
        #expect(try await verification() == .missing)
    }

    /// Somebody puts a file there between the look and the copy.
    @Test func whatCameInBetweenIsNotReplaced() async throws {
        let server = try await Rclone.server.start(), room = SharedServer.newRoom(), sample = try SampleJob()
        let folder = Rclone.folder(server, room), theirs = Array("theirs".utf8)
        let proxy = try FaultServer(upstream: server.ports[1]) { seen, _ in
            if seen.target == "/operations/copyfile" {
                mkdir(folder, 0o755)
                if let stream = fopen(folder + "/IMG_0001.JPG", "wb") {
                    fwrite(theirs, 1, theirs.count, stream)
                    fclose(stream)
                }
            }
            return .relay
        }
        defer { proxy.stop() }
        let target = try Rclone.target(proxy.url, room: room, Basic())
        #expect(await Self.failure(target, sample.job())?.code == .nameTaken)
        #expect(Temporary.text(of: folder + "/IMG_0001.JPG") == "theirs")
    }

    @Test func eachCopyGetsItsShareOfTheLimit() async throws {
        let server = try await Rclone.server.start(), room = SharedServer.newRoom(), sample = try SampleJob()
        let proxy = try FaultServer(upstream: server.ports[1]) { _, _ in .relay }
        defer { proxy.stop() }
        let target = try Rclone.target(proxy.url, room: room, Basic()) {
            ($0.web.limitRate, $0.web.workers) = (ByteCount(40 << 20), 4)
        }
        _ = try await target.upload(sample.job())
        let order = try #require(proxy.seen.first { $0.target == "/operations/copyfile" })
        #expect(String(decoding: order.body, as: UTF8.self).contains(#""BwLimitFile":"10485760B""#))
        #expect(try ServerFolder.copies(sample.digests.sha256, below: Rclone.folder(server, room)) == 1)
    }

    /// A remote that reads a clip of some GB to digest it, in nine ways if it is let, took longer than any answer may.
    @Test func digestsAreAskedForAsJobsAndOneOfThem() async throws {
        let server = try await Rclone.server.start(), room = SharedServer.newRoom(), sample = try SampleJob()
        let proxy = try FaultServer(upstream: server.ports[1]) { _, _ in .relay }
        defer { proxy.stop() }
        let target = try Rclone.target(proxy.url, room: room, Basic())
        #expect(try await target.upload(sample.job()).verified == .server)
        let questions = proxy.seen.filter { $0.target == "/operations/stat" }.map {
            String(decoding: $0.body, as: UTF8.self)
        }
        #expect(!questions.isEmpty)
        for question in questions {
            #expect(question.contains(#""_async":true"#) && question.contains(#""hashTypes":["sha256"]"#))
        }
    }

    @Test func aWrongPasswordAndAnUnknownRemoteHold() async throws {
        let server = try await Rclone.server.start(), sample = try SampleJob()
        let wrong = try Rclone.target(server.port, room: "x", password: "other")
        let unknown = try Rclone.target(server.port, room: "x", remote: "nowhere")
        #expect(await Self.failure(wrong, sample.job())?.code == .unauthorized)
        #expect(await Self.failure(unknown, sample.job())?.code == .unauthorized)
    }
}
