/// Makes names from outside safe as one path component on Linux, and on exFAT, NTFS and SMB where copies often end up.
public enum SafeName {
    /// `text` as one component: no separators, NUL, control characters or `<>:"|?*\`, no leading or trailing spaces, no
    /// trailing dots, never `.`, `..`, a reserved device name or that of Filmgate's own folder, at most 255 bytes of
    /// UTF-8 (cut before the extension).
    ///
    /// Safe names come back unchanged.
    public static func component(_ text: String) -> String {
        if isSafe(text) { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(isForbidden(scalar) ? "_" : scalar) }
        var name = trimmed(scalars)
        if isReserved(name) { name = "_" + name }
        return name.utf8.count > 255 ? trimmed(shortened(name).unicodeScalars) : name
    }

    /// Without spaces at either end and dots at the end; never empty.
    private static func trimmed(_ scalars: String.UnicodeScalarView) -> String {
        var scalars = scalars[...]
        while let last = scalars.last, last == " " || last == "." { scalars.removeLast() }
        while scalars.first == " " { scalars.removeFirst() }
        return scalars.isEmpty ? "_" : String(scalars)
    }

    /// A path whose every component is safe; empty components, `.` and `..` are dropped, so it never leaves its root.
    public static func path(_ text: String) -> String {
        text.unicodeScalars.split(separator: "/").map { String($0) }.filter { $0 != "." && $0 != ".." }.map(component)
            .joined(
                separator: "/")
    }

    /// At most `limit` bytes, keeping the extension and whole characters; a character that is too long by itself is
    /// cut.
    public static func shortened(_ name: String, to limit: Int = 255) -> String {
        guard name.utf8.count > limit else { return name }
        let cut = FileName(name)
        let ext = cut.ext.isEmpty || cut.ext.utf8.count > 32 ? "" : "." + cut.ext
        let stem = ext.isEmpty ? name : cut.stem, room = max(0, limit - ext.utf8.count)
        var kept = Substring(stem)
        while kept.utf8.count > room { kept.removeLast() }
        return (kept.isEmpty ? prefix(of: stem, room) : String(kept)) + ext
    }

    /// As many whole scalars as fit into `room` bytes.
    private static func prefix(of text: String, _ room: Int) -> String {
        var kept = String.UnicodeScalarView(), size = 0
        for scalar in text.unicodeScalars {
            size += UTF8.width(scalar)
            if size > room { break }
            kept.append(scalar)
        }
        return String(kept)
    }

    /// The form under which two names clash on file systems that ignore case or normalise Unicode.
    ///
    /// Folds more than any one of them does: by way of the upper case, so that `ß` and `ẞ` are `ss` and both small
    /// sigmas are one. Compare with `==`, which holds different spellings of one character for equal.
    public static func folded(_ path: String) -> String {
        if path.utf8.allSatisfy({ $0 < 0x80 && !(0x41...0x5A).contains($0) }) { return path }
        return path.utf8.allSatisfy { $0 < 0x80 } ? path.lowercased() : path.lowercased().uppercased().lowercased()
    }

    static func isSafe(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, let last = bytes.last, bytes.count <= 255, first != 0x20, last != 0x20,
            last != 0x2E
        else {
            return false
        }
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x20, 0x21, 0x23...0x29, 0x2B...0x2E, 0x3B, 0x3D, 0x40, 0x5B,
                0x5D...0x60, 0x7B,
                0x7D, 0x7E:
                continue
            case 0x80...: return !text.unicodeScalars.contains(where: isForbidden) && !isReserved(text)
            default: return false
            }
        }
        return !isReserved(text)
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "/", "\\", ":", "*", "?", "\"", "<", ">", "|": true
        default:
            // All of Unicode's control characters (Cc); asking for the category of each scalar takes far longer.
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
    }

    /// The folder inside a target's own that holds what Filmgate needs there: nothing is delivered under that name, in
    /// any spelling.
    public static let ownFolder = ".filmgate"

    /// Whether a file system that ignores case could take `name` for ``ownFolder``.
    public static func isOwnFolder(_ name: String) -> Bool { name.utf8.first == 0x2E && folded(name) == ownFolder }

    /// Besides Filmgate's own folder, device names of DOS, which Windows still takes for devices with any extensions
    /// behind them, and with spaces before the first dot.
    private static func isReserved(_ name: String) -> Bool {
        if isOwnFolder(name) { return true }
        var base = name.utf8.prefix { $0 != UInt8(ascii: ".") }
        while base.last == UInt8(ascii: " ") { base.removeLast() }
        guard (3...5).contains(base.count) else { return false }
        let device = String(Substring(base)).uppercased()
        if ["CON", "PRN", "AUX", "NUL"].contains(device) { return true }
        guard device.count == 4, device.hasPrefix("COM") || device.hasPrefix("LPT"), let port = device.last else {
            return false
        }
        return "123456789¹²³".contains(port)
    }
}
