import FileKit
import FilmgateCore

/// Delivered files that no generation holds yet, one per line, in Filmgate's state.
struct Journal: Sendable {
    struct Entry: Sendable, Hashable {
        /// Below the root.
        var path: String
        var size: UInt64
        /// Nanoseconds since 1970: the file's own time, and when it was hashed.
        var modified: Int64
        var xxh128: String?
        var at: Int64
    }
    let path: String

    func append(_ entry: Entry) throws(IngestError) {
        // What a power cut tore off does not take this line with it.
        let line = "\n\(entry.size)\t\(entry.modified)\t\(entry.at)\t\(entry.xxh128 ?? "-")\t\(Self.escaped(entry.path))\n"
        try DurableFile.append(Array(line.utf8), to: path)
    }

    /// Lines that a power cut tore are left out.
    func entries() throws(IngestError) -> [Entry] {
        guard let bytes = try FileSystem.contents(of: path, limit: 1 << 30) else { return [] }
        return bytes.split(separator: 0x0A).compactMap { Self.entry(String(decoding: $0, as: UTF8.self)) }
    }

    func remove() { FileSystem.remove(path) }

    private static func entry(_ line: String) -> Entry? {
        let parts = line.split(separator: "\t", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, let size = UInt64(parts[0]), let modified = Int64(parts[1]), let at = Int64(parts[2]),
            parts[3] == "-" || isDigest(parts[3]), let path = unescaped(parts[4])
        else { return nil }
        return Entry(path: path, size: size, modified: modified, xxh128: parts[3] == "-" ? nil : parts[3], at: at)
    }

    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func escaped(_ path: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in path.unicodeScalars {
            switch scalar {
            case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": text.append(contentsOf: "\\n".unicodeScalars)
            default: text.append(scalar)
            }
        }
        // A line must show that it is whole.
        return String(text) + "\\."
    }

    private static func unescaped(_ text: String) -> String? {
        guard text.hasSuffix("\\.") else { return nil }
        var path = String.UnicodeScalarView(), rest = text.unicodeScalars.dropLast(2)
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else { path.append(scalar); continue }
            switch rest.popFirst() {
            case "\\": path.append("\\")
            case "n": path.append("\n")
            default: return nil
            }
        }
        return path.isEmpty ? nil : String(path)
    }
}
