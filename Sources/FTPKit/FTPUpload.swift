import FileKit
package import FilmgateCore
import Glibc
import Synchronization

/// One file on its way in.
///
/// For one writer; blocks for the disk.
package final class FTPUpload: Sendable {
    let login: String, path: FTPPath, place: String
    private struct State { var descriptor: Int32, position: UInt64, isOpen = true }
    let inbox: FTPInbox
    private let state: Mutex<State>

    init(inbox: FTPInbox, login: String, path: FTPPath, place: String, from offset: UInt64?) throws(IngestError) {
        (self.inbox, self.login, self.path, self.place) = (inbox, login, path, place)
        let full = "\(inbox.root)/\(place)"
        let old = try FileFacts.of(full)?.size ?? 0, start = offset ?? old
        guard start <= old else {
            throw IngestError(.rejected, "\(PathText.shown(path.shown)) has \(old) bytes here, not \(start).")
        }
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let (descriptor, code) = withCPath(full) { name in
            let descriptor = open(name, flags, 0o600)
            return (descriptor, errno)
        }
        if descriptor < 0 { throw Self.failure(code, path) }
        // What lies behind the offset belongs to an attempt that is given up.
        guard ftruncate(descriptor, off_t(start)) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw Self.failure(code, path)
        }
        inbox.count(Int(start) - Int(old))
        state = Mutex(State(descriptor: descriptor, position: start))
    }

    deinit { state.withLock { if $0.isOpen { Glibc.close($0.descriptor) } } }

    package var position: UInt64 { state.withLock(\.position) }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(IngestError) {
        try state.withLock { state throws(IngestError) in
            var rest = bytes
            while !rest.isEmpty {
                let count = pwrite(state.descriptor, rest.baseAddress, rest.count, off_t(state.position))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.failure(errno, path) }
                state.position += UInt64(count)
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
        inbox.count(bytes.count)
    }

    /// The client sent everything: durable on return.
    package func finish() throws(IngestError) -> FTPFile {
        let code: Int32 = state.withLock { fdatasync($0.descriptor) == 0 ? 0 : errno }
        let size = position
        close(size)
        if code != 0, code != EINVAL { throw Self.failure(code, path) }
        guard let facts = try FileFacts.of("\(inbox.root)/\(place)") else {
            throw IngestError(.unavailable, "\(PathText.shown(path.shown)) vanished from the inbox.")
        }
        inbox.acknowledge(place)
        return FTPFile(
            login: login, path: path, place: place, size: facts.size, modified: facts.modified, inode: facts.inode, ended: true)
    }

    /// The connection broke: what came stays, for the client to go on with.
    package func interrupt() { close(position) }

    private func close(_ size: UInt64) {
        let was = state.withLock { state in
            defer { state.isOpen = false }
            if state.isOpen { Glibc.close(state.descriptor) }
            return state.isOpen
        }
        if was { inbox.ended(self, size: size) }
    }

    private static func failure(_ code: Int32, _ path: FTPPath) -> IngestError {
        let words = "\(PathText.shown(path.shown)) cannot be written: \(SystemFailure(code).text)."
        return IngestError(code == ENOSPC || code == EDQUOT ? .storageFull : .rejected, words, cause: SystemFailure(code))
    }
}

extension FTPUpload {
    /// What an interrupted upload left; nil when there is nothing.
    package var leftover: FTPFile? {
        guard let facts = (try? FileFacts.of("\(inbox.root)/\(place)")) ?? nil, facts.size > 0 else { return nil }
        return FTPFile(
            login: login, path: path, place: place, size: facts.size, modified: facts.modified, inode: facts.inode, ended: false)
    }
}
