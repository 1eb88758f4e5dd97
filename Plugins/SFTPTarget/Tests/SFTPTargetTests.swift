import FileKit
import FilmgateCore
import FilmgateTesting
import Foundation
import HTTPKit
import Logging
import Testing

@testable import SFTPTarget

/// OpenSSH, one for all tests of this process; each test has a folder of its own.
enum SSH {
    static let isInstalled = ServerProcess.has("sshd", "ssh-keygen")
    static let server = SharedServer("sftp")

    static func target(
        _ server: ServerProcess, room: String, port: Int? = nil, _ edit: (inout SFTPOptions) -> Void = { _ in }
    ) throws
        -> SFTPTarget
    {
        var options = SFTPOptions()
        (options.files.host, options.port, options.files.user) = ("127.0.0.1", port ?? server.port, NSUserName())
        (options.key, options.knownHosts) = (server.folder + "/id", server.folder + "/known_hosts")
        options.files.path = Template(folder(server, room) + "/{name}")
        edit(&options)
        return try SFTPTarget(
            options, ModuleContext(name: "nas", logger: Logger(label: "test"), state: Temporary.folder))
    }

    /// Where a test's files are on the server's disk.
    static func folder(_ server: ServerProcess, _ room: String) -> String { "\(server.folder)/files/\(room)" }

    /// The file of known hosts for a proxy on that port: the server's own key.
    static func knownHosts(_ server: ServerProcess, port: Int) throws -> String {
        let key = try String(contentsOfFile: server.folder + "/hostkey.pub", encoding: .utf8).split(separator: " ")
            .prefix(2)
        let file = "\(server.folder)/known_hosts-\(port)"
        try "[127.0.0.1]:\(port) \(key.joined(separator: " "))\n".write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }
}

@Suite(.serialized, .enabled(if: SSH.isInstalled, "sshd is not installed: .ci/deps.sh peers"), .timeLimit(.minutes(5)))
struct SFTPTargetTests {
    static let bench = TargetBench {
        let server = try await SSH.server.start(), room = SharedServer.newRoom()
        return TargetPlace(try SSH.target(server, room: room)) {
            try ServerFolder.copies($0, below: SSH.folder(server, room))
        }
    }

    static let behindProxy = FileServerBench(turnsAway: "Exceeded MaxStartups\r\n") {
        let server = try await SSH.server.start(), room = SharedServer.newRoom(), folder = SSH.folder(server, room)
        return FileServerBench.Server(
            routes: [FaultProxy.Route(to: server.port)], files: { try ServerFolder.files(below: folder) },
            copies: { try ServerFolder.copies($0, below: folder) },
            make: { port, _, _, patience in
                let known = try SSH.knownHosts(server, port: port)
                return try SSH.target(server, room: room, port: port) {
                    ($0.knownHosts, $0.files.stallTimeout) = (known, patience)
                }
            })
    }

    /// `\xFF` in a name travels as U+10FFFF here, and is one byte again at the server.
    @Test func aNameThatIsNotUTF8KeepsItsBytes() async throws {
        let server = try await SSH.server.start(), room = SharedServer.newRoom(), sample = try SampleJob()
        let target = try SSH.target(server, room: room)
        let job = sample.job("bad\u{10FFFF}.jpg", path: "bad\u{10FFFF}.jpg")
        let receipt = try await target.upload(job)
        #expect(
            try FileSystem.names(in: SSH.folder(server, room)).map { Array($0.utf8) } == [
                Array("bad\u{10FFFF}.jpg".utf8)
            ])
        #expect(try await target.verify(receipt, size: sample.size, sha256: sample.digests.sha256) == .equal)
        #expect(try await SSH.target(server, room: room).upload(job).existed)
    }

    static func failure(_ target: SFTPTarget, _ job: UploadJob) async -> IngestError? {
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
        let server = try await SSH.server.start(), room = SharedServer.newRoom(), sample = try SampleJob()
        let other = try SampleJob()
        let target = try SSH.target(server, room: room) { $0.files.verify = .reread }
        let job = sample.job("Ä \"1\" #%?.jpg", path: "2026/05/Ä \"1\" #%?.jpg")
        let receipt = try await target.upload(job)
        #expect(
            receipt.verified == .reread
                && FileManager.default.fileExists(atPath: SSH.folder(server, room) + "/2026/05/Ä \"1\" #%?.jpg"))
        #expect(try await target.verify(receipt, size: sample.size, sha256: sample.digests.sha256) == .equal)
        let later = try SSH.target(server, room: room)
        #expect(try await later.find(job)?.verified == .reread)
        #expect(try await later.occupancy(of: job.path, for: other.job()) == .other)
        #expect(try await later.occupancy(of: "2026/05/new.jpg", for: other.job()) == .free)
        #expect(await Self.failure(later, other.job("x.jpg", path: job.path))?.code == .nameTaken)
        #expect(try ServerFolder.copies(sample.digests.sha256, below: SSH.folder(server, room)) == 1)
    }

    /// Other stations tell an address alone: below the target's own it is as good as a path, and nowhere else.
    @Test func aCopyIsFoundByItsAddress() async throws {
        let server = try await SSH.server.start(), room = SharedServer.newRoom(), sample = try SampleJob()
        let target = try SSH.target(server, room: room)
        let told = try await target.upload(sample.job("Ä #1.jpg", path: "2026/Ä #1.jpg"))
        let address = try #require(told.url), base = try #require(target.traits.address)
        #expect(address.hasPrefix(base) && base.hasSuffix("/"))
        func answer(_ url: String) async throws -> Verification {
            let receipt = Receipt(state: .done, url: url)
            return try await target.verify(receipt, size: sample.size, sha256: sample.digests.sha256)
        }
        #expect(try await answer(address) == .equal)
        #expect(try await answer(base + "2026/other.jpg") == .missing)
        let outside: [String] = [
            base + "../\(room)/2026/%C3%84%20%231.jpg", base + "2026%2F%C3%84%20%231.jpg", base + "2026//x", base,
            "ftp" + address.dropFirst(4), "",
        ]
        for url in outside { #expect(try await answer(url) == .cannotTell, "\(url)") }
    }

    /// 2 MB at 500 kB/s: nearly four seconds of waiting, all in the injected clock.
    @Test func theBandwidthLimitHolds() async throws {
        let server = try await SSH.server.start(), room = SharedServer.newRoom()
        let sample = try SampleJob(count: 2_000_000)
        let time = WaitedTime()
        var place = FileServer(.sftp, host: "127.0.0.1", port: server.port, user: NSUserName())
        var options = TransportOptions()
        (place.key, place.knownHosts) = (server.folder + "/id", server.folder + "/known_hosts")
        (options.bytesPerSecond, options.clock) = (500_000, time.clock)
        let path = SSH.folder(server, room) + "/limited"
        try await FileTransport(place, options).put(sample.job().slice, to: path + ".part", thenRenameTo: path)
        #expect(time.seconds >= (2_000_000 - 125_000) / 500_000 - 0.01)
        var config = SFTPOptions()
        config.files.limitRate = ByteCount(500_000)
        #expect(config.files.transport.bytesPerSecond == 500_000)
    }

    @Test func anUnknownHostGetsNothing() async throws {
        let server = try await SSH.server.start(), room = SharedServer.newRoom(), sample = try SampleJob()
        let target = try SSH.target(server, room: room) { $0.knownHosts = "/dev/null" }
        let unknown = await Self.failure(target, sample.job())
        #expect(unknown?.code == .untrusted && unknown?.message.contains("not in /dev/null") == true)
        #expect(!FileManager.default.fileExists(atPath: SSH.folder(server, room)))
    }

    @Test func aHostWhoseKeyWasAnotherOneIsToldAsSuch() async throws {
        let server = try await SSH.server.start(), sample = try SampleJob()
        let known = server.folder + "/known_hosts-changed"
        let key = try String(contentsOfFile: server.folder + "/id.pub", encoding: .utf8).split(separator: " ").prefix(2)
        try "[127.0.0.1]:\(server.port) \(key.joined(separator: " "))\n".write(
            toFile: known, atomically: true, encoding: .utf8)
        let error = await Self.failure(try SSH.target(server, room: "x") { $0.knownHosts = known }, sample.job())
        #expect(error?.code == .untrusted && error?.message.contains("another one than in \(known)") == true)
        #expect(error?.advice?.contains("-R '[127.0.0.1]:\(server.port)' -f \(known)") == true)
    }

    @Test func aPrivateKeyThatIsNotThereIsNamed() async throws {
        let server = try await SSH.server.start(), sample = try SampleJob(), key = server.folder + "/no-such-key"
        let error = await Self.failure(try SSH.target(server, room: "x") { $0.key = key }, sample.job())
        #expect(error?.code == .unauthorized && error?.message.contains(key) == true)
    }

    @Test func aKeyThatIsNotKnownThereHolds() async throws {
        let server = try await SSH.server.start(), sample = try SampleJob()
        let target = try SSH.target(server, room: SharedServer.newRoom()) { $0.key = server.folder + "/hostkey" }
        #expect(await Self.failure(target, sample.job())?.code == .unauthorized)
    }

    @Test func nobodyThereIsTriedAgain() async throws {
        let server = try await SSH.server.start(), sample = try SampleJob()
        #expect(await Self.failure(try SSH.target(server, room: "x", port: 1), sample.job())?.code == .network)
    }
}
