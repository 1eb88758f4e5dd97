import FilmgateCore
import GPhoto2Wire
import Glibc
import Synchronization

/// The process around libgphoto2, and the socket to it.
///
/// Its end, however it comes, is an error of whoever was asking, and nothing else.
// The channel is used by the asking thread alone; what `end` touches may be touched from any.
final class GPhotoProcess: GPhotoLink, @unchecked Sendable {
    private let channel: FrameChannel
    private let child: ChildProcess
    private let isEnded = Atomic(false)
    private let socket: Int32

    /// Starts `program`, or the one that came with this program.
    ///
    /// `notFound` when it is not installed.
    init(program: String? = ChildProgram.path, arguments: [String] = []) throws(IngestError) {
        guard let program else {
            throw IngestError(
                .notFound, "filmgate-gphoto2 is not installed.",
                advice: "It belongs beside filmgate: make install puts it there.")
        }
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw IngestError(.unexpected, "No socket for libgphoto2: \(String(cString: strerror(errno))).")
        }
        defer { close(pair[1]) }
        do throws(ChildProcess.StartFailure) {
            let command = ChildProcess.Command([program] + arguments, environment: ChildProgram.environment)
            child = try ChildProcess(command, [pair[1], pair[1], nil])
        } catch {
            close(pair[0])
            throw IngestError(.notFound, "\(program) cannot be started.")
        }
        socket = pair[0]
        channel = FrameChannel(pair[0])
    }

    deinit { end() }

    func ask(
        _ request: GPhotoRequest, silence: Duration, _ each: (GPhotoReply) throws(IngestError) -> Void
    ) throws(IngestError) {
        var failure: IngestError?, since = ContinuousClock.now
        do throws(WireError) {
            try channel.send(request.frame)
            var isWhole = false
            while !isWhole {
                let reply = try GPhotoReply(try channel.receive(within: silence))
                if case .done = reply {
                    isWhole = true
                    continue
                }
                if case .failed(let code, let text) = reply {
                    failure = failure ?? IngestError(gphoto: code, text)
                    isWhole = true
                    continue
                }
                // What is no longer wanted is still heard to its end, so that the camera is left in order; a large rest
                // is not waited for.
                guard failure == nil else {
                    if .now - since > .seconds(5) { break }
                    continue
                }
                do throws(IngestError) { try each(reply) } catch { (failure, since) = (error, .now) }
            }
            // The rest of this answer would be taken for the next one's.
            if !isWhole { _ = finish(now: true) }
        } catch { throw over(error) }
        if let failure { throw failure }
    }

    /// Ends the process and says how it ended.
    private func over(_ error: WireError) -> IngestError {
        let how = finish(now: error != .ended)
        let advice = "The camera is asked again. Other cameras are not touched."
        switch error {
        case .timedOut: return IngestError(.deviceGone, "libgphoto2 hung and was ended.", advice: advice)
        case .malformed:
            return IngestError(.deviceGone, "libgphoto2's process sent invalid data and was ended.", advice: advice)
        case .ended: return IngestError(.deviceGone, "libgphoto2's process ended\(how).", advice: advice)
        }
    }

    var isOver: Bool { isEnded.load(ordering: .relaxed) }

    func end() { _ = finish(now: false) }

    /// Lets it close the camera within three seconds, unless `now`; reaps it.
    private func finish(now: Bool) -> String {
        // Whoever is asking sees the end of the stream.
        shutdown(socket, Int32(SHUT_RDWR))
        if isEnded.exchange(true, ordering: .relaxed) { return "" }
        let ending = child.end(patience: now ? 0 : 300)
        return ending.wasKilled && !now ? " because it did not release the camera" : ending.words
    }
}

/// Where the process around libgphoto2 lies, and what it may know of us.
enum ChildProgram {
    static let name = "filmgate-gphoto2"

    /// `$FILMGATE_GPHOTO2`, or where it was installed with this program; nil when it is nowhere.
    static var path: String? { CompanionProgram.path(of: name, variable: "FILMGATE_GPHOTO2") }

    /// Nothing secret: where libgphoto2 itself is, and where it finds its drivers and settings.
    static var environment: [String] { environment(value) }

    static func environment(_ value: (String) -> String?) -> [String] {
        let names = ["HOME", "PATH", "USER", "XDG_CONFIG_HOME", "LD_LIBRARY_PATH", "CAMLIBS", "IOLIBS"]
        return names.compactMap { name in value(name).map { "\(name)=\($0)" } }
    }

    private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
