import FilmgateCore
import Glibc

/// Asks the person at the terminal.
enum Terminal {
    static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// One line from stdin, without its end; what is typed is not shown when `hidden` and stdin is a terminal.
    ///
    /// Blocks. Nil at the end of the input.
    static func line(_ question: String, hidden: Bool) -> String? {
        if isThere { Console.errPart("\(question): ") }
        let before = hidden ? hush() : nil
        defer {
            if var before {
                tcsetattr(STDIN_FILENO, TCSANOW, &before)
                Console.err("")
            }
        }
        var bytes: [UInt8] = [], byte: UInt8 = 0
        while bytes.count < 65_536 {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            if byte == 0x0A { break }
            bytes.append(byte)
        }
        if bytes.last == 0x0D { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Switches the echo off; the settings before.
    private static func hush() -> termios? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        let before = settings
        settings.c_lflag &= ~tcflag_t(ECHO)
        return tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 ? before : nil
    }
}
