import CGPhoto2
import GPhoto2Wire
import Glibc

/// The process around libgphoto2: one camera, one question at a time, over the socket that stands in for stdin and
/// stdout.
///
/// Started by Filmgate alone. A crash in a camera's parser ends this process and nothing else.
@main
enum Child {
    static func main() { exit(serve()) }

    private nonisolated static func serve() -> Int32 {
        guard isatty(STDIN_FILENO) == 0, let channel = takeSocket() else {
            let words = "filmgate-gphoto2 is a part of filmgate and does nothing by itself.\n"
            write(STDERR_FILENO, words, words.utf8.count)
            return 2
        }
        protect()
        let handler = RequestHandler(channel)
        while let frame = try? channel.receive() {
            guard let request = try? GPhotoRequest(frame) else { return 1 }
            do throws(WireError) { try handler.answer(request) } catch { return 1 }
        }
        handler.leave()
        return 0
    }

    /// The socket, out of the way of what camera libraries print.
    private nonisolated static func takeSocket() -> FrameChannel? {
        var kind: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 else { return nil }
        // Whatever else was open where we were started is none of our business.
        for descriptor in Int32(3)..<4096 { close(descriptor) }
        let socket = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10)
        guard socket >= 0 else { return nil }
        dup2(STDERR_FILENO, STDOUT_FILENO)
        watch(socket)
        return FrameChannel(socket)
    }

    /// Ends this process when the program is gone, even while a camera holds up libgphoto2.
    private nonisolated static func watch(_ socket: Int32) {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                var poller = pollfd(fd: Int32(Int(bitPattern: argument)), events: 0, revents: 0)
                while poll(&poller, 1, -1) <= 0 || Int32(poller.revents) & POLLHUP == 0 { usleep(100_000) }
                usleep(3_000_000)
                _exit(1)
            }, UnsafeMutableRawPointer(bitPattern: Int(socket)))
    }

    private nonisolated static func protect() {
        // The first Ctrl-C is the program's business: it closes the camera properly.
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
        signal(SIGPIPE, SIG_IGN)
        var none = rlimit(rlim_cur: 0, rlim_max: 0), memory = rlimit(rlim_cur: 8 << 30, rlim_max: 8 << 30)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
        // Camera times carry no zone; libgphoto2 takes them for this machine's.
        setenv("TZ", "UTC", 1)
        tzset()
        // Names beyond ASCII are turned into question marks in the locale that a program begins with.
        setlocale(LC_CTYPE, "C.UTF-8")
    }
}
