import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization
import Testing

@testable import RcloneTarget

/// What a daemon might say, by a scripted one.
@Suite(.timeLimit(.minutes(5))) struct DaemonAnswersTests {
    /// Every folder holds IMG_1.JPG; `stat` is what is said of it, `copying` what is said of a copy under way.
    private static func daemon(stat: String, copying: String = "{}", hashes: String = "[]") throws -> FaultServer {
        try FaultServer { seen, _ in
            switch seen.target {
            case "/operations/list": .answer(200, body: #"{"list":[{"Name":"IMG_1.JPG"}]}"#)
            case "/operations/fsinfo": .answer(200, body: #"{"Hashes":\#(hashes)}"#)
            case "/operations/stat": .answer(200, body: #"{"jobid":1}"#)
            case "/operations/copyfile": .answer(200, body: #"{"jobid":2}"#)
            default:
                .compute { seen in
                    let isStat = JSONValue(seen.body)?["jobid"]?.text == "1"
                    return .answer(200, body: isStat ? #"{"finished":true,"success":true,"output":\#(stat)}"# : copying)
                }
            }
        }
    }

    /// RAW files of one camera are often all of one size.
    @Test func theSameSizeWithoutADigestIsNobodysProof() async throws {
        let sample = try SampleJob()
        let server = try Self.daemon(stat: #"{"item":{"Name":"IMG_1.JPG","Size":\#(sample.size)}}"#)
        defer { server.stop() }
        #expect(try await Rclone.failure(server, sample.job("IMG_1.JPG")) == .nameTaken)
        #expect(!server.seen.contains { $0.target == "/operations/copyfile" })
    }

    /// A second station's file of the same name and size came in between: rclone passes ours over and calls it a
    /// success.
    @Test(arguments: [true, false]) func whatRclonePassedOverIsNotDelivered(_ isSkipped: Bool) async throws {
        let sample = try SampleJob(), size = sample.size
        let server = try FaultServer { seen, _ in
            switch seen.target {
            case "/operations/list": .answer(200, body: #"{"list":[]}"#)
            case "/operations/fsinfo": .answer(200, body: #"{"Hashes":[]}"#)
            case "/operations/stat": .answer(200, body: #"{"jobid":1}"#)
            case "/operations/copyfile": .answer(200, body: #"{"jobid":2}"#)
            case "/core/stats": .answer(200, body: #"{"bytes":0,"checks":1,"transfers":\#(isSkipped ? 0 : 1)}"#)
            default:
                .answer(
                    200,
                    body: #"{"finished":true,"success":true,"output":{"item":{"Name":"IMG_1.JPG","Size":\#(size)}}}"#)
            }
        }
        defer { server.stop() }
        let target = try Rclone.target(server.url, room: "r", Open())
        // The second time as well: that it was tried there is no sign that it is ours.
        for _ in 0..<(isSkipped ? 2 : 1) {
            do throws(IngestError) {
                let receipt = try await target.upload(sample.job("IMG_1.JPG"))
                #expect(!isSkipped && receipt.verified == .size)
            } catch { #expect(isSkipped && error.code == .nameTaken, "\(error)") }
        }
    }

    /// Some remotes tell neither size nor digest: rclone writes -1.
    @Test func whatTellsNoSizeIsNotTakenForOtherBytes() async throws {
        let sample = try SampleJob(), isCopied = Atomic(false)
        let server = try FaultServer { seen, _ in
            switch seen.target {
            case "/operations/list":
                let isThere = isCopied.load(ordering: .relaxed)
                return .answer(200, body: isThere ? #"{"list":[{"Name":"IMG_1.JPG"}]}"# : #"{"list":[]}"#)
            case "/operations/fsinfo": return .answer(200, body: #"{"Hashes":[]}"#)
            case "/operations/stat": return .answer(200, body: #"{"jobid":1}"#)
            case "/operations/copyfile":
                isCopied.store(true, ordering: .relaxed)
                return .answer(200, body: #"{"jobid":2}"#)
            case "/core/stats": return .answer(200, body: #"{"bytes":1,"transfers":1}"#)
            default:
                return .answer(
                    200, body: #"{"finished":true,"success":true,"output":{"item":{"Name":"IMG_1.JPG","Size":-1}}}"#)
            }
        }
        defer { server.stop() }
        let target = try Rclone.target(server.url, room: "r", Open()), job = sample.job("IMG_1.JPG")
        let first = try await target.upload(job), second = try await target.upload(job)
        #expect(first.verified == .none && !first.existed)
        #expect(second.verified == .none && second.existed)
        #expect(server.seen.count { $0.target == "/operations/copyfile" } == 1)
        // Nobody else's is ours by that.
        #expect(try await Rclone.failure(server, SampleJob().job("IMG_1.JPG")) == .nameTaken)
    }

    @Test func aListWithANameThatJSONCannotSpellIsNone() async throws {
        let server = try FaultServer { _, _ in .answer(200, body: #"{"list":[{"Name":"Bl\ufffd.JPG"}]}"#) }
        defer { server.stop() }
        #expect(try await Rclone.target(server.url, room: "r", Open()).daemon.names(in: "") == nil)
    }

    /// rclone would look for a file that is called otherwise, here or there.
    @Test(arguments: [true, false]) func aNameThatJSONCannotSpellIsNotAskedFor(_ isOurs: Bool) async throws {
        let sample = try SampleJob(), server = try Self.daemon(stat: #"{"item":null}"#)
        defer { server.stop() }
        var job = sample.job(isOurs ? "IMG_2.JPG" : "Bl\u{10FFE9}.JPG")
        if isOurs { job.file.path = "/nowhere/Bl\u{10FFE9}.JPG" }
        #expect(try await Rclone.failure(server, job) == .rejected)
        #expect(server.seen.isEmpty)
    }

    /// Nothing is copied over what cannot be seen.
    @Test(arguments: ["{}", "null", #"{"item":7}"#]) func anAnswerThatSaysNothingIsNotNo(_ stat: String) async throws {
        let sample = try SampleJob(), server = try Self.daemon(stat: stat)
        defer { server.stop() }
        #expect(try await Rclone.failure(server, sample.job("IMG_1.JPG")) == .unavailable)
        #expect(!server.seen.contains { $0.target == "/operations/copyfile" })
    }

    @Test func aCommandThatItDoesNotKnowIsNotNo() async throws {
        let sample = try SampleJob()
        let server = try FaultServer { seen, _ in
            switch seen.target {
            case "/operations/list": .answer(200, body: #"{"list":[{"Name":"IMG_1.JPG"}]}"#)
            case "/operations/fsinfo": .answer(200, body: #"{"Hashes":[]}"#)
            default: .answer(404, body: #"{"error":"couldn't find method \"operations/stat\"","status":404}"#)
            }
        }
        defer { server.stop() }
        #expect(try await Rclone.failure(server, sample.job("IMG_1.JPG")) == .rejected)
    }

    @Test func aCopyThatNobodyTellsTheEndOfIsNotWaitedForWithoutEnd() async throws {
        let sample = try SampleJob(), server = try Self.daemon(stat: #"{"item":null}"#)
        defer { server.stop() }
        #expect(try await Rclone.failure(server, sample.job("IMG_1.JPG")) == .unavailable)
    }

    /// A file that the remote cannot have is set aside; one that it only cannot have now is tried again.
    @Test(arguments: [
        ("invalid file name", true, IngestError.Code.rejected), ("503 Service Unavailable", true, .unavailable),
        ("invalid file name", false, .unavailable),
    ])
    func oneImpossibleFileDoesNotStopTheTarget(_ words: String, _ answers: Bool, _ last: IngestError.Code)
        async throws
    {
        let sample = try SampleJob()
        let server = try FaultServer { seen, number in
            switch seen.target {
            case "/operations/list": number == 0 || answers ? .answer(200, body: #"{"list":[]}"#) : .answer(500)
            case "/operations/fsinfo": .answer(200, body: #"{"Hashes":[]}"#)
            case "/operations/stat": .answer(200, body: #"{"jobid":1}"#)
            case "/operations/copyfile": .answer(200, body: #"{"jobid":2}"#)
            case "/core/stats": .answer(200, body: "{}")
            default:
                .compute { seen in
                    let isStat = JSONValue(seen.body)?["jobid"]?.text == "1"
                    let ended =
                        isStat ? #""success":true,"output":{"item":null}"# : #""success":false,"error":"\#(words)""#
                    return .answer(200, body: #"{"finished":true,\#(ended)}"#)
                }
            }
        }
        defer { server.stop() }
        let target = try Rclone.target(server.url, room: "r", Open())
        var codes: [IngestError.Code] = []
        for _ in 0..<3 {
            do throws(IngestError) { _ = try await target.upload(sample.job("IMG_1.JPG")) } catch {
                codes.append(error.code)
            }
        }
        #expect(codes == [.unavailable, .unavailable, last])
    }

    private static func verification(
        _ stat: String, hashes: String, id: String? = "there:r/2026/IMG_1.JPG"
    ) async throws -> Verification {
        let server = try daemon(stat: stat, hashes: hashes), receipt = Receipt(state: .done, id: id)
        defer { server.stop() }
        return try await Rclone.target(server.url, room: "r", Open()).verify(receipt, size: 7, sha256: digest)
    }

    private static let digest = String(repeating: "a", count: 64)

    @Test func aCopyIsWhatTheRemoteSaysOfIt() async throws {
        let known = #"["md5","sha256"]"#, sha256 = #""Hashes":{"sha256":"\#(Self.digest.uppercased())"}"#
        #expect(try await Self.verification(#"{"item":null}"#, hashes: known) == .missing)
        #expect(try await Self.verification(#"{"item":{"Size":7,\#(sha256)}}"#, hashes: known) == .equal)
        #expect(
            try await Self.verification(#"{"item":{"Size":8,\#(sha256)}}"#, hashes: known)
                == .differs("It has 8 bytes instead of 7."))
        #expect(
            try await Self.verification(#"{"item":{"Size":7,"Hashes":{"sha256":"bb"}}}"#, hashes: known)
                == .differs("Its SHA-256 is bb."))
    }

    /// Receipts keep the SHA-256 alone: what the remote knows by others is compared by its size.
    @Test func whatSharesNoDigestIsNotTold() async throws {
        #expect(try await Self.verification(#"{"item":{"Size":7}}"#, hashes: #"["md5"]"#) == .cannotTell)
        #expect(try await Self.verification(#"{"item":{"Size":-1}}"#, hashes: "[]") == .cannotTell)
        #expect(
            try await Self.verification(#"{"item":{"Size":6}}"#, hashes: "[]")
                == .differs("It has 6 bytes instead of 7."))
        for id in [nil, "there:r", "there:r/", "elsewhere:r/IMG_1.JPG"] {
            #expect(try await Self.verification(#"{"item":null}"#, hashes: "[]", id: id) == .cannotTell)
        }
    }
}
