import FilmgateCore
import FilmgateTesting
import Glibc
import HTTPKit
import Logging
import Testing

@testable import FTPTarget

/// vsftpd, one for all tests of this process; each test has a folder of its own.
///
/// It signs in as a user of the system, whom its script makes: only `make peers` does that. It answers at 127.0.0.2, so
/// that a proxy can stand at the same ports of 127.0.0.1: those of the transfers are told to the client.
enum VSFTP {
    static let isReady = ServerProcess.has("vsftpd", "openssl") && geteuid() == 0 && getenv("FILMGATE_PEERS") != nil
    static let server = SharedServer("ftps"), password = "camftp-5ecret-9d21"

    static func target(
        _ server: ServerProcess, room: String, host: String = "127.0.0.2", port: Int? = nil,
        secrets: CanarySecrets = CanarySecrets(VSFTP.password), logger: Logger = Logger(label: "test"),
        _ edit: (inout FTPOptions) -> Void = { _ in }
    ) throws -> FTPTarget {
        var options = FTPOptions()
        (options.files.host, options.port, options.files.user) = (host, port ?? server.port, "camftp")
        (options.caFile, options.files.path) = (server.folder + "/ca.pem", Template("up/\(room)/{name}"))
        options.password = Secret(.environment("FTP"))
        edit(&options)
        return try FTPTarget(
            options,
            ModuleContext(name: "ftp", logger: logger, state: Temporary.folder, lookup: Lookup(secrets: secrets)))
    }

    /// Where a test's files are on the server's disk.
    static func folder(_ server: ServerProcess, _ room: String) -> String { "\(server.folder)/ftp/up/\(room)" }

    /// The ports that its script lets transfers use.
    static func transferPorts(_ server: ServerProcess) -> [Int] {
        (0..<24).map { 20_000 + server.port % 400 * 24 + $0 }
    }
}

@Suite(.serialized, .enabled(if: VSFTP.isReady, "runs as root with `make peers`"), .timeLimit(.minutes(5)))
struct FTPTargetTests {
    static let bench = TargetBench {
        let server = try await VSFTP.server.start(), room = SharedServer.newRoom()
        return TargetPlace(try VSFTP.target(server, room: room)) {
            try ServerFolder.copies($0, below: VSFTP.folder(server, room))
        }
    }

    static let behindProxy = FileServerBench(
        turnsAway: "421 There are too many connected users, please try later.\r\n", password: VSFTP.password
    ) {
        let server = try await VSFTP.server.start(), room = SharedServer.newRoom(), folder = VSFTP.folder(server, room)
        let transfers = VSFTP.transferPorts(server).map { FaultProxy.Route(from: $0, to: $0, host: 2) }
        return FileServerBench.Server(
            routes: [FaultProxy.Route(to: server.port, host: 2)] + transfers,
            files: { try ServerFolder.files(below: folder) }, copies: { try ServerFolder.copies($0, below: folder) },
            make: { port, secrets, logger, patience in
                try VSFTP.target(server, room: room, host: "127.0.0.1", port: port, secrets: secrets, logger: logger) {
                    $0.files.stallTimeout = patience
                }
            })
    }

    static func failure(_ target: FTPTarget, _ job: UploadJob) async -> IngestError? {
        do throws(IngestError) {
            _ = try await target.upload(job)
            return nil
        } catch { return error }
    }

    @Test(arguments: TargetConformance.checks) func conforms(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.bench)
    }

    @Test(arguments: FileServerConformance.checks) func overBadNetworks(_ check: Check<FileServerBench>) async throws {
        try await check.run(Self.behindProxy)
    }

    @Test func namesFoldersAndProof() async throws {
        let server = try await VSFTP.server.start(), room = SharedServer.newRoom(), sample = try SampleJob()
        let other = try SampleJob()
        let target = try VSFTP.target(server, room: room) { $0.files.verify = .reread }
        let job = sample.job("a (1)+.jpg", path: "2026/05/a (1)+.jpg"), receipt = try await target.upload(job)
        #expect(receipt.verified == .reread)
        #expect(try ServerFolder.copies(sample.digests.sha256, below: VSFTP.folder(server, room) + "/2026/05") == 1)
        let later = try VSFTP.target(server, room: room)
        #expect(try await later.find(job)?.verified == .reread)
        #expect(await Self.failure(later, other.job("x.jpg", path: job.path))?.code == .nameTaken)
        #expect(try ServerFolder.copies(sample.digests.sha256, below: VSFTP.folder(server, room)) == 1)
    }

    /// What fits into the sockets' buffers is on its way when the transfer is closed: nothing of it may be lost, each
    /// time.
    @Test(arguments: [150_000, 1_000_000]) func everyFileGetsThereAtTheFirstTry(_ count: Int) async throws {
        let server = try await VSFTP.server.start(), target = try VSFTP.target(server, room: SharedServer.newRoom())
        let sample = try SampleJob(count: count)
        for number in 0..<12 { _ = try await target.upload(sample.job("IMG_\(number).JPG")) }
    }

    @Test func aWrongPasswordHoldsAndAnUnknownAuthorityStops() async throws {
        let server = try await VSFTP.server.start(), sample = try SampleJob()
        let wrong = try VSFTP.target(server, room: "x", secrets: CanarySecrets("wrong-password"))
        let stranger = try VSFTP.target(server, room: "x") { $0.caFile = nil }
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
            let nodes = (base + pairs).map {
                ConfigNode.Pair(ConfigNode.Key($0.0, Mark()), ConfigNode(.scalar($0.1, quoted: false)))
            }
            _ = FTPOptions.schema.decode(ConfigNode(.map(nodes)), errors: &errors)
            return errors
        }
        #expect(mistakes([]).isEmpty && mistakes([("tls", "none")]).count == 1)
        #expect(mistakes([("tls", "none"), ("allow_cleartext", "true")]).isEmpty)
    }
}
