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
    /// Its client had sent everything and was told that it is safe.
    package var ended: Bool
    /// No client reaches it any more.
    package var isAccepted: Bool {
        place.utf8.split(separator: 0x2F).dropFirst().first?.elementsEqual("in".utf8) ?? false
    }

    package init(login: String, path: FTPPath, place: String, size: UInt64, modified: Int64, inode: UInt64, ended: Bool)
    {
        (self.login, self.path, self.place, self.size) = (login, path, place, size)
        (self.modified, self.inode, self.ended) = (modified, inode, ended)
    }

    package static func == (a: Self, b: Self) -> Bool {
        a.place.isSpelled(as: b.place) && (a.size, a.modified) == (b.size, b.modified)
    }
    package func hash(into hasher: inout Hasher) { place.hashSpelling(into: &hasher) }
}

/// Where pushed files lie until they are delivered: what still comes below `LOGIN/part`, what was accepted below
/// `LOGIN/in/NUMBER`.
///
/// Everything here blocks for the disk.
package final class FTPInbox: Sendable {
    package let root: String
    private let room: FTPRoom
    let disk: FTPDisk
    private let isWhole: @Sendable (String, String) -> Bool
    private let state = Mutex(FTPInboxState())
    /// As long as it is held, nobody takes the inbox for one that was left behind.
    private let lock = Mutex<FolderLock?>(nil)

    /// `limit` = the most bytes that may wait here; `isWhole` = true of a path and a name where the file's structure
    /// has its end.
    package convenience init(
        _ root: String, limit: UInt64, isWhole: @escaping @Sendable (String, String) -> Bool = { _, _ in false }
    ) throws(IngestError) {
        try self.init(root, FTPRoom(limit), disk: FTPDisk(), isWhole: isWhole)
    }

    /// With the room that the inboxes of a server share.
    package convenience init(
        _ root: String, _ room: FTPRoom, isWhole: @escaping @Sendable (String, String) -> Bool
    ) throws(IngestError) {
        try self.init(root, room, disk: FTPDisk(), isWhole: isWhole)
    }

    init(
        _ root: String, _ room: FTPRoom, disk: FTPDisk, isWhole: @escaping @Sendable (String, String) -> Bool
    ) throws(IngestError) {
        (self.root, self.room, self.disk, self.isWhole) = (root, room, disk, isWhole)
        try DurableFile.makeDirectories(root, mode: 0o700)
        hold()
        let start = UInt64(WallClock.nanoseconds), left = try files()
        room.take(left.reduce(0) { $0 + $1.size })
        state.withLock { state in
            state.number = start
            for file in left where !file.isAccepted {
                let parts = file.place.utf8.split(separator: 0x2F).map { String(Substring($0)) }
                state.tried(
                    FTPRecent(client: FTPClient(login: file.login, part: parts[1]), path: file.path), file.place)
                if file.ended { state.finished.insert(file.place) }
            }
        }
    }

    /// Somebody looks after it.
    package func hold() { lock.withLock { if $0 == nil { $0 = FolderLock(free: root) } } }

    /// Nobody looks after it any more.
    package func release() { lock.withLock { $0 = nil } }

    /// True while there is room for more.
    package var hasRoom: Bool {
        guard room.isLeft else { return false }
        return ((try? FileSystem.freeBytes(root)) ?? 0) > 256 << 20
    }

    // MARK: Receiving

    /// Begins or goes on with a file; `offset` nil = from its present end.
    ///
    /// A client goes on only with what it sent itself, from the same address, until that is taken; what it repeats has
    /// to be what is here, and what has its end already is not added to. Otherwise `rejected`, and the client is told
    /// afterwards that nothing is here: it sends all of it. `storageFull`. `told`: how many bytes it was told are here,
    /// which goes before the present end: what has come since over a connection that it gave up, it sends again.
    package func begin(
        _ client: FTPClient, _ path: FTPPath, from offset: UInt64?, told: UInt64? = nil
    ) throws(IngestError) -> FTPUpload {
        guard hasRoom else { throw IngestError(.storageFull, "The inbox is full.") }
        let recent = FTPRecent(client: client, path: path), offset = offset ?? (told == 0 ? nil : told)
        let start = try state.withLock { state throws(IngestError) -> FTPUpload.Start in
            var start = FTPUpload.Start(place: state.free(recent), offset: offset)
            if offset != 0 {
                if let own = state.goingOn(recent) {
                    let late = offset == nil && told == 0 ? size(own) : 0
                    if late > 0 {
                        throw IngestError(.rejected, "\(late) bytes of it are here: ask for its SIZE again.")
                    }
                    start.place = own
                } else if offset != nil || state.known(recent) != nil || state.last(recent) != nil {
                    state.forget(recent)
                    throw IngestError(
                        .rejected, "\(PathText.shown(path.shown)) cannot be continued here: send it from the beginning."
                    )
                }
            }
            start.isAcknowledged = state.finished.contains(start.place)
            state.writing.insert(start.place)
            state.givenUp[start.place] = nil
            // All of it is written again.
            if offset == 0 { state.unsure.remove(start.place) }
            state.tried(recent, start.place)
            return start
        }
        do throws(IngestError) {
            try DurableFile.makeDirectories(Paths.folder(root + "/" + start.place), mode: 0o700)
            return try FTPUpload(
                self, recent, start, isWhole: offset != 0 && isWhole("\(root)/\(start.place)", path.name))
        } catch {
            state.withLock { state in
                state.writing.remove(start.place)
                if size(start.place) == 0 { state.leave(start.place) }
            }
            throw error
        }
    }

    /// Its client sent other bytes than are here, so these are another file's: it has to send all of its own, and
    /// nobody goes on with these.
    func disown(_ upload: FTPUpload) {
        state.withLock { state in
            state.tried(upload.recent.disowned, upload.place)
            state.forget(upload.recent)
        }
    }

    /// A flush failed: no later one makes up for it, so its client has to send all of it anew.
    func distrust(_ upload: FTPUpload) {
        state.withLock { state in
            state.unsure.insert(upload.place)
            state.forget(upload.recent)
        }
    }

    private func size(_ place: String) -> UInt64 { ((try? FileFacts.of("\(root)/\(place)")) ?? nil)?.size ?? 0 }

    /// Its client was told that all of it is safe; earlier tries that are only its beginning go.
    func acknowledge(_ upload: FTPUpload) {
        let earlier = state.withLock { state in
            state.finished.insert(upload.place)
            return (state.tries[upload.recent] ?? []).filter { $0 != upload.place }
        }
        let whole = "\(root)/\(upload.place)"
        for place in earlier {
            // What comes from here on is compared when it has ended.
            let size = size(place)
            guard InboxPermissions.isBeginning("\(root)/\(place)", of: whole) else { continue }
            let given = GivenUp(size: size, whole: whole)
            let isWritten = state.withLock { state in
                if state.writing.contains(place) {
                    state.givenUp[place] = given
                    return true
                }
                // Nobody goes on with it now.
                return !state.writing.insert(place).inserted
            }
            if !isWritten { drop(place) }
        }
    }

    /// True once when its client sent the whole file anew meanwhile: what is left of this try is worth nothing.
    ///
    /// What came behind its beginning since has to be the file's, too.
    func isGivenUp(_ upload: FTPUpload) -> Bool {
        guard let given = state.withLock({ $0.givenUp.removeValue(forKey: upload.place) }) else { return false }
        return given.isBeginning("\(root)/\(upload.place)", size: size(upload.place))
    }

    /// What lies there is worth nothing: it goes, and its name is free.
    func drop(_ place: String) {
        remove(place: place, size: size(place))
        state.withLock { state in
            state.leave(place)
            state.writing.remove(place)
            state.unsure.remove(place)
        }
    }

    /// Bytes that came, or that were given up.
    func count(_ bytes: Int) {
        if bytes < 0 { room.give(UInt64(bytes.magnitude)) } else { room.take(UInt64(bytes)) }
    }

    func ended(_ upload: FTPUpload, size: UInt64) {
        state.withLock { state in
            state.writing.remove(upload.place)
            guard state.tries[upload.recent]?.contains(upload.place) == true else { return }
            state.note(upload.recent, FTPKnown(size: size, modified: WallClock.nanoseconds))
        }
    }

    // MARK: Asked by clients

    /// What the client pushed under this name, finished or not; nil when it did not, or has to send it anew.
    package func known(_ client: FTPClient, _ path: FTPPath) -> FTPKnown? {
        let recent = FTPRecent(client: client, path: path)
        let (place, known, isUnsure) = state.withLock { state in
            let place = state.last(recent)
            return (place, state.known(recent), place.map { state.unsure.contains($0) } ?? false)
        }
        if isUnsure { return nil }
        let facts = place.flatMap { (try? FileFacts.of("\(root)/\($0)")) ?? nil }
        if let facts, facts.kind == .regular { return FTPKnown(size: facts.size, modified: facts.modified) }
        return known
    }

    /// What the client pushed lately into a folder.
    package func recent(_ client: FTPClient, in folder: FTPPath) -> [(name: String, known: FTPKnown)] {
        state.withLock { $0.recent(client, in: folder) }
    }

    /// Renames what is not accepted yet, and never over another that was acknowledged; nil when there is no such file.
    func rename(_ client: FTPClient, _ old: FTPPath, _ new: FTPPath) -> FTPServer.Renaming? {
        let was = FTPRecent(client: client, path: old), now = FTPRecent(client: client, path: new)
        return state.withLock { state in
            guard let from = state.goingOn(was) else { return nil }
            let to = state.free(now), replaced = size(to)
            guard from != to, size(from) > 0 || (state.finished.contains(from) && !FTPUpload.isShot(new.name)) else {
                return nil
            }
            // What the client broke off under the new name is replaced by what it sent whole.
            if replaced > 0 {
                guard state.finished.contains(from), withCPath(root + "/" + to, { unlink($0) }) == 0 else { return nil }
                room.give(replaced)
            }
            guard (try? DurableFile.makeDirectories(Paths.folder(root + "/" + to), mode: 0o700)) != nil,
                (try? DurableFile.publish(part: root + "/" + from, as: root + "/" + to)) != nil
            else { return nil }
            let isFinished = state.finished.remove(from) != nil
            if isFinished { state.finished.insert(to) }
            state.leave(from)
            state.tried(now, to)
            if let known = state.known(was) {
                state.forget(was)
                state.note(now, known)
            }
            let facts = (try? FileFacts.of("\(root)/\(to)")) ?? nil
            return FTPServer.Renaming(
                login: client.login, path: new, from: from, to: to, isFinished: isFinished, inode: facts?.inode ?? 0)
        }
    }

    // MARK: Asked by the source

    /// Everything that lies here and is not being written: accepted or not.
    package func files() throws(IngestError) -> [FTPFile] {
        var found: [FTPFile] = []
        try DirectoryScan(root: root).run { entry in
            if entry.path == FTPEventFolder.name { return .skip }
            guard entry.type == .file else { return .proceed }
            let parts = entry.path.utf8.split(separator: 0x2F).map { String(Substring($0)) }
            guard parts.count >= 3, !isWriting(entry.path) else { return .proceed }
            let skip = parts[1] == "in" ? 3 : 2
            guard parts.count > skip, let path = try? FTPPath(parts[skip...].joined(separator: "/"), from: .root) else {
                return .proceed
            }
            let isSafe = skip == 3 || InboxPermissions.isSafe("\(root)/\(entry.path)")
            found.append(
                FTPFile(
                    login: parts[0], path: path, place: entry.path, size: entry.size, modified: entry.modified,
                    inode: entry.inode, ended: isSafe))
            return .proceed
        }
        return found
    }

    private func isWriting(_ place: String) -> Bool { state.withLock { $0.writing.contains(place) } }

    /// The file as it is now; nil when it is gone or being written again.
    package func current(_ file: FTPFile) throws(IngestError) -> FTPFile? {
        guard !isWriting(file.place), let facts = try FileFacts.of("\(root)/\(file.place)"), facts.kind == .regular
        else { return nil }
        var file = file
        (file.size, file.modified, file.inode) = (facts.size, facts.modified, facts.inode)
        return file
    }

    /// Puts a finished file where no client reaches it any more, perhaps under another name; nil when it is being
    /// written again.
    package func accept(_ file: FTPFile, as path: FTPPath? = nil) throws(IngestError) -> FTPFile? {
        let number = state.withLock { state -> UInt64? in
            guard state.writing.insert(file.place).inserted else { return nil }
            state.number += 1
            return state.number
        }
        guard let number else { return nil }
        defer { state.withLock { _ = $0.writing.remove(file.place) } }
        var accepted = file
        accepted.path = path ?? file.path
        accepted.place = "\(file.login)/in/\(String(number, radix: 16))/\(accepted.path.text)"
        try DurableFile.makeDirectories(Paths.folder("\(root)/\(accepted.place)"), mode: 0o700)
        try DurableFile.publish(part: "\(root)/\(file.place)", as: "\(root)/\(accepted.place)")
        state.withLock { state in
            state.finished.remove(file.place)
            state.unsure.remove(file.place)
            state.givenUp[file.place] = nil
            let clients = state.tries.filter { $0.value.contains(file.place) }.map(\.key)
            state.leave(file.place)
            // A client that goes by SIZE could never go on with it: it sends it anew.
            if !file.ended { for client in clients { state.forget(client) } }
        }
        return accepted
    }

    /// Delivered: the bytes are not needed here any more.
    package func remove(place: String, size: UInt64) {
        let path = "\(root)/\(place)"
        guard withCPath(path, { unlink($0) }) == 0 else { return }
        room.give(size)
        state.withLock { _ = $0.finished.remove(place) }
        var folder = Paths.folder(place)
        // The folders of a login stay: another file may be on its way through them.
        while folder.utf8.filter({ $0 == 0x2F }).count >= 2, withCPath("\(root)/\(folder)", { rmdir($0) }) == 0 {
            folder = Paths.folder(folder)
        }
    }
}
