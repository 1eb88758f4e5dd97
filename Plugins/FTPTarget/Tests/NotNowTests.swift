import FilmgateCore
import FilmgateTesting
import HTTPKit
import Logging
import Synchronization
import Testing

@testable import FTPTarget

/// Servers that refuse for the moment, and such as open no port for transfers.
@Suite(.timeLimit(.minutes(2))) struct NotNowTests {
    private let other = "/in/IMG_0001.JPG"

    private func target(_ server: FTPDouble, state: String = Temporary.folder) throws -> FTPTarget {
        var options = FTPOptions()
        (options.files.host, options.port, options.files.user) = ("127.0.0.1", server.port, "cam")
        (options.files.path, options.tls, options.allowCleartext) = (Template("/in/{name}"), .none, true)
        options.password = Secret(.environment("FTP"))
        let lookup = Lookup(secrets: CanarySecrets("ftp-pa55word"))
        return try FTPTarget(
            options, ModuleContext(name: "nas", logger: Logger(label: "test"), state: state, lookup: lookup))
    }

    /// `Bl\xE5.JPG`, as old programs wrote it: the byte travels through the program as U+10FFE5.
    @Test func aForeignNameThatIsNotUTF8IsSeen() async throws {
        let name = "Bl\u{10FFE5}.JPG", foreign = ["/in/" + name: Array("FOREIGN".utf8)]
        let server = try FTPDouble(foreign), sample = try SampleJob(), target = try target(server)
        defer { server.stop() }
        #expect(try await target.occupancy(of: name, for: sample.job(name)) == .other)
        #expect(await FTPTargetTests.failure(target, sample.job(name))?.code == .nameTaken)
        #expect(server.files == foreign)
    }

    /// A server that cannot spell one name of its folder cannot be believed about any: each is asked for.
    @Test func aListWithANameThatTheServerCannotSpellIsNone() async throws {
        let server = try FTPDouble([other: [1, 2, 3], "/in/Bl\u{FFFD}.JPG": [4]]), sample = try SampleJob()
        let target = try target(server)
        defer { server.stop() }
        _ = try await target.upload(sample.job("IMG_0002.JPG"))
        #expect(server.commands.contains { $0.hasPrefix("RETR") || $0.hasPrefix("SIZE") }, "\(server.commands)")
    }

    /// The same frame by two stations, while one of them has all of it and has not renamed it yet: the other must not
    /// cut it.
    @Test func twoStationsSendUnderTwoHiddenNamesAndOneAlwaysUnderTheSame() async throws {
        let server = try FTPDouble { $0 == "RNFR" ? "450 Later." : nil }, sample = try SampleJob()
        defer { server.stop() }
        let states = [Temporary.ownFolder, Temporary.ownFolder]
        for state in [states[0], states[1], states[0]] {
            _ = await FTPTargetTests.failure(try target(server, state: state), sample.job())
        }
        let names = server.commands.filter { $0.hasPrefix("STOR") }
        #expect(names.count == 3 && names[0] != names[1] && names[0] == names[2], "\(names)")
    }

    /// What a server writes late of a try that broke off cuts nothing that was sent since, and goes in the end.
    @Test(arguments: [1, 3]) func aServerThatComesLateCutsNothing(_ broken: Int) async throws {
        let server = try FTPDouble(comesLate: broken), sample = try SampleJob(), target = try target(server)
        defer { server.stop() }
        for _ in 0..<broken { #expect(await FTPTargetTests.failure(target, sample.job())?.code == .network) }
        _ = try await target.upload(sample.job())
        #expect(server.files[other]?.count == Int(sample.size))
        try await target.finishRun([])
        #expect(Array(server.files.keys) == [other], "\(server.files.mapValues(\.count))")
    }

    /// "Busy" is not "missing": what somebody else put there would be replaced.
    @Test(arguments: [["RETR"], ["RETR", "NLST"], ["CWD"]], ["450 In use.", "425 No connection.", "421 Too many."])
    func whatCannotBeReadNowIsNotTakenForFree(_ verbs: [String], _ reply: String) async throws {
        let server = try FTPDouble([other: [1, 2, 3]]) { verbs.contains($0) ? reply : nil }
        defer { server.stop() }
        let sample = try SampleJob(), target = try target(server)
        let error = await FTPTargetTests.failure(target, sample.job())
        #expect(error?.code == .unavailable, "\(String(describing: error))")
        do throws(IngestError) {
            let occupancy = try await target.occupancy(of: "IMG_0001.JPG", for: sample.job())
            #expect(occupancy != .free)
        } catch { #expect(error.code == .unavailable) }
        #expect(server.files == [other: [1, 2, 3]])
    }

    /// Some servers say 450 of an empty folder: each name is then asked for by itself.
    @Test func aFolderThatIsNotListedNowStillTakesFiles() async throws {
        let server = try FTPDouble([other: [1, 2, 3]]) { $0 == "NLST" ? "450 No files found." : nil }
        defer { server.stop() }
        let sample = try SampleJob(), target = try target(server)
        #expect(await FTPTargetTests.failure(target, sample.job())?.code == .nameTaken)
        _ = try await target.upload(sample.job("IMG_0002.JPG"))
        #expect(server.files[other] == [1, 2, 3] && server.files["/in/IMG_0002.JPG"]?.count == Int(sample.size))
    }

    /// vsftpd lists a folder that it may not open as an empty one.
    @Test func aFolderThatMayNotBeListedIsNoEmptyOne() async throws {
        let server = try FTPDouble([other: [1, 2, 3]], hidesNames: true)
        defer { server.stop() }
        let sample = try SampleJob(), target = try target(server)
        #expect(try await target.occupancy(of: "IMG_0001.JPG", for: sample.job()) == .other)
        #expect(await FTPTargetTests.failure(target, sample.job())?.code == .nameTaken)
        _ = try await target.upload(sample.job("IMG_0002.JPG"))
        #expect(server.files[other] == [1, 2, 3] && server.files["/in/IMG_0002.JPG"]?.count == Int(sample.size))
    }

    /// What an honest server lists as empty costs no question for each file.
    @Test func anEmptyFolderIsBelieved() async throws {
        let verbs = Mutex<[String]>([])
        let server = try FTPDouble { verb in
            verbs.withLock { $0.append(verb) }
            return nil
        }
        defer { server.stop() }
        let sample = try SampleJob(), target = try target(server)
        for number in 0..<4 { _ = try await target.upload(sample.job("IMG_\(number).JPG")) }
        #expect(
            verbs.withLock { verbs in verbs.contains("NLST") && !verbs.contains("SIZE") && !verbs.contains("RETR") })
    }

    @Test(arguments: [
        ("452 Full.", IngestError.Code.storageFull), ("552 Quota.", .storageFull), ("451 Local error.", .unavailable),
    ])
    func aServerThatTakesNoFileSaysWhy(_ reply: String, _ code: IngestError.Code) async throws {
        let server = try FTPDouble { $0 == "STOR" ? reply : nil }
        defer { server.stop() }
        let sample = try SampleJob(), error = await FTPTargetTests.failure(try target(server), sample.job())
        #expect(error?.code == code, "\(String(describing: error))")
    }

    @Test func aServerWithoutPassiveModeIsToldAsSuch() async throws {
        let server = try FTPDouble { ["EPSV", "PASV"].contains($0) ? "502 Active mode only." : nil }
        defer { server.stop() }
        let error = await FTPTargetTests.failure(try target(server), try SampleJob().job())
        #expect(error?.code == .unavailable && error?.message.contains("no port for transfers") == true)
        #expect(error?.advice?.contains("passive mode") == true)
    }
}
