import FileKit
import FilmgateCore
import FilmgateTesting
import Foundation
import Logging
import Testing

@testable import ExecTarget

/// A shell script in a folder of its own that delivers into `there` below it.
final class Script: Sendable {
    let folder: String

    init(_ body: String) throws {
        folder = NSTemporaryDirectory() + "/exec-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder + "/there", withIntermediateDirectories: true)
        try Data("#!/bin/sh\ncd '\(folder)' || exit 1\n\(body)\n".utf8).write(to: URL(fileURLWithPath: folder + "/run"))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/run")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func target(timeout: Duration = .seconds(60)) throws -> ExecTarget {
        var options = ExecTarget.Options()
        (options.command, options.timeout) = ([folder + "/run"], timeout)
        return try ExecTarget(options, ModuleContext(name: "mine", logger: Logger(label: "test"), state: folder))
    }

    func copies(_ sha256: String) throws -> Int {
        try FileSystem.names(in: folder + "/there").count {
            try FileCopy.hash(path: "\(folder)/there/\($0)").digests.sha256 == sha256
        }
    }

    static let copying =
        "cp \"$FILMGATE_FILE\" \"there/$FILMGATE_SHA256\" && echo id=$FILMGATE_NAME sha256=$(sha256sum <there/$FILMGATE_SHA256)"
}

@Suite(.timeLimit(.minutes(3))) struct ExecTargetTests {
    static let bench = TargetBench {
        let script = try Script(Script.copying)
        return TargetPlace(try script.target()) { try script.copies($0) }
    }

    @Test(arguments: TargetConformance.checks) func conforms(_ check: Check<TargetBench>) async throws {
        try await check.run(Self.bench)
    }

    static func failure(_ body: String, timeout: Duration = .seconds(60)) async throws -> IngestError? {
        let script = try Script(body), sample = try SampleJob(count: 10), target = try script.target(timeout: timeout)
        do throws(IngestError) {
            _ = try await target.upload(sample.job())
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        (75, IngestError.Code.unavailable), (77, .unauthorized), (28, .storageFull), (1, .rejected),
        (255, .unavailable), (200, .rejected), (137, .unavailable),
    ])
    func exitStatusesBySense(_ status: Int, _ code: IngestError.Code) async throws {
        let error = try await Self.failure("echo 'No disc.' >&2; exit \(status)")
        #expect(error?.code == code && error?.message.contains("No disc.") == true)
    }

    @Test func aProgramInheritsNoOpenFile() async throws {
        let file = open("/etc/hostname", O_RDONLY)
        defer { close(file) }
        let error = try await Self.failure("ls -l /proc/$$/fd | grep hostname >&2 && exit 1; exit 0")
        #expect(error == nil, "\(String(describing: error))")
    }

    /// Nobody can ask a program what it has: what must not happen twice, `check` says.
    @Test func thatAFileMayComeTwiceIsWarnedOf() throws {
        let warnings = try Script("exit 0").target().traits.warnings
        #expect(warnings.count == 1 && warnings[0].contains("FILMGATE_SHA256"))
    }

    /// Names that are no UTF-8, as old cards and archives have them.
    @Test func aNameIsHandedOnAsTheBytesThatItIs() async throws {
        let script = try Script("cat \"$FILMGATE_FILE\" >there/$FILMGATE_SHA256 && printf %s \"$FILMGATE_NAME\" >name")
        let sample = try SampleJob(), name = Array("Bl".utf8) + [0xE9] + Array(".JPG".utf8)
        let path = Array((script.folder + "/").utf8) + name + [0]
        #expect(link(sample.file, path.map { CChar(bitPattern: $0) }) == 0)
        var job = sample.job("Bl\u{10FFE9}.JPG")
        job.file.path = script.folder + "/Bl\u{10FFE9}.JPG"
        _ = try await script.target().upload(job)
        #expect(try script.copies(sample.digests.sha256) == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: script.folder + "/name")) == Data(name))
    }

    @Test func aProgramThatHangsIsEndedWithItsChildren() async throws {
        #expect(try await Self.failure("sleep 1000 & sleep 1000", timeout: .milliseconds(300))?.code == .unavailable)
    }

    /// Dead, if perhaps not yet buried by whoever inherited it.
    private static func isGone(_ process: String) -> Bool {
        guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return true }
        return line.split(separator: ")").last?.split(separator: " ").first == "Z"
    }

    /// Its own child is reaped, and what that left running ends with it, whether it ended well, badly or too late.
    @Test(arguments: [("exit 0", true), ("exit 1", false), ("sleep 1000", false)])
    func nothingOfAProgramStays(_ end: String, _ fine: Bool) async throws {
        let script = try Script("(sleep 1000 & sleep 1000) >/dev/null 2>&1 & echo $! >left; echo $$ >own; \(end)")
        let sample = try SampleJob(count: 10), target = try script.target(timeout: .seconds(2))
        let result = await Result { () async throws(IngestError) in try await target.upload(sample.job()) }
        #expect(((try? result.get()) != nil) == fine)
        func number(_ name: String) throws -> String {
            try String(contentsOfFile: script.folder + "/" + name, encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
        }
        let (own, left) = (try number("own"), try number("left"))
        #expect(!FileManager.default.fileExists(atPath: "/proc/\(own)"))
        for _ in 0..<500 where !Self.isGone(left) { try await Task.sleep(for: .milliseconds(10)) }
        #expect(Self.isGone(left))
    }

    @Test func aProgramThatNeverStopsTalkingIsEnded() async throws {
        #expect(try await Self.failure("exec yes", timeout: .milliseconds(300))?.code == .unavailable)
    }

    @Test func aFloodOfWordsIsCut() async throws {
        let error = try await Self.failure("yes | head -c 1000000; exit 0")
        #expect(error == nil, "\(error.map(String.init(describing:)) ?? "")")
    }

    @Test func aFloodThatNeverEndsIsEndedInTime() async throws {
        #expect(try await Self.failure("yes", timeout: .milliseconds(300))?.code == .unavailable)
        #expect(try await Self.failure("yes >&2", timeout: .milliseconds(300))?.code == .unavailable)
    }

    @Test func whatIsSaidLastCountsHoweverMuchWasSaidBefore() async throws {
        let script = try Script("yes | head -c 200000\necho id=7 sha256=$FILMGATE_SHA256"), sample = try SampleJob()
        let receipt = try await script.target().upload(sample.job())
        #expect(receipt.id == "7" && receipt.verified == .server)
    }

    @Test func otherBytesThanWereGivenAreNoDelivery() async throws {
        let other = String(repeating: "0", count: 64)
        #expect(try await Self.failure("echo id=7 sha256=\(other)")?.code == .corruptData)
        #expect(try await Self.failure("echo id=7 sha256=unknown") == nil)
    }

    @Test func cancelled() async throws {
        let script = try Script("touch there/begun; sleep 1000"), sample = try SampleJob(count: 10)
        let target = try script.target()
        let task = Task { await Result { () async throws(IngestError) in try await target.upload(sample.job()) } }
        while try FileSystem.names(in: script.folder + "/there").isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        guard case .failure(let error) = await task.value else {
            Issue.record("It was delivered.")
            return
        }
        #expect(error.code == .cancelled)
    }

    @Test func aProofIsTheProgramsOwnDigest() async throws {
        let script = try Script(Script.copying), sample = try SampleJob()
        let receipt = try await script.target().upload(sample.job())
        #expect(receipt.id == "IMG_0001.JPG" && receipt.verified == .server)
    }
}
