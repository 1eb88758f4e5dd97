import FileKit
import FilmgateCore
import FilmgateTesting
import Foundation
import Glibc
import Logging
import Synchronization
import Testing

@testable import FTPTarget

/// vsftpd, one for all tests of this process; each test has a folder of its own.
///
/// It signs in as a user of the system, whom its script makes: only `make peers` does that.
enum VSFTP {
    static let isReady = ServerProcess.has("vsftpd", "openssl") && geteuid() == 0 && getenv("FILMGATE_PEERS") != nil
    private static let shared = Mutex<Task<ServerProcess, any Error>?>(nil)

    static func start() async throws -> ServerProcess {
        let task = shared.withLock { task in
            let running = task ?? Task { try await ServerProcess("ftps") }
            task = running
            return running
        }
        return try await task.value
    }

    static func target(
        _ server: ServerProcess, room: String, password: String = "secret", _ edit: (inout FTPOptions) -> Void = { _ in }
    ) throws -> FTPTarget {
        var options = FTPOptions()
        (options.host, options.port, options.user, options.password) = ("localhost", server.port, "camftp", Secret(.environment("FTP")))
        (options.caFile, options.path) = (server.folder + "/ca.pem", Template("up/\(room)/{name}"))
        edit(&options)
        let lookup = Lookup(secrets: CanarySecrets(password))
        return try FTPTarget(options, ModuleContext(name: "ftp", logger: Logger(label: "test"), state: Temporary.folder, lookup: lookup))
    }

    static func newRoom() -> String { "r" + String(UInt64.random(in: 0 ... .max), radix: 16) }

    static func copies(_ sha256: String, in folder: String) throws -> Int {
        guard let walk = FileManager.default.enumerator(atPath: folder) else { return 0 }
        var count = 0
        while let name = walk.nextObject() as? String {
            let path = folder + "/" + name
            guard try FileFacts.of(path)?.kind == .regular, !(name as NSString).lastPathComponent.hasPrefix(".") else { continue }
            if try FileCopy.hash(path: path).digests.sha256 == sha256 { count += 1 }
        }
        return count
    }
}

@Suite(.serialized, .enabled(if: VSFTP.isReady, "runs as root with `make peers`"), .timeLimit(.minutes(5)))
struct FTPTargetTests {
    static let bench = TargetBench {
        let server = try await VSFTP.start(), room = VSFTP.newRoom()
        return TargetPlace(try VSFTP.target(server, room: room)) { try VSFTP.copies($0, in: "\(server.folder)/ftp/up/\(room)") }
    }

    static func failure(_ target: FTPTarget, _ job: UploadJob) async -> IngestError? {
        do throws(IngestError) {
            _ = try await target.upload(job)
            return nil
        } catch { return error }
    }

    @Test(arguments: TargetConformance.checks) func conforms(_ check: Check<TargetBench>) async throws { try await check.run(Self.bench) }

    @Test func namesFoldersAndProof() async throws {
        let server = try await VSFTP.start(), room = VSFTP.newRoom(), sample = try SampleJob(), other = try SampleJob()
        let target = try VSFTP.target(server, room: room) { $0.verify = .reread }
        let job = sample.job("a (1)+.jpg", path: "2026/05/a (1)+.jpg"), receipt = try await target.upload(job)
        #expect(receipt.verified == .reread)
        #expect(try VSFTP.copies(sample.digests.sha256, in: "\(server.folder)/ftp/up/\(room)/2026/05") == 1)
        let later = try VSFTP.target(server, room: room)
        #expect(try await later.find(job)?.verified == .reread)
        #expect(await Self.failure(later, other.job("x.jpg", path: job.path))?.code == .nameTaken)
        #expect(try VSFTP.copies(sample.digests.sha256, in: "\(server.folder)/ftp/up/\(room)") == 1)
    }

    @Test func aWrongPasswordHoldsAndAnUnknownAuthorityStops() async throws {
        let server = try await VSFTP.start(), sample = try SampleJob()
        let wrong = try VSFTP.target(server, room: "x", password: "wrong-password"),
            stranger = try VSFTP.target(server, room: "x") { $0.caFile = nil }
        let refused = await Self.failure(wrong, sample.job())
        #expect(refused?.code == .unauthorized && refused?.message.contains("wrong-password") == false)
        #expect(await Self.failure(stranger, sample.job())?.code == .untrusted)
    }
}

@Suite struct FTPOptionsTests {
    @Test func cleartextHasToBeMeant() throws {
        func mistakes(_ pairs: [(String, String)]) -> [ConfigError] {
            let base = [("host", "nas"), ("user", "cam"), ("password", "${env:FTP}"), ("path", "in/{name}")]
            var errors: [ConfigError] = []
            let nodes = (base + pairs).map { ConfigNode.Pair(ConfigNode.Key($0.0, Mark()), ConfigNode(.scalar($0.1, quoted: false))) }
            _ = FTPOptions.schema.decode(ConfigNode(.map(nodes)), errors: &errors)
            return errors
        }
        #expect(mistakes([]).isEmpty && mistakes([("tls", "none")]).count == 1)
        #expect(mistakes([("tls", "none"), ("allow_cleartext", "true")]).isEmpty)
    }
}
