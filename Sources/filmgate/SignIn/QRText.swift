import CQREncode

/// A QR code for a terminal: two modules to a character, dark on light whatever the terminal's colours are.
enum QRText {
    /// Row by row, `1` for dark, without the quiet zone around it; nil when `text` does not fit.
    static func rows(_ text: String) -> [String]? {
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard width > 0, let data = code.pointee.data else { return nil }
        return (0..<width).map { row in String((0..<width).map { data[row * width + $0] & 1 == 1 ? "1" : "0" }) }
    }

    /// Nil when `text` does not fit.
    static func lines(_ text: String, colour: Bool) -> [String]? {
        guard let rows = rows(text)?.map({ Array($0.utf8) }) else { return nil }
        let width = rows.count, quiet = 2
        func isDark(_ row: Int, _ column: Int) -> Bool {
            let (row, column) = (row - quiet, column - quiet)
            return (0..<width).contains(row) && (0..<width).contains(column) && rows[row][column] == UInt8(ascii: "1")
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
