import FilmgateCore
import FilmgateTesting
import HTTPKit
import Synchronization
import Testing

@testable import RcloneTarget

/// rclone goes on with a copy, whatever becomes of the questions about it.
@Suite(.timeLimit(.minutes(5))) struct LostAnswersTests {
    private struct Copying: Sendable {
        /// So many questions about the copy are not answered.
        var unanswered = 0
        /// So many questions about its group are answered with: it is being copied.
        var running = 0
        var copies = 0
        var isThere: Bool { copies > 0 && running <= 0 }
    }

    private final class State: Sendable {
        private let copying: Mutex<Copying>

        init(unanswered: Int, running: Int = 0) { copying = Mutex(Copying(unanswered: unanswered, running: running)) }

        var copies: Int { copying.withLock(\.copies) }
        func change<Value: Sendable>(_ body: (inout Copying) -> Value) -> Value { copying.withLock { body(&$0) } }
    }

    /// A remote without digests, where the file is to be seen once it is copied.
    private static func daemon(_ state: State, size: UInt64) throws -> FaultServer {
        try FaultServer { seen, _ in
            switch seen.target {
            case "/operations/list":
                let isThere = state.change { $0.isThere }
                return .answer(200, body: isThere ? #"{"list":[{"Name":"IMG_1.JPG"}]}"# : #"{"list":[]}"#)
            case "/operations/fsinfo": return .answer(200, body: #"{"Hashes":[]}"#)
            case "/operations/stat": return .answer(200, body: #"{"jobid":1}"#)
            case "/operations/copyfile":
                state.change { $0.copies += 1 }
                return .answer(200, body: #"{"jobid":2}"#)
            case "/core/stats":
                let isRunning = state.change { state in
                    state.running -= 1
                    return state.running >= 0
                }
                return .answer(200, body: isRunning ? #"{"transferring":[{"name":"x"}]}"# : #"{"transfers":1}"#)
            default: return .compute { Self.status($0, state, size) }
            }
        }
    }

    private static func status(_ seen: FaultServer.Seen, _ state: State, _ size: UInt64) -> FaultAct {
        let isLook = JSONValue(seen.body)?["jobid"]?.text == "1"
        let (isLost, isThere) = state.change { state in
            if !isLook { state.unanswered -= 1 }
            return (!isLook && state.unanswered >= 0, state.isThere)
        }
        if isLost { return .hangUpAfterBody }
        let item = isThere ? #"{"Name":"IMG_1.JPG","Size":\#(size)}"# : "null"
        return .answer(200, body: #"{"finished":true,"success":true,"output":{"item":\#(item)}}"#)
    }

    /// The daemon is busy for a moment.
    @Test func aQuestionWithoutAnAnswerIsAskedAgain() async throws {
        let sample = try SampleJob(), state = State(unanswered: 4)
        let server = try Self.daemon(state, size: sample.size)
        defer { server.stop() }
        let receipt = try await Rclone.target(server.url, room: "r", Open()).upload(sample.job("IMG_1.JPG"))
        #expect(!receipt.existed && state.copies == 1)
    }

    /// A second copy beside it would be a second file of one name at some remotes.
    @Test func noSecondCopyBeginsWhileTheFirstIsUnderWay() async throws {
        let sample = try SampleJob(), state = State(unanswered: .max, running: 2)
        let server = try Self.daemon(state, size: sample.size)
        defer { server.stop() }
        #expect(try await Rclone.failure(server, sample.job("IMG_1.JPG")) == .network)
        state.change { $0.unanswered = 0 }
        // Another process, later.
        let receipt = try await Rclone.target(server.url, room: "r", Open()).upload(sample.job("IMG_1.JPG"))
        #expect(receipt.existed && state.copies == 1)
        #expect(server.seen.count { $0.target == "/core/stats" } == 3)
    }

    /// A daemon that was started anew counts its jobs from 1 again.
    @Test func anotherJobOfTheSameNumberIsNotOurs() async throws {
        let sample = try SampleJob(), size = sample.size
        let server = try FaultServer { seen, _ in
            switch seen.target {
            case "/operations/list": .answer(200, body: #"{"list":[]}"#)
            case "/operations/fsinfo": .answer(200, body: #"{"Hashes":[]}"#)
            case "/operations/copyfile", "/operations/stat": .answer(200, body: #"{"jobid":1}"#)
            case "/core/stats": .answer(200, body: #"{"transfers":1}"#)
            default:
                .answer(
                    200,
                    body:
                        #"{"group":"job/1","finished":true,"success":true,"output":{"item":{"Name":"x","Size":\#(size)}}}"#
                )
            }
        }
        defer { server.stop() }
        #expect(try await Rclone.failure(server, sample.job("IMG_1.JPG")) == .unavailable)
    }

    /// The same at every try, and no other file's.
    @Test func theCopiesOfAFileAreCountedUnderOneName() throws {
        let one = try Rclone.target("http://127.0.0.1:9", room: "r", Open()).daemon
        let same = try Rclone.target("http://127.0.0.1:9", room: "r", Open()).daemon
        let other = try Rclone.target("http://127.0.0.1:9", room: "s", Open()).daemon
        #expect(one.group(of: "a", at: "x") == same.group(of: "a", at: "x"))
        let names = [one.group(of: "a", at: "x"), one.group(of: "a", at: "y"), one.group(of: "b", at: "x")]
        #expect(Set(names + [other.group(of: "a", at: "x")]).count == 4)
    }
}
