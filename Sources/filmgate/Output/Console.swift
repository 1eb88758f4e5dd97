import Glibc
import Synchronization

/// The program's two streams: stdout is data, stderr is for people.
///
/// Each line is written whole.
enum Console {
    private static let lock = Mutex(())

    /// One line of data.
    static func out(_ line: String) {
        Living.lastWord?.hear(line)
        if let audience = Living.audience { audience.say(.out(line)) } else { write(line + "\n", to: STDOUT_FILENO) }
    }

    /// The same; false when nobody reads any more.
    static func tryOut(_ line: String) -> Bool {
        out(line)
        var ends = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&ends, 1, 0) <= 0 || ends.revents & Int16(POLLERR) == 0
    }

    /// One line for whoever watches.
    static func err(_ line: String) {
        if let audience = Living.audience { audience.say(.err(line)) } else { write(line + "\n", to: STDERR_FILENO) }
    }

    /// Without a newline: the progress bar.
    static func errPart(_ text: String) { write(text, to: STDERR_FILENO) }

    static var stderrIsTerminal: Bool { Living.audience == nil && isatty(STDERR_FILENO) == 1 }
    static var stdoutIsTerminal: Bool { Living.audience == nil && isatty(STDOUT_FILENO) == 1 }

    static var usesColour: Bool { getenv("NO_COLOR") == nil && stderrIsTerminal }

    /// Columns of the terminal behind stderr; 80 when it does not say.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private static func write(_ text: String, to descriptor: CInt) {
        var text = text
        lock.withLock { _ in
            text.withUTF8 { bytes in
                var rest = UnsafeRawBufferPointer(bytes)
                while !rest.isEmpty {
                    let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                    if count < 0, errno == EINTR || errno == EAGAIN { continue }
                    guard count > 0 else { return }
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                }
            }
        }
    }
}
