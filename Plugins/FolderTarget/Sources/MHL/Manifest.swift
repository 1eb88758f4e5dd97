import FileKit
import FilmgateCore
import Glibc
import XMLKit

/// One generation as it is written (ASC MHL 2.0, urn:ASC:MHL:v2.0).
struct MHLManifest {
    struct File {
        var path: String, size: UInt64
        /// Nanoseconds since 1970.
        var modified: Int64, hashed: Int64
        var xxh128: String
        /// `original`, `verified` or `failed`.
        var action: String
    }
    struct Reference { var path: String, c4: String }

    var files: [File]
    var folders: [FolderHash]
    var references: [Reference]
    var ignore: [String]
    /// Nanoseconds since 1970.
    var created: Int64

    var text: String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\">\n"
        text += head
        if !files.isEmpty {
            text += "  <hashes>\n"
            for file in files { text += element(file) }
            for folder in folders where folder.path != "" { text += element(folder) }
            text += "  </hashes>\n"
        }
        if !references.isEmpty {
            text += "  <references>\n"
            for reference in references {
                text += "    <hashlistreference>\n      <path>\(XMLEscaping.escaped(reference.path))</path>\n"
                text += "      <c4>\(reference.c4)</c4>\n    </hashlistreference>\n"
            }
            text += "  </references>\n"
        }
        return text + "</hashlist>\n"
    }

    private var head: String {
        var text = "  <creatorinfo>\n    <creationdate>\(Self.date(created))</creationdate>\n"
        text +=
            "    <hostname>\(XMLEscaping.escaped(Self.host))</hostname>\n    <tool>Filmgate</tool>\n  </creatorinfo>\n"
        text += "  <processinfo>\n    <process>transfer</process>\n"
        if let root = folders.first(where: { $0.path == "" }) {
            text += "    <roothash>\n\(pair(root, indent: "      "))    </roothash>\n"
        } else {
            // Other files live here too; readers still expect the element.
            text += "    <roothash>\n      <content/>\n      <structure/>\n    </roothash>\n"
        }
        text += "    <ignore>\n"
        for pattern in ignore { text += "      <pattern>\(XMLEscaping.escaped(pattern))</pattern>\n" }
        return text + "    </ignore>\n  </processinfo>\n"
    }

    private func element(_ file: File) -> String {
        "    <hash>\n      <path size=\"\(file.size)\" lastmodificationdate=\"\(Self.date(file.modified))\">\(XMLEscaping.escaped(file.path))</path>\n"
            + "      <xxh128 action=\"\(file.action)\" hashdate=\"\(Self.date(file.hashed))\">\(file.xxh128)</xxh128>\n    </hash>\n"
    }

    private func element(_ folder: FolderHash) -> String {
        "    <directoryhash>\n      <path>\(XMLEscaping.escaped(folder.path))</path>\n\(pair(folder, indent: "      "))    </directoryhash>\n"
    }

    private func pair(_ folder: FolderHash, indent: String) -> String {
        let date = Self.date(created)
        return
            "\(indent)<content>\n\(indent)  <xxh128 hashdate=\"\(date)\">\(folder.content)</xxh128>\n\(indent)</content>\n"
            + "\(indent)<structure>\n\(indent)  <xxh128 hashdate=\"\(date)\">\(folder.structure)</xxh128>\n\(indent)</structure>\n"
    }

    /// `2026-05-01T12:30:05Z`; times outside the calendar count as its beginning.
    static func date(_ nanoseconds: Int64) -> String { (time(nanoseconds)?.description) ?? "1970-01-01T00:00:00Z" }

    static func time(_ nanoseconds: Int64) -> CivilTime? {
        CivilTime(unixSeconds: nanoseconds / 1_000_000_000 - (nanoseconds % 1_000_000_000 < 0 ? 1 : 0))
    }

    /// `0001_NAME_2026-05-01_123005Z.mhl`, NAME being the folder's.
    static func name(_ number: Int, of root: String, at nanoseconds: Int64) -> String {
        var name = String.UnicodeScalarView()
        for scalar in Paths.name(root).unicodeScalars {
            name.append(XMLEscaping.canHold(String(Character(scalar))) ? scalar : "_")
        }
        let folder = SafeName.shortened(SafeName.component(String(name)), to: 200)
        let stamp = date(nanoseconds).unicodeScalars.filter { $0 != ":" }
        let text = String(String.UnicodeScalarView(stamp)).split(separator: "T").joined(separator: "_")
        return "\(padded(number, 4))_\(folder)_\(text).mhl"
    }

    private static var host: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "localhost" }
        let text = withUnsafeBytes(of: &name.nodename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return XMLEscaping.canHold(text) ? text : "localhost"
    }
}
