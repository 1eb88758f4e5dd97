import FilmgateEngine
import Glibc
import Synchronization

/// A command's two streams: stdout is data, stderr is for people.
///
/// Those of this process, or of whoever handed the job over. Each line is written whole.
struct Console: Sendable {
    /// One line, for either stream.
    enum Line: Sendable { case out(String), err(String) }

    /// Nil: the streams of this process.
    private let send: (@Sendable (Line) -> Void)?
    private let summary = SummaryFlag()

    /// For what is said in this process, and belongs to no command.
    static let own = Console()
    /// What stdout could not be written for: after that nothing more goes there, so that what is there is a beginning
    /// and has no gaps.
    private static let lock = Mutex<CInt?>(nil)

    /// `send`: gets what a job says, in place of this process's streams.
    init(to send: (@Sendable (Line) -> Void)? = nil) { self.send = send }

    /// Whether the last line of the command's JSON was written.
    var hasSummary: Bool { summary.isSaid }

    /// One line of data.
    func out(_ line: String) {
        summary.hear(line)
        if let send { send(.out(line)) } else { Self.bytes(of: line + "\n") { Self.writeOut($0) } }
    }

    /// Whole lines of data, none of them a summary, each with its newline.
    func out(lines: [UInt8]) {
        if lines.isEmpty { return }
        guard let send else { return lines.withUnsafeBytes { Self.writeOut($0) } }
        send(.out(String(decoding: lines.dropLast(), as: UTF8.self)))
    }

    /// How this process ends: output that is cut off must not pass for complete.
    ///
    /// Somebody who reads no further, such as `head`, has all that he wants.
    static func status(after status: Int32) -> Int32 {
        guard status == ExitStatus.complete.rawValue, let code = lock.withLock({ $0 }), code != EPIPE else {
            return status
        }
        return (code == ENOSPC || code == EDQUOT ? ExitStatus.full : .failure).rawValue
    }

    /// The same; false when nobody reads any more.
    func tryOut(_ line: String) -> Bool {
        out(line)
        var ends = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        if send == nil, Self.lock.withLock({ $0 }) != nil { return false }
        return poll(&ends, 1, 0) <= 0 || ends.revents & Int16(POLLERR) == 0
    }

    /// One line for whoever watches.
    func err(_ line: String) {
        if let send { send(.err(line)) } else { Self.write(line + "\n", to: STDERR_FILENO) }
    }

    /// Without a newline, on this process's own terminal: the progress bar.
    static func errPart(_ text: String) { write(text, to: STDERR_FILENO) }

    var stderrIsTerminal: Bool { send == nil && isatty(STDERR_FILENO) == 1 }
    var stdoutIsTerminal: Bool { send == nil && isatty(STDOUT_FILENO) == 1 }

    var usesColour: Bool { getenv("NO_COLOR") == nil && stderrIsTerminal }

    /// Whether stderr can take a line back and draw it anew: a terminal that calls itself dumb shows the codes for that
    /// as text.
    var redrawsStderr: Bool { stderrIsTerminal && getenv("TERM").map { String(cString: $0) } != "dumb" }

    /// Columns of the terminal behind this process's stderr; 80 when it does not say.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The first failure is told, once; a pipe that nobody reads any more is none.
    private static func writeOut(_ bytes: UnsafeRawBufferPointer) {
        let failure = lock.withLock { broken -> CInt? in
            guard broken == nil else { return nil }
            broken = put(bytes, to: STDOUT_FILENO)
            return broken
        }
        guard let failure, failure != EPIPE else { return }
        write("Cannot write to stdout: \(String(cString: strerror(failure)))\n", to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: CInt) {
        bytes(of: text) { bytes in lock.withLock { _ in _ = put(bytes, to: descriptor) } }
    }

    private static func bytes(of text: String, _ body: (UnsafeRawBufferPointer) -> Void) {
        var text = text
        text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// The code of what went wrong; nil when all of it is written.
    private static func put(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> CInt? {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count), code = errno
            if count < 0, code == EINTR { continue }
            if count < 0, code == EAGAIN {
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&room, 1, 1000)
                continue
            }
            guard count > 0 else { return count < 0 ? code : EIO }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return nil
    }
}

/// Notes that the last line of a command's JSON was written.
private final class SummaryFlag: Sendable {
    private let said = Atomic(false)
    var isSaid: Bool { said.load(ordering: .relaxed) }

    func hear(_ line: String) {
        if line.utf8.starts(with: #"{"type":"summary""#.utf8) { said.store(true, ordering: .relaxed) }
    }
}
