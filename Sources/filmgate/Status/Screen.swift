import Glibc

/// A terminal's other screen, drawn line by line; what is there before is there again afterwards.
final class Screen {
    private var shown: [StatusScreen.Line] = []
    private var before = termios()
    private var isEntered = false
    private let usesInk = getenv("NO_COLOR") == nil

    /// Columns and rows; 80 by 24 where the terminal does not say.
    static var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Keys are heard at once and not shown; signals are made by Ctrl-C as ever.
    func enter() {
        guard !isEntered else { return }
        isEntered = true
        if tcgetattr(STDIN_FILENO, &before) == 0 {
            var quiet = before
            quiet.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &quiet)
        }
        put("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
        shown = []
    }

    func leave() {
        guard isEntered else { return }
        isEntered = false
        put("\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        if before.c_cflag != 0 { tcsetattr(STDIN_FILENO, TCSANOW, &before) }
    }

    /// Forgets what is drawn: the terminal has another size now.
    func clear() {
        put("\u{1B}[2J")
        shown = []
    }

    /// Writes the lines that differ from what stands there, and nothing else.
    ///
    /// False when the terminal is gone.
    func draw(_ lines: [StatusScreen.Line]) -> Bool {
        var text = ""
        for row in 0..<max(lines.count, shown.count) {
            let new = row < lines.count ? lines[row] : StatusScreen.Line(text: "")
            if row < shown.count, shown[row] == new { continue }
            // Cleared before it is written: behind a full line the cursor still stands on its last column.
            text += "\u{1B}[\(row + 1);1H\u{1B}[K" + ink(new)
        }
        shown = lines
        return put(text)
    }

    private func ink(_ line: StatusScreen.Line) -> String {
        guard usesInk else { return line.text }
        switch line.ink {
        case .plain: return line.text
        case .strong: return "\u{1B}[1m" + line.text + "\u{1B}[0m"
        case .faint: return "\u{1B}[2m" + line.text + "\u{1B}[0m"
        case .alarm: return "\u{1B}[31m" + line.text + "\u{1B}[0m"
        }
    }

    @discardableResult private func put(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = write(STDOUT_FILENO, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return true
        }
    }
}
