import FileKit
public import FilmgateCore

/// The file in a folder by which stations know that it is the same one, however each of them reaches it.
///
/// No path is ever compared over stations: `~/Pictures` is on every machine. Everything here blocks for the disk.
public enum SharedFolderFile {
    /// Its name in the folder's root.
    public static let name = ".filmgate-shared"
    private static let length = 32

    /// The id of a folder that stations share; nil where the folder has none.
    ///
    /// `rejected` where the file holds anything but an id.
    public static func id(of root: String) throws(IngestError) -> String? {
        let path = "\(root)/\(name)"
        guard let bytes = try FileSystem.contents(of: path, limit: 4096) else { return nil }
        let text = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        let isID =
            text.utf8.count == length
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard isID, bytes.count <= length + 1 else {
            throw IngestError(
                .rejected, "\(PathText.shown(path)) does not hold the id of a shared folder.",
                advice: "Look at what is in it; `filmgate catalog share` makes a new one once it is gone.")
        }
        return text
    }

    /// The same; nil also where nobody can tell.
    static func read(_ root: String) -> String? {
        let found = Result { () throws(IngestError) in try id(of: root) }
        return try? found.get()
    }

    /// The id of that folder, made where it has none; whether it was made now.
    ///
    /// Never replaces one: of several that come at once, one makes it and all get that. `notFound` where there is no
    /// such folder.
    public static func share(_ root: String) throws(IngestError) -> (id: String, isNew: Bool) {
        guard let facts = try FileFacts.of(FileSystem.canonical(root)), facts.kind == .directory else {
            throw IngestError(
                .notFound, "There is no folder \(PathText.shown(root)).",
                advice: "Make it first, on the disk that stations share.")
        }
        if let id = try id(of: root) { return (id, false) }
        let id = newID(), part = "\(root)/\(name).\(id.prefix(8)).part"
        try DurableFile.atomicWrite(Array("\(id)\n".utf8).span.bytes, to: part)
        defer { FileSystem.remove(part) }
        do throws(IngestError) { try DurableFile.publish(part: part, as: "\(root)/\(name)") } catch {
            guard error.code == .nameTaken, let other = try self.id(of: root) else { throw error }
            return (other, false)
        }
        return (id, true)
    }

    /// 128 random bits.
    private static func newID() -> String {
        let digits = String(UInt128.random(in: 0...(.max)), radix: 16)
        return String(repeating: "0", count: length - digits.utf8.count) + digits
    }
}
