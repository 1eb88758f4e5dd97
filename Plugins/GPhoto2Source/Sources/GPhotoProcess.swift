import FilmgateCore
import GPhoto2Wire
import Glibc
import Synchronization

/// The process around libgphoto2, and the socket to it.
///
/// Its end, however it comes, is an error of whoever was asking, and nothing else.
// The channel is used by the asking thread alone; what `end` touches is behind a lock.
final class GPhotoProcess: GPhotoLink, @unchecked Sendable {
    private let channel: FrameChannel
    private let process: Mutex<pid_t?>
    private let socket: Int32

    /// Starts `program`, or the one that came with this program.
    ///
    /// `notFound` when it is not installed.
    init(program: String? = ChildProgram.path, arguments: [String] = []) throws(IngestError) {
        guard let program else {
            throw IngestError(
                .notFound, "filmgate-gphoto2 is not installed.", advice: "It belongs beside filmgate: make install puts it there.")
        }
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw IngestError(.unexpected, "No socket for libgphoto2: \(String(cString: strerror(errno))).")
        }
        let child = Self.spawn(program, arguments, socket: pair[1])
        close(pair[1])
        guard let child else {
            close(pair[0])
            throw IngestError(.notFound, "\(program) cannot be started.")
        }
        socket = pair[0]
        process = Mutex(child)
        channel = FrameChannel(pair[0])
    }

    deinit { end() }

    private static func spawn(_ program: String, _ arguments: [String], socket: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, socket, 0)
        posix_spawn_file_actions_adddup2(&actions, socket, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words = ([program] + arguments).map { (word: String) in strdup(word) } + [nil]
        var environment = ChildProgram.environment.map { (word: String) in strdup(word) } + [nil]
        defer { for word in words + environment { free(word) } }
        var child = pid_t()
        return posix_spawn(&child, program, &actions, nil, &words, &environment) == 0 ? child : nil
    }

    func ask(_ request: GPhotoRequest, silence: Duration, _ each: (GPhotoReply) throws(IngestError) -> Void) throws(IngestError) {
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
                // What is no longer wanted is still heard to its end, so that the camera is left in order; a large rest is not waited for.
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
        case .malformed: return IngestError(.deviceGone, "libgphoto2's process sent invalid data and was ended.", advice: advice)
        case .ended: return IngestError(.deviceGone, "libgphoto2's process ended\(how).", advice: advice)
        }
    }

    var isOver: Bool { process.withLock { $0 == nil } }

    func end() { _ = finish(now: false) }

    /// Lets it close the camera within three seconds, unless `now`; reaps it.
    private func finish(now: Bool) -> String {
        // Whoever is asking sees the end of the stream.
        shutdown(socket, Int32(SHUT_RDWR))
        guard let child = process.withLock({ $0.take() }) else { return "" }
        if now { kill(child, SIGKILL) }
        var status: Int32 = 0
        for _ in 0..<300 {
            let reaped = waitpid(child, &status, WNOHANG)
            if reaped == child { return Self.told(status) }
            if reaped < 0, errno != EINTR { return "" }
            usleep(10_000)
        }
        kill(child, SIGKILL)
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return " because it did not release the camera"
    }

    private static func told(_ status: Int32) -> String {
        let signal = status & 0x7F
        if signal != 0 { return " with signal \(signal) (\(String(cString: strsignal(signal))))" }
        let code = (status >> 8) & 0xFF
        return code == 0 ? "" : " with status \(code)"
    }
}

/// Where the process around libgphoto2 lies, and what it may know of us.
enum ChildProgram {
    static let name = "filmgate-gphoto2"

    /// `$FILMGATE_GPHOTO2`, beside this program, or below the same prefix; nil when it is nowhere.
    static var path: String? {
        var places = [value("FILMGATE_GPHOTO2")].compactMap(\.self)
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        if count > 0 {
            let program = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let folder = "/" + program.split(separator: "/").dropLast().joined(separator: "/")
            places += ["\(folder)/\(name)", "\(folder)/../libexec/filmgate/\(name)"]
        }
        return places.first { access($0, X_OK) == 0 }
    }

    /// Nothing secret: where libgphoto2 itself is, and where it finds its drivers and settings.
    static var environment: [String] { environment(value) }

    static func environment(_ value: (String) -> String?) -> [String] {
        let names = ["HOME", "PATH", "USER", "XDG_CONFIG_HOME", "LD_LIBRARY_PATH", "CAMLIBS", "IOLIBS"]
        return names.compactMap { name in value(name).map { "\(name)=\($0)" } }
    }

    private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
