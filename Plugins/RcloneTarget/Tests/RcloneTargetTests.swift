import FileKit
import FilmgateCore
import FilmgateTesting
import Foundation
import HTTPKit
import Logging
import Synchronization
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

/// rclone rcd, one for all tests of this process; each test has a folder of its own.
enum Rclone {
    static let isInstalled = ServerProcess.has("rclone")
    private static let shared = Mutex<Task<ServerProcess, any Error>?>(nil)

    static func start() async throws -> ServerProcess {
        let task = shared.withLock { task in
            let running = task ?? Task { try await ServerProcess("rclone") }
            task = running
            return running
        }
        return try await task.value
    }

    static func target(_ port: Int, room: String, remote: String = "there", password: String = "secret") throws -> RcloneTarget {
        var options = RcloneOptions()
        (options.url, options.remote) = (try #require(AddressTemplate("http://127.0.0.1:\(port)/")), "\(remote):\(room)")
        (options.path, options.poll) = (Template("{name}"), .milliseconds(20))
        options.web.auth = try AuthReference(node: ConfigNode(.scalar("rc", quoted: true)))
        let lookup = Lookup(auth: ["rc": Basic(password: password)])
        return try RcloneTarget(
            options, ModuleContext(name: "cloud", logger: Logger(label: "test"), state: Temporary.folder, lookup: lookup))
    }

    static func newRoom() -> String { "r" + String(UInt64.random(in: 0 ... .max), radix: 16) }

    static func copies(_ sha256: String, in folder: String) throws -> Int {
        guard let walk = FileManager.default.enumerator(atPath: folder) else { return 0 }
        var count = 0
        while let name = walk.nextObject() as? String {
            let path = folder + "/" + name
            guard try FileFacts.of(path)?.kind == .regular else { continue }
            if try FileCopy.hash(path: path).digests.sha256 == sha256 { count += 1 }
        }
        return count
    }
}

@Suite(.serialized, .enabled(if: Rclone.isInstalled, "rclone is not installed: .ci/deps.sh peers"), .timeLimit(.minutes(5)))
struct RcloneTargetTests {
    static let bench = TargetBench {
        let server = try await Rclone.start(), room = Rclone.newRoom()
        return TargetPlace(try Rclone.target(server.port, room: room)) { try Rclone.copies($0, in: "\(server.folder)/root/\(room)") }
    }

    static func failure(_ target: RcloneTarget, _ job: UploadJob) async -> IngestError? {
        do throws(IngestError) {
            _ = try await target.upload(job)
            return nil
        } catch { return error }
    }

    @Test(arguments: TargetConformance.checks) func conforms(_ check: Check<TargetBench>) async throws { try await check.run(Self.bench) }

    @Test func theRemotesOwnDigestIsProofAndNothingIsReplaced() async throws {
        let server = try await Rclone.start(), room = Rclone.newRoom(), sample = try SampleJob(), other = try SampleJob()
        let job = sample.job("Ä 1#%.jpg", path: "2026/Ä 1#%.jpg")
        #expect(try await Rclone.target(server.port, room: room).upload(job).verified == .server)
        let later = try Rclone.target(server.port, room: room)
        #expect(try await later.find(job)?.verified == .server)
        #expect(await Self.failure(later, other.job("x.jpg", path: job.path))?.code == .nameTaken)
        #expect(try Rclone.copies(sample.digests.sha256, in: "\(server.folder)/root/\(room)/2026") == 1)
    }

    @Test func aWrongPasswordAndAnUnknownRemoteHold() async throws {
        let server = try await Rclone.start(), sample = try SampleJob()
        let wrong = try Rclone.target(server.port, room: "x", password: "other"),
            unknown = try Rclone.target(server.port, room: "x", remote: "nowhere")
        #expect(await Self.failure(wrong, sample.job())?.code == .unauthorized)
        #expect(await Self.failure(unknown, sample.job())?.code == .unauthorized)
    }
}
