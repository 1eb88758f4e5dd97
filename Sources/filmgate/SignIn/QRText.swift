import CQREncode

/// A QR code for a terminal: two modules to a character, dark on light whatever the terminal's colours are.
enum QRText {
    /// Nil when `text` does not fit.
    static func lines(_ text: String, colour: Bool) -> [String]? {
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width), quiet = 2
        guard width > 0, let data = code.pointee.data else { return nil }
        func isDark(_ row: Int, _ column: Int) -> Bool {
            let (row, column) = (row - quiet, column - quiet)
            return (0..<width).contains(row) && (0..<width).contains(column) && data[row * width + column] & 1 == 1
        }
        let size = width + 2 * quiet
        return stride(from: 0, to: size, by: 2).map { row in
            let line = (0..<size).reduce(into: "") { line, column in
                // Drawn is what is light: a terminal is dark.
                switch (isDark(row, column), isDark(row + 1, column)) {
                case (false, false): line += "█"
                case (false, true): line += "▀"
                case (true, false): line += "▄"
                case (true, true): line += " "
                }
            }
            return colour ? "\u{1B}[37;40m\(line)\u{1B}[0m" : line
        }
    }
}
