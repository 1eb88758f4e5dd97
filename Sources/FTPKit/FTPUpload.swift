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
        /// Another file, whose bytes up to the offset are the first of this one.
        var beginning: String?
        /// What lies at `place` was acknowledged, and is gone on with.
        var isAcknowledged = false
    }
    private struct State { var descriptor: Int32, position: UInt64, isOpen = true }
    let inbox: FTPInbox, recent: FTPRecent, place: String
    private let isAcknowledged: Bool, state: Mutex<State>

    var path: FTPPath { recent.path }

    init(_ inbox: FTPInbox, _ recent: FTPRecent, _ begun: Start) throws(IngestError) {
        (self.inbox, self.recent, place, isAcknowledged) = (inbox, recent, begun.place, begun.isAcknowledged)
        let full = "\(inbox.root)/\(begun.place)", path = recent.path
        if let beginning = begun.beginning {
            let size = begun.offset ?? 0, code = FTPMark.copy("\(inbox.root)/\(beginning)", size, to: full)
            inbox.count(Int(Self.size(full)))
            if code != 0 { throw Self.failure(code, path) }
        }
        let old = Self.size(full), start = begun.offset ?? old
        guard start <= old else {
            throw IngestError(.rejected, "\(PathText.shown(path.shown)) has \(old) bytes here, not \(start).")
        }
        _ = withCPath(full) { chmod($0, FTPMark.coming) }
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let (descriptor, code) = withCPath(full) { name in
            let descriptor = open(name, flags, FTPMark.coming)
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
        // Whoever finds it after a crash must know that its client will not send it again.
        let code: Int32 = state.withLock { state in
            _ = fchmod(state.descriptor, FTPMark.safe)
            return fsync(state.descriptor) == 0 ? 0 : errno
        }
        guard code == 0 || code == EINVAL else {
            state.withLock { _ = fchmod($0.descriptor, isAcknowledged ? FTPMark.safe : FTPMark.coming) }
            throw Self.failure(code, path)
        }
        // In this order: nobody may begin anew at this place in between.
        inbox.acknowledge(self)
        close(position)
        guard let facts = try FileFacts.of("\(inbox.root)/\(place)") else {
            throw IngestError(.unavailable, "\(PathText.shown(path.shown)) vanished from the inbox.")
        }
        return FTPFile(
            login: recent.client.login, path: path, place: place, size: facts.size, modified: facts.modified, inode: facts.inode,
            ended: true)
    }

    /// The connection broke: what came stays, for the client to go on with.
    package func interrupt() {
        if isAcknowledged { state.withLock { if $0.isOpen { _ = fchmod($0.descriptor, FTPMark.safe) } } }
        close(position)
    }

    private func close(_ size: UInt64) {
        let was = state.withLock { state in
            defer { state.isOpen = false }
            if state.isOpen { Glibc.close(state.descriptor) }
            return state.isOpen
        }
        if was { inbox.ended(self, size: size) }
    }

    private static func size(_ path: String) -> UInt64 { ((try? FileFacts.of(path)) ?? nil)?.size ?? 0 }

    private static func failure(_ code: Int32, _ path: FTPPath) -> IngestError {
        let words = "\(PathText.shown(path.shown)) cannot be written: \(SystemFailure(code).text)."
        return IngestError(code == ENOSPC || code == EDQUOT ? .storageFull : .rejected, words, cause: SystemFailure(code))
    }
}

extension FTPUpload {
    /// What an interrupted upload left; nil when there is nothing.
    package var leftover: FTPFile? {
        guard !inbox.isGivenUp(self), let facts = (try? FileFacts.of("\(inbox.root)/\(place)")) ?? nil, facts.size > 0 else { return nil }
        return FTPFile(
            login: recent.client.login, path: path, place: place, size: facts.size, modified: facts.modified, inode: facts.inode,
            ended: isAcknowledged)
    }
}
