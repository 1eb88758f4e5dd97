import FilmgateEngine
import Glibc
import Synchronization

/// The program's two streams: stdout is data, stderr is for people.
///
/// Each line is written whole.
enum Console {
    /// What stdout could not be written for: after that nothing more goes there, so that what is there is a beginning
    /// and has no gaps.
    private static let lock = Mutex<CInt?>(nil)

    /// One line of data.
    static func out(_ line: String) {
        HostedJob.summaryFlag?.hear(line)
        if let output = HostedJob.output { output.say(.out(line)) } else { bytes(of: line + "\n") { writeOut($0) } }
    }

    /// Whole lines of data, none of them a summary, each with its newline.
    static func out(lines: [UInt8]) {
        if lines.isEmpty { return }
        guard let output = HostedJob.output else { return lines.withUnsafeBytes { writeOut($0) } }
        output.say(.out(String(decoding: lines.dropLast(), as: UTF8.self)))
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
    static func tryOut(_ line: String) -> Bool {
        out(line)
        var ends = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        if HostedJob.output == nil, lock.withLock({ $0 }) != nil { return false }
        return poll(&ends, 1, 0) <= 0 || ends.revents & Int16(POLLERR) == 0
    }

    /// One line for whoever watches.
    static func err(_ line: String) {
        if let output = HostedJob.output { output.say(.err(line)) } else { write(line + "\n", to: STDERR_FILENO) }
    }

    /// Without a newline: the progress bar.
    static func errPart(_ text: String) { write(text, to: STDERR_FILENO) }

    static var stderrIsTerminal: Bool { HostedJob.output == nil && isatty(STDERR_FILENO) == 1 }
    static var stdoutIsTerminal: Bool { HostedJob.output == nil && isatty(STDOUT_FILENO) == 1 }

    static var usesColour: Bool { getenv("NO_COLOR") == nil && stderrIsTerminal }

    /// Whether stderr can take a line back and draw it anew: a terminal that calls itself dumb shows the codes for that
    /// as text.
    static var redrawsStderr: Bool { stderrIsTerminal && getenv("TERM").map { String(cString: $0) } != "dumb" }

    /// Columns of the terminal behind stderr; 80 when it does not say.
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
