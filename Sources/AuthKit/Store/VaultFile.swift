import FileKit
import FilmgateCore
import Glibc
import HTTPKit

/// What stands in the store's file: named texts, bare or sealed.
struct VaultFile {
    var wrap: VaultWrap?
    /// Bare values, or Base64 of sealed ones where there is a wrap.
    var entries: [String: String] = [:]

    static let limit = 4 << 20
    /// A changed file may be larger than the one before by so much.
    static let margin = 64 << 10

    /// An empty one when there is no file.
    ///
    /// Refuses a file or folder that others could read or change, and one that is damaged: `unauthorized`, which holds
    /// what waits.
    static func read(_ path: String) throws(IngestError) -> VaultFile {
        let handle = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if handle < 0, errno == ENOENT { return VaultFile() }
        guard handle >= 0 else { throw refused(path, "cannot be read: \(String(cString: strerror(errno)))") }
        defer { close(handle) }
        try check(handle, path)
        var bytes: [UInt8] = [], part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = Glibc.read(handle, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw refused(path, "cannot be read: \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            bytes += part[..<count]
        }
        let json = bytes.count <= limit ? JSONValue(bytes) : nil
        if case .integer(let version)? = json?["version"], version > Self.version {
            throw refused(
                path, "was written by a newer Filmgate",
                "Go on with that one; moved away, its sign-ins would have to be made anew.")
        }
        guard let json, let file = VaultFile(json) else {
            throw IngestError(
                .unauthorized, "The secret store \(path) is damaged.",
                advice: "Move it away (mv \(path) \(path).damaged) and sign in again with `filmgate login`.",
                cause: VaultDamaged())
        }
        return file
    }

    private static func check(_ handle: CInt, _ path: String) throws(IngestError) {
        var facts = stat(), folder = stat()
        guard fstat(handle, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw refused(path, "is not an ordinary file")
        }
        guard facts.st_uid == geteuid() else { throw refused(path, "belongs to another user") }
        guard facts.st_mode & 0o077 == 0 else {
            throw refused(
                path, "can be read or changed by others",
                "Run: chmod 600 \(path), and sign in anew if others may have read it.")
        }
        let above = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        guard stat(above.isEmpty ? "/" : above, &folder) == 0, folder.st_mode & 0o022 == 0 else {
            throw refused(path, "lies in a folder that others can change", "Run: chmod 700 \(above)")
        }
    }

    private static func refused(_ path: String, _ why: String, _ advice: String? = nil) -> IngestError {
        IngestError(.unauthorized, "The secret store \(path) \(why); it is not used.", advice: advice)
    }

    /// Replaces the file: a new one beside it, flushed, renamed, 0600.
    func write(_ path: String) throws(IngestError) {
        let bytes = Array((json.serialized + "\n").utf8)
        try DurableFile.atomicWrite(bytes.span.bytes, to: path, mode: 0o600)
    }

    /// Of the file's form.
    private static let version: Int64 = 1

    init() {}

    init?(_ json: JSONValue) {
        guard json["version"] == .integer(Self.version), case .object(let members)? = json["entries"] else {
            return nil
        }
        for (name, value) in members {
            guard case .string(let text) = value else { return nil }
            entries[name] = text
        }
        if let value = json["wrap"] {
            guard let wrap = VaultWrap(value) else { return nil }
            self.wrap = wrap
        }
    }

    private var json: JSONValue {
        var members: JSONObject = [
            "version": .integer(Self.version), "entries": .object(JSONObject(entries.mapValues { .string($0) })),
        ]
        if let wrap { members["wrap"] = wrap.json }
        return .object(members)
    }
}

/// The cause of the error about a store that cannot be understood.
struct VaultDamaged: Error {}
