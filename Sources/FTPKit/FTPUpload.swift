import FileKit
package import FilmgateCore
import Glibc
import Synchronization

/// One file on its way in.
///
/// For one writer; blocks for the disk.
package final class FTPUpload: Sendable {
    struct Start: Sendable {
        var place: String
        /// Nil = behind what is there.
        var offset: UInt64?
        /// What lies at `place` was acknowledged, and is gone on with.
        var isAcknowledged = false
    }
    private struct State { var descriptor: Int32, position: UInt64, isOpen = true }
    let inbox: FTPInbox, recent: FTPRecent, place: String
    private let isAcknowledged: Bool, state: Mutex<State>
    /// What was here: the client may repeat some of it, with the same bytes, and adds to it unless it has its end.
    private let there: UInt64, isWhole: Bool
    /// Where its client goes on.
    private let start: UInt64

    var path: FTPPath { recent.path }

    init(_ inbox: FTPInbox, _ recent: FTPRecent, _ begun: Start, isWhole: Bool) throws(IngestError) {
        (self.inbox, self.recent, place, isAcknowledged, self.isWhole) = (
            inbox, recent, begun.place, begun.isAcknowledged, isWhole
        )
        let full = "\(inbox.root)/\(begun.place)", path = recent.path
        let old = Self.size(full)
        start = begun.offset ?? old
        guard start <= old else {
            throw IngestError(.rejected, "\(PathText.shown(path.shown)) has \(old) bytes here, not \(start).")
        }
        there = begun.offset == 0 ? 0 : old
        _ = withCPath(full) { chmod($0, InboxPermissions.coming) }
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let (descriptor, code) = withCPath(full) { name in
            let descriptor = open(name, flags, InboxPermissions.coming)
            return (descriptor, errno)
        }
        if descriptor < 0 {
            if begun.isAcknowledged { _ = withCPath(full) { chmod($0, InboxPermissions.safe) } }
            throw Self.failure(code, path)
        }
        // Whoever begins anew gives the attempt before up; nothing else is ever cut.
        guard ftruncate(descriptor, off_t(there)) == 0 else {
            let code = errno
            if begun.isAcknowledged { _ = fchmod(descriptor, InboxPermissions.safe) }
            Glibc.close(descriptor)
            throw Self.failure(code, path)
        }
        inbox.count(Int(there) - Int(old))
        state = Mutex(State(descriptor: descriptor, position: start))
    }

    deinit { state.withLock { if $0.isOpen { Glibc.close($0.descriptor) } } }

    package var position: UInt64 { state.withLock(\.position) }

    /// Appends; bytes that are here already are only compared: `rejected` where they differ.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(IngestError) {
        var added = 0
        defer { inbox.count(added) }
        try state.withLock { state throws(IngestError) in
            var rest = bytes
            if isSentAnew(state, rest) { state.position = 0 }
            while !rest.isEmpty {
                if state.position < there {
                    let count = min(rest.count, Int(clamping: there - state.position))
                    guard Self.holds(state.descriptor, rest.prefix(count), at: state.position) else { throw another() }
                    state.position += UInt64(count)
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                    continue
                }
                if isWhole { throw another() }
                let count = pwrite(state.descriptor, rest.baseAddress, rest.count, off_t(state.position))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.failure(errno, path) }
                state.position += UInt64(count)
                added += count
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    /// Some clients (ncftp) say where they go on and then send all of the file: what they begin with is what is here.
    ///
    /// The rest of it is compared as usual.
    private func isSentAnew(_ state: State, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = min(bytes.count, Int(clamping: there))
        guard start > 0, start == there, state.position == start, count >= 512, Self.isShot(path.name),
            bytes.contains(where: { $0 != bytes[0] })
        else { return false }
        return Self.holds(state.descriptor, bytes.prefix(count), at: 0)
    }

    /// Two files under one name: what is here stays as it is.
    private func another() -> IngestError {
        inbox.disown(self)
        return IngestError(.rejected, "\(PathText.shown(path.shown)) is another file here: send it from the beginning.")
    }

    private static func holds(_ descriptor: Int32, _ bytes: Slice<UnsafeRawBufferPointer>, at offset: UInt64) -> Bool {
        let wanted = UnsafeRawBufferPointer(rebasing: bytes)
        var block = [UInt8](repeating: 0, count: min(wanted.count, 256 << 10)), done = 0
        while done < wanted.count {
            let count = pread(descriptor, &block, min(block.count, wanted.count - done), off_t(offset) + off_t(done))
            guard count > 0, let start = wanted.baseAddress, memcmp(start + done, block, count) == 0 else {
                return false
            }
            done += count
        }
        return true
    }

    /// The client sent everything: on return the bytes, the name and the permissions that say so are on the disk, one
    /// after the other.
    ///
    /// Permissions that came to the disk before the bytes would, after a power cut, protect what is left of them from
    /// the client's next try.
    package func finish() throws(IngestError) -> FTPFile {
        // It ended before what is here does: what it repeated is the same, so it is no other file.
        if position < there {
            throw IngestError(
                .rejected, "\(PathText.shown(path.shown)) ended before what is here does: go on with it.")
        }
        // A connection that broke before the first byte looks the same: no picture is empty, and its client would
        // forget it.
        if position == 0, Self.isShot(path.name) {
            throw IngestError(.rejected, "No bytes of \(PathText.shown(path.shown)) came: send it again.")
        }
        let code = state.withLock { settle($0.descriptor) }
        guard code == 0 else {
            state.withLock {
                inbox.disk.setPermissions(
                    $0.descriptor, isAcknowledged ? InboxPermissions.safe : InboxPermissions.coming)
            }
            inbox.distrust(self)
            throw Self.failure(code, path)
        }
        // The end of a connection that was killed looks like the file's.
        if !isAcknowledged, inbox.isGivenUp(self) {
            close(0, leavesNothing: true)
            throw IngestError(.rejected, "\(PathText.shown(path.shown)) was sent anew meanwhile: this is a part of it.")
        }
        // In this order: nobody may begin anew at this place in between.
        inbox.acknowledge(self)
        close(position)
        guard let facts = try FileFacts.of("\(inbox.root)/\(place)") else {
            throw IngestError(.unavailable, "\(PathText.shown(path.shown)) vanished from the inbox.")
        }
        return FTPFile(
            login: recent.client.login, path: path, place: place, size: facts.size, modified: facts.modified,
            inode: facts.inode, ended: true)
    }

    private func settle(_ descriptor: Int32) -> Int32 {
        let disk = inbox.disk, bytes = disk.flush(descriptor)
        guard bytes == 0 else { return bytes }
        let name = disk.flushFolder(Paths.folder("\(inbox.root)/\(place)"))
        guard name == 0 else { return name }
        disk.setPermissions(descriptor, InboxPermissions.safe)
        return disk.flush(descriptor)
    }

    /// A picture, a clip or a sound, by its name or by what it is to be called once it is whole (`IMG_1.JPG.tmp`).
    static func isShot(_ name: String) -> Bool {
        [name, FileName(name).stem].contains { ![MediaKind.other, .sidecar].contains(MediaKind(fileName: $0)) }
    }

    /// The connection broke: what came stays, for the client to go on with; where nothing came, nothing stays.
    ///
    /// Of what its client has sent anew meanwhile, nothing stays either.
    package func interrupt() {
        if isAcknowledged {
            // What was acknowledged is on the disk; what came behind it may be on its way.
            let code = state.withLock { state -> Int32 in
                guard state.isOpen else { return 0 }
                defer { inbox.disk.setPermissions(state.descriptor, InboxPermissions.safe) }
                return inbox.disk.flush(state.descriptor)
            }
            if code != 0 { inbox.distrust(self) }
        } else if inbox.isGivenUp(self) {
            return close(0, leavesNothing: true)
        }
        let size = max(position, there)
        close(size, leavesNothing: size == 0 && !isAcknowledged)
    }

    private func close(_ size: UInt64, leavesNothing: Bool = false) {
        let was = state.withLock { state in
            defer { state.isOpen = false }
            if state.isOpen { Glibc.close(state.descriptor) }
            return state.isOpen
        }
        guard was else { return }
        if leavesNothing { inbox.drop(place) } else { inbox.ended(self, size: size) }
    }

    private static func size(_ path: String) -> UInt64 { ((try? FileFacts.of(path)) ?? nil)?.size ?? 0 }

    private static func failure(_ code: Int32, _ path: FTPPath) -> IngestError {
        let words = "\(PathText.shown(path.shown)) cannot be written: \(SystemFailure(code).text)."
        return IngestError(
            code == ENOSPC || code == EDQUOT ? .storageFull : .rejected, words, cause: SystemFailure(code))
    }
}

extension FTPUpload {
    /// What an interrupted upload left; nil when there is nothing.
    package var leftover: FTPFile? {
        guard let facts = (try? FileFacts.of("\(inbox.root)/\(place)")) ?? nil, facts.size > 0 else { return nil }
        return FTPFile(
            login: recent.client.login, path: path, place: place, size: facts.size, modified: facts.modified,
            inode: facts.inode, ended: isAcknowledged)
    }
}
