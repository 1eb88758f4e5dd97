import FileKit
import FilmgateCore
import Synchronization

/// Delivered files that no generation holds yet, one per line, in Filmgate's state.
///
/// Several targets of a process may deliver into one folder and share it; no two processes have one state.
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

    /// What was noted until it was taken.
    struct Taken {
        fileprivate(set) var entries: [Entry] = []
        fileprivate var files: [String] = []
    }

    /// The files that somebody in this process has taken; notes are written one at a time, so that none goes into a
    /// file that was read.
    private static let taken = Mutex<Set<String>>([])

    func append(_ entry: Entry) throws(IngestError) {
        // What a power cut tore off does not take this line with it.
        let line =
            "\n\(entry.size)\t\(entry.modified)\t\(entry.at)\t\(entry.xxh128 ?? "-")\t\(Self.escaped(entry.path))\n"
        try Self.taken.withLock { _ throws(IngestError) in try DurableFile.append(Array(line.utf8), to: path) }
    }

    /// Everything noted so far that nobody else has taken, also by runs that were killed; `done` or `giveBack` follows.
    ///
    /// Lines that a power cut tore are left out.
    func take() throws(IngestError) -> Taken {
        var result = Taken()
        do throws(IngestError) {
            result.files = try Self.taken.withLock { taken throws(IngestError) in try files(&taken) }
            for file in result.files {
                guard let bytes = try FileSystem.contents(of: file, limit: 1 << 30) else { continue }
                result.entries += bytes.split(separator: 0x0A).compactMap {
                    Self.entry(String(decoding: $0, as: UTF8.self))
                }
            }
        } catch {
            giveBack(result)
            throw error
        }
        return result
    }

    /// The journal under a name of its own, so that what is noted from now on is for the next to take, and what others
    /// left behind.
    private func files(_ taken: inout Set<String>) throws(IngestError) -> [String] {
        let folder = Paths.folder(path), name = Paths.name(path)
        if try FileFacts.of(path) != nil {
            let mark = String(UInt64.random(in: .min ... .max), radix: 16)
            try DurableFile.publish(part: path, as: "\(path).\(mark)")
        }
        let files = try FileSystem.names(in: folder).filter { $0.hasPrefix(name + ".") }.sorted().map {
            Paths.join(folder, $0)
        }
        let free = files.filter { !taken.contains($0) }
        taken.formUnion(free)
        return free
    }

    /// A generation holds it all.
    func done(_ notes: Taken) {
        for file in notes.files { FileSystem.remove(file) }
        giveBack(notes)
    }

    /// For the next to take.
    func giveBack(_ notes: Taken) { Self.taken.withLock { $0.subtract(notes.files) } }

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
