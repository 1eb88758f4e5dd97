import FileKit
import FilmgateCore
import FilmgateTesting
import Foundation
import Logging
import Synchronization
import Testing

@testable import SFTPTarget

/// OpenSSH, one for all tests of this process; each test has a folder of its own.
enum SSH {
    static let isInstalled = ServerProcess.has("sshd", "ssh-keygen")
    private static let shared = Mutex<Task<ServerProcess, any Error>?>(nil)

    static func start() async throws -> ServerProcess {
        let task = shared.withLock { task in
            let running = task ?? Task { try await ServerProcess("sftp") }
            task = running
            return running
        }
        return try await task.value
    }

    static func target(_ server: ServerProcess, room: String, port: Int? = nil, _ edit: (inout SFTPOptions) -> Void = { _ in }) throws
        -> SFTPTarget
    {
        var options = SFTPOptions()
        (options.host, options.port, options.user) = ("127.0.0.1", port ?? server.port, NSUserName())
        (options.key, options.knownHosts) = (server.folder + "/id", server.folder + "/known_hosts")
        options.path = Template("\(server.folder)/root/\(room)/{name}")
        edit(&options)
        return try SFTPTarget(options, ModuleContext(name: "nas", logger: Logger(label: "test"), state: Temporary.folder))
    }

    static func newRoom() -> String { "r" + String(UInt64.random(in: 0 ... .max), radix: 16) }
}

/// How many files below a folder hold these bytes; names that are not final do not count.
func copies(_ sha256: String, in folder: String) throws -> Int {
    guard let walk = FileManager.default.enumerator(atPath: folder) else { return 0 }
    var count = 0
    while let name = walk.nextObject() as? String {
        let path = folder + "/" + name
        guard try FileFacts.of(path)?.kind == .regular, !(name as NSString).lastPathComponent.hasPrefix(".") else { continue }
        if try FileCopy.hash(path: path).digests.sha256 == sha256 { count += 1 }
    }
    return count
}

@Suite(.serialized, .enabled(if: SSH.isInstalled, "sshd is not installed: .ci/deps.sh peers"), .timeLimit(.minutes(5)))
struct SFTPTargetTests {
    static let bench = TargetBench {
        let server = try await SSH.start(), room = SSH.newRoom()
        return TargetPlace(try SSH.target(server, room: room)) { try copies($0, in: "\(server.folder)/root/\(room)") }
    }

    static func failure(_ target: SFTPTarget, _ job: UploadJob) async -> IngestError? {
        do throws(IngestError) {
            _ = try await target.upload(job)
            return nil
        } catch { return error }
    }

    @Test(arguments: TargetConformance.checks) func conforms(_ check: Check<TargetBench>) async throws { try await check.run(Self.bench) }

    @Test func namesFoldersAndProof() async throws {
        let server = try await SSH.start(), room = SSH.newRoom(), sample = try SampleJob(), other = try SampleJob()
        let target = try SSH.target(server, room: room) { $0.verify = .reread },
            job = sample.job("Ä \"1\" #%?.jpg", path: "2026/05/Ä \"1\" #%?.jpg")
        let receipt = try await target.upload(job)
        #expect(
            receipt.verified == .reread && FileManager.default.fileExists(atPath: "\(server.folder)/root/\(room)/2026/05/Ä \"1\" #%?.jpg"))
        #expect(try await target.verify(receipt, size: sample.size, sha256: sample.digests.sha256) == .equal)
        let later = try SSH.target(server, room: room)
        #expect(try await later.find(job)?.verified == .reread)
        #expect(try await later.occupancy(of: job.path, for: other.job()) == .other)
        #expect(try await later.occupancy(of: "2026/05/new.jpg", for: other.job()) == .free)
        #expect(await Self.failure(later, other.job("x.jpg", path: job.path))?.code == .nameTaken)
        #expect(try copies(sample.digests.sha256, in: "\(server.folder)/root/\(room)") == 1)
    }

    @Test func anUnknownHostGetsNothing() async throws {
        let server = try await SSH.start(), room = SSH.newRoom(), sample = try SampleJob()
        let target = try SSH.target(server, room: room) { $0.knownHosts = "/dev/null" }
        #expect(await Self.failure(target, sample.job())?.code == .untrusted)
        #expect(!FileManager.default.fileExists(atPath: "\(server.folder)/root/\(room)"))
    }

    @Test func aKeyThatIsNotKnownThereHolds() async throws {
        let server = try await SSH.start(), sample = try SampleJob()
        let target = try SSH.target(server, room: SSH.newRoom()) { $0.key = server.folder + "/hostkey" }
        #expect(await Self.failure(target, sample.job())?.code == .unauthorized)
    }

    @Test func nobodyThereIsTriedAgain() async throws {
        let server = try await SSH.start(), sample = try SampleJob()
        #expect(await Self.failure(try SSH.target(server, room: "x", port: 1), sample.job())?.code == .network)
    }
}
