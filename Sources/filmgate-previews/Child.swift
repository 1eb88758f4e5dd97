import CHeif
import CLinux
import Glibc
import PreviewWire

/// The process that decodes pictures: one after the other, over the socket that stands in for stdin.
///
/// Started by Filmgate alone. It opens nothing and can start nothing: bytes come in, bytes go out. What a picture
/// breaks in the decoder ends this process and nothing else.
@main
enum Child {
    /// Bytes of address space; seconds of processor time for one picture.
    private static let memory: UInt = 512 << 20, seconds: UInt = 5

    static func main() { exit(serve()) }

    private nonisolated static func serve() -> Int32 {
        guard isSocket(STDIN_FILENO), let maker = PictureMaker() else {
            let words = "filmgate-previews is a part of filmgate and does nothing by itself.\n"
            write(STDERR_FILENO, words, words.utf8.count)
            return 2
        }
        // It may look for parts of itself, which this process cannot open any more in a moment.
        heif_init(nil)
        protect()
        let stream = PreviewStream(STDIN_FILENO)
        while let head = try? stream.receive(PreviewRequest.size) {
            guard let request = try? PreviewRequest(head), let jpeg = try? stream.receive(request.length) else {
                return 1
            }
            let start = beginPicture(), (outcome, picture) = maker.make(request, of: jpeg)
            var reply = PreviewReply(outcome)
            if let picture {
                (reply.length, reply.width, reply.height) = (picture.jpeg.count, picture.width, picture.height)
            }
            reply.microseconds = Int(clock()) - start
            do throws(PreviewStream.Failure) { try stream.send(reply.encoded + (picture?.jpeg ?? [])) } catch {
                return 1
            }
        }
        return 0
    }

    private nonisolated static func isSocket(_ descriptor: Int32) -> Bool {
        var kind: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) == 0
    }

    private nonisolated static func protect() {
        fg_run_when_idle()
        // Ctrl-C is the program's business: it ends this process with itself.
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
        signal(SIGPIPE, SIG_IGN)
        limit(RLIMIT_CORE.rawValue, 0)
        limit(RLIMIT_AS.rawValue, memory)
        limit(RLIMIT_FSIZE.rawValue, 0)
        limit(RLIMIT_NOFILE.rawValue, 0)
        limit(__RLIMIT_NPROC.rawValue, 0)
    }

    private nonisolated static func limit(_ resource: UInt32, _ most: UInt, hard: UInt? = nil) {
        var limit = rlimit(rlim_cur: most, rlim_max: hard ?? most)
        setrlimit(__rlimit_resource_t(resource), &limit)
    }

    /// A picture that takes longer ends the process; the processor time so far, in microseconds.
    private nonisolated static func beginPicture() -> Int {
        let used = Int(clock())
        limit(RLIMIT_CPU.rawValue, UInt(used / 1_000_000) + 1 + seconds, hard: .max)
        return used
    }
}
