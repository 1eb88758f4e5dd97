import FilmgateCore
import Glibc

/// Asks the person at the terminal.
enum Terminal {
    static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// One line from stdin, without its end; what is typed is not shown when `hidden` and stdin is a terminal.
    ///
    /// Blocks. Nil at the end of the input. Ctrl-C ends the program as always, after the terminal shows again what is
    /// typed.
    static func line(_ question: String, hidden: Bool) -> String? {
        if isThere { Console.errPart("\(question): ") }
        return hidden && isatty(STDIN_FILENO) == 1 ? unseenLine() : plainLine()
    }

    private static func plainLine() -> String? {
        var bytes: [UInt8] = []
        while bytes.count < longest {
            guard let byte = nextByte() else { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            if byte == 0x0A { break }
            bytes.append(byte)
        }
        if bytes.last == 0x0D { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unseenLine() -> String? {
        guard var before = hush() else { return plainLine() }
        var line = HiddenLine()
        while line.state == .open, line.bytes.count < longest, let byte = nextByte() { line.take(byte) }
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
        Console.own.err("")
        if line.state == .interrupted { _ = kill(getpid(), SIGINT) }
        let isWhole = line.state == .done || line.bytes.count >= longest
        return isWhole && !line.isEnd ? String(decoding: line.bytes, as: UTF8.self) : nil
    }

    private static let longest = 65_536

    private static func nextByte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count == 1 { return byte }
            if count == 0 || errno != EINTR { return nil }
        }
    }

    /// Switches off that the terminal shows, edits and interprets what is typed; the settings before.
    private static func hush() -> termios? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        let before = settings
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        return tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 ? before : nil
    }
}
