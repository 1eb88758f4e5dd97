/// A line that is typed into a terminal which shows nothing and interprets nothing: its keys, byte by byte.
///
/// The terminal's own line editing and signals are off while it hides what is typed: a Ctrl-C that ended the program in
/// between would leave the person with a terminal that shows nothing any more.
struct HiddenLine {
    enum State: Equatable {
        case open, done
        /// Ctrl-\.
        case interrupted
    }

    private(set) var bytes: [UInt8] = []
    private(set) var state = State.open
    /// The keyboard ended the input (Ctrl-D) before anything was typed.
    private(set) var isEnd = false

    mutating func take(_ byte: UInt8) {
        switch byte {
        case 0x03, 0x1C: state = .interrupted
        case 0x0A, 0x0D: state = .done
        case 0x04: (state, isEnd) = (.done, bytes.isEmpty)
        case 0x7F, 0x08: erase()
        case 0x15: bytes = []
        case 0x00..<0x20: break
        default: bytes.append(byte)
        }
    }

    /// The last character, all its bytes (UTF-8).
    private mutating func erase() {
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    }
}
