import FileKit
package import FilmgateCore
import Glibc
import Synchronization

/// A file that a client pushed, whole on disk.
package struct FTPFile: Sendable, Hashable {
    package var login: String, path: FTPPath
    /// Where it lies, below the inbox.
    package var place: String
    package var size: UInt64
    /// Nanoseconds since 1970: when its last byte came.
    package var modified: Int64
    package var inode: UInt64
    /// Its client had sent everything and closed.
    package var ended: Bool

    package init(login: String, path: FTPPath, place: String, size: UInt64, modified: Int64, inode: UInt64, ended: Bool) {
        (self.login, self.path, self.place, self.size) = (login, path, place, size)
        (self.modified, self.inode, self.ended) = (modified, inode, ended)
    }

    package static func == (a: Self, b: Self) -> Bool { a.place.isSpelled(as: b.place) && (a.size, a.modified) == (b.size, b.modified) }
    package func hash(into hasher: inout Hasher) { place.hashSpelling(into: &hasher) }
}

/// Where pushed files lie until they are delivered: what still comes below `LOGIN/part`, what was accepted below `LOGIN/in/NUMBER`.
///
/// Everything here blocks for the disk.
package final class FTPInbox: Sendable {
    private struct State {
        /// Places that a client is writing to.
        var writing: Set<String> = []
        /// Acknowledged to their clients, not accepted yet: nothing is written over them.
        var finished: Set<String> = []
        var used: UInt64 = 0, number: UInt64 = 0
        /// Sizes of what was pushed lately, also when it is gone from here: clients ask afterwards.
        var lately: [Recent: UInt64] = [:], order: [Recent] = []
    }
    private struct Recent: Hashable { var login: String, path: FTPPath }
    private static let remembered = 4096

    package let root: String
    private let limit: UInt64
    private let state = Mutex(State())

    /// `limit` = the most bytes that may wait here.
    package init(_ root: String, limit: UInt64) throws(IngestError) {
        (self.root, self.limit) = (root, limit)
        try DurableFile.makeDirectories(root, mode: 0o700)
        var facts = timespec()
        clock_gettime(CLOCK_REALTIME, &facts)
        let start = UInt64(facts.tv_sec) * 1_000_000_000 + UInt64(facts.tv_nsec), used = try Self.bytes(below: root)
        state.withLock { ($0.number, $0.used) = (start, used) }
    }

    /// True while there is room for more.
    package var hasRoom: Bool {
        guard state.withLock({ $0.used < limit }) else { return false }
        return ((try? FileSystem.freeBytes(root)) ?? 0) > 256 << 20
    }

    // MARK: Receiving

    /// Begins or goes on with a file; `offset` nil = from its present end.
    ///
    /// `storageFull`, `rejected` where the offset lies behind what is here.
    package func begin(_ login: String, _ path: FTPPath, from offset: UInt64?) throws(IngestError) -> FTPUpload {
        guard hasRoom else { throw IngestError(.storageFull, "The inbox is full.") }
        let place = state.withLock { state in
            let place = free(state, login, path, isNew: offset == 0)
            state.writing.insert(place)
            return place
        }
        do throws(IngestError) {
            try DurableFile.makeDirectories(Paths.folder(root + "/" + place), mode: 0o700)
            return try FTPUpload(inbox: self, login: login, path: path, place: place, from: offset)
        } catch {
            state.withLock { _ = $0.writing.remove(place) }
            throw error
        }
    }

    /// A place for this name where nobody writes and, for a new file, nothing lies that was acknowledged.
    private func free(_ state: State, _ login: String, _ path: FTPPath, isNew: Bool = true) -> String {
        var place = "\(login)/part/\(path.text)", number = 1
        while (isNew && state.finished.contains(place)) || state.writing.contains(place) {
            number += 1
            place = "\(login)/part-\(number)/\(path.text)"
        }
        return place
    }

    /// Its client was told that all of it is safe.
    func acknowledge(_ place: String) { state.withLock { _ = $0.finished.insert(place) } }

    /// Bytes that came, or that were given up.
    func count(_ bytes: Int) {
        state.withLock { $0.used = bytes < 0 ? $0.used - min($0.used, UInt64(bytes.magnitude)) : $0.used + UInt64(bytes) }
    }

    func ended(_ upload: FTPUpload, size: UInt64) {
        state.withLock { state in
            state.writing.remove(upload.place)
            note(&state, upload.login, upload.path, size)
        }
    }

    private func note(_ state: inout State, _ login: String, _ path: FTPPath, _ size: UInt64) {
        let recent = Recent(login: login, path: path)
        if state.lately.updateValue(size, forKey: recent) == nil { state.order.append(recent) }
        if state.order.count > Self.remembered { state.lately[state.order.removeFirst()] = nil }
    }

    // MARK: Asked by clients

    /// The size of what the login pushed under this name, finished or not; nil when it did not.
    package func size(_ login: String, _ path: FTPPath) -> UInt64? {
        let facts = (try? FileFacts.of("\(root)/\(login)/part/\(path.text)")) ?? nil
        if let facts, facts.kind == .regular { return facts.size }
        return state.withLock { $0.lately[Recent(login: login, path: path)] }
    }

    /// What the login pushed lately into a folder: name and size.
    package func recent(_ login: String, in folder: FTPPath) -> [(name: String, size: UInt64)] {
        state.withLock { state in
            state.order.filter { $0.login == login && Paths.folder("/" + $0.path.text) == folder.shown }
                .map { ($0.path.name, state.lately[$0] ?? 0) }
        }
    }

    /// Renames what is not accepted yet, and never over another that was acknowledged; nil when there is no such file.
    func rename(_ login: String, _ old: FTPPath, _ new: FTPPath) -> FTPServer.Renaming? {
        let from = "\(login)/part/\(old.text)"
        return state.withLock { state in
            let to = free(state, login, new)
            guard !state.writing.contains(from),
                ((try? FileFacts.of(root + "/" + from)) ?? nil)?.kind == .regular
            else { return nil }
            guard (try? DurableFile.makeDirectories(Paths.folder(root + "/" + to), mode: 0o700)) != nil,
                (try? DurableFile.publish(part: root + "/" + from, as: root + "/" + to)) != nil
            else { return nil }
            if state.finished.remove(from) != nil { state.finished.insert(to) }
            if let size = state.lately.removeValue(forKey: Recent(login: login, path: old)) {
                state.order.removeAll { $0 == Recent(login: login, path: old) }
                note(&state, login, new, size)
            }
            return FTPServer.Renaming(login: login, path: new, from: from, to: to)
        }
    }

    // MARK: Asked by the source

    /// Everything that lies here and is not being written: accepted or not.
    package func files() throws(IngestError) -> [FTPFile] {
        var found: [FTPFile] = []
        try DirectoryScan(root: root).run { entry in
            guard entry.type == .file else { return .proceed }
            let parts = entry.path.utf8.split(separator: 0x2F).map { String(Substring($0)) }
            guard parts.count >= 3, !isWriting(entry.path) else { return .proceed }
            let skip = parts[1] == "in" ? 3 : 2
            guard parts.count > skip, let path = try? FTPPath(parts[skip...].joined(separator: "/"), from: .root) else { return .proceed }
            found.append(
                FTPFile(
                    login: parts[0], path: path, place: entry.path, size: entry.size, modified: entry.modified, inode: entry.inode,
                    ended: skip == 3))
            return .proceed
        }
        return found
    }

    private func isWriting(_ place: String) -> Bool { state.withLock { $0.writing.contains(place) } }

    /// The file as it is now; nil when it is gone or being written again.
    package func current(_ file: FTPFile) throws(IngestError) -> FTPFile? {
        guard !isWriting(file.place), let facts = try FileFacts.of("\(root)/\(file.place)"), facts.kind == .regular else { return nil }
        var file = file
        (file.size, file.modified, file.inode) = (facts.size, facts.modified, facts.inode)
        return file
    }

    /// Puts a finished file where no client reaches it any more; nil when it is being written again.
    package func accept(_ file: FTPFile) throws(IngestError) -> FTPFile? {
        let number = state.withLock { state -> UInt64? in
            guard state.writing.insert(file.place).inserted else { return nil }
            state.number += 1
            return state.number
        }
        guard let number else { return nil }
        defer { state.withLock { _ = $0.writing.remove(file.place) } }
        var accepted = file
        accepted.place = "\(file.login)/in/\(String(number, radix: 16))/\(file.path.text)"
        try DurableFile.makeDirectories(Paths.folder("\(root)/\(accepted.place)"), mode: 0o700)
        try DurableFile.publish(part: "\(root)/\(file.place)", as: "\(root)/\(accepted.place)")
        state.withLock { _ = $0.finished.remove(file.place) }
        return accepted
    }

    /// Delivered: the bytes are not needed here any more.
    package func remove(place: String, size: UInt64) {
        let path = "\(root)/\(place)"
        guard withCPath(path, { unlink($0) }) == 0 else { return }
        state.withLock { state in
            state.used -= min(state.used, size)
            state.finished.remove(place)
        }
        var folder = Paths.folder(place)
        // The folders of a login stay: another file may be on its way through them.
        while folder.utf8.filter({ $0 == 0x2F }).count >= 2, withCPath("\(root)/\(folder)", { rmdir($0) }) == 0 {
            folder = Paths.folder(folder)
        }
    }

    private static func bytes(below root: String) throws(IngestError) -> UInt64 {
        var sum: UInt64 = 0
        try DirectoryScan(root: root).run { entry in
            if entry.type == .file { sum += entry.size }
            return .proceed
        }
        return sum
    }
}
