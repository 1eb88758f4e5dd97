import FileKit
package import FilmgateCore
import Glibc

/// Names from outside as names of folders that say what they stand for, also after a restart.
package enum FTPFolderName {
    private static let longest = 240

    /// Other for each text; nil where that is too long for a folder's name.
    package static func encoded(_ text: String) -> String? {
        var name = ""
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: name.unicodeScalars.append(.init(byte))
            case 0x2E where index > 0: name += "."
            default: name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return name.isEmpty || name.utf8.count > longest ? nil : name
    }

    /// What `encoded` was made from; nil where that was made from nothing.
    package static func decoded(_ name: String) -> String? {
        var bytes: [UInt8] = [], rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == 0x25 else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(code)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: bytes, as: UTF8.self), encoded(text) == name else { return nil }
        return text
    }
}

/// Where the files of a login lie: `USER`, or `USER=FOLDER` where they are shown in another one.
package struct FTPHome: Sendable, Hashable {
    package var user: String, folder: String

    package init(user: String, folder: String) { (self.user, self.folder) = (user, folder) }

    /// Nil where user and folder together are too long for a folder's name.
    package var name: String? {
        guard let own = FTPFolderName.encoded(user) else { return nil }
        if folder == user { return own }
        guard let other = FTPFolderName.encoded(folder), own.utf8.count + other.utf8.count < 250 else { return nil }
        return "\(own)=\(other)"
    }

    /// Nil for a folder that was not named so.
    package init?(name: String) {
        let parts = name.split(separator: "=", omittingEmptySubsequences: false).map {
            FTPFolderName.decoded(String($0))
        }
        guard (1...2).contains(parts.count), let user = parts[0], let folder = parts[parts.count - 1] else {
            return nil
        }
        self.init(user: user, folder: folder)
    }
}

/// The inboxes of events inside of that of a server.
package enum FTPEventFolder {
    static let name = ".events"

    /// Nil where the event's name is too long for a folder's.
    package static func path(of event: String, in inbox: String) -> String? {
        FTPFolderName.encoded(event).map { "\(inbox)/\(name)/\($0)" }
    }

    /// The events that have a folder there, and whether a file lies in it.
    ///
    /// Blocks for the disk.
    package static func events(in inbox: String) throws(IngestError) -> [(event: String, hasFiles: Bool)] {
        let all = "\(inbox)/\(name)"
        guard let facts = try FileFacts.of(all), facts.kind == .directory else { return [] }
        var names: [String] = [], filled: Set<String> = []
        try DirectoryScan(root: all).run { entry in
            let first = entry.path.utf8.split(separator: 0x2F).first.map { String(Substring($0)) } ?? ""
            if entry.type == .folder, entry.path == first { names.append(first) }
            if entry.type == .file { filled.insert(first) }
            return .proceed
        }
        return names.compactMap { name in
            FTPFolderName.decoded(name).map { ($0, filled.contains(name)) }
        }
    }

    /// Removes what is empty of an event's folder; files stay, and so does what holds them.
    ///
    /// Blocks for the disk.
    package static func tidy(_ path: String) {
        var folders: [String] = []
        try? DirectoryScan(root: path).run { entry in
            if entry.type == .folder { folders.append(entry.path) }
            return .proceed
        }
        for folder in folders.reversed().map({ "\(path)/\($0)" }) + [path, Paths.folder(path)] {
            _ = withCPath(folder) { rmdir($0) }
        }
    }
}

/// The event of the run that looks after an inbox, beside the files: what is left in it when the run ends was pushed
/// for that event.
package enum FTPInboxEvent {
    private static let name = ".run-event"

    /// Nil where the last run had none, or none ever was.
    ///
    /// Blocks for the disk, as the others do.
    package static func read(_ inbox: String) throws(IngestError) -> String? {
        guard let bytes = try FileSystem.contents(of: "\(inbox)/\(name)", limit: 4096) else { return nil }
        let text = String(validating: bytes, as: UTF8.self) ?? ""
        return text.isEmpty ? nil : text
    }

    /// On the disk on return.
    package static func write(_ event: String?, to inbox: String) throws(IngestError) {
        guard try read(inbox) != event else { return }
        try DurableFile.makeDirectories(inbox, mode: 0o700)
        try DurableFile.atomicWrite(Array((event ?? "").utf8).span.bytes, to: "\(inbox)/\(name)", mode: 0o600)
    }
}
