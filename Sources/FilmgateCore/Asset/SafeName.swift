/// Makes names from outside safe as one path component on Linux, and on exFAT, NTFS and SMB where copies often end up.
public enum SafeName {
    /// `text` as one component: no separators, NUL, control characters or `<>:"|?*\`, no leading or trailing spaces, no trailing dots,
    /// never `.`, `..` or a reserved device name, at most 255 bytes of UTF-8 (cut before the extension).
    ///
    /// Safe names come back unchanged.
    public static func component(_ text: String) -> String {
        if isSafe(text) { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(isForbidden(scalar) ? "_" : scalar) }
        var name = String(scalars)
        while name.hasSuffix(" ") || name.hasSuffix(".") { name.removeLast() }
        while name.hasPrefix(" ") { name.removeFirst() }
        if name.isEmpty { name = "_" }
        if isReserved(name) { name = "_" + name }
        return shortened(name)
    }

    /// A path whose every component is safe; empty components, `.` and `..` are dropped, so it never leaves its root.
    public static func path(_ text: String) -> String {
        text.split(separator: "/").filter { $0 != "." && $0 != ".." }.map { component(String($0)) }.joined(separator: "/")
    }

    /// At most `limit` bytes, keeping the extension and whole characters.
    public static func shortened(_ name: String, to limit: Int = 255) -> String {
        guard name.utf8.count > limit else { return name }
        let cut = FileName(name)
        let ext = cut.ext.isEmpty || cut.ext.utf8.count > 32 ? "" : "." + cut.ext
        var stem = ext.isEmpty ? name : cut.stem
        while stem.utf8.count + ext.utf8.count > limit, !stem.isEmpty { stem.removeLast() }
        return stem + ext
    }

    /// The form under which two names clash on file systems that ignore case or normalise Unicode.
    public static func folded(_ path: String) -> String {
        path.utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) } ? path : path.lowercased()
    }

    static func isSafe(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, let last = bytes.last, bytes.count <= 255, first != 0x20, last != 0x20, last != 0x2E else {
            return false
        }
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x20, 0x21, 0x23...0x29, 0x2B...0x2E, 0x3B, 0x3D, 0x40, 0x5B, 0x5D...0x60, 0x7B,
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
            scalar.value < 0x20 || scalar.value == 0x7F || scalar.properties.generalCategory == .control
                || (0x202A...0x202E).contains(scalar.value)
        }
    }

    private static func isReserved(_ name: String) -> Bool {
        guard name.utf8.count >= 3 else { return false }
        let stem = FileName(name).stem.uppercased()
        guard (3...4).contains(stem.utf8.count) else { return false }
        if ["CON", "PRN", "AUX", "NUL"].contains(stem) { return true }
        return stem.utf8.count == 4 && (stem.hasPrefix("COM") || stem.hasPrefix("LPT")) && ("1"..."9").contains(stem.suffix(1))
    }
}
