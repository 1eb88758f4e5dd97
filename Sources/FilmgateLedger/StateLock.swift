import FilmgateCore
import Glibc
import Synchronization

/// The one writer's hold on a state directory: `flock` on its file `lock`, which tells the writer's process id.
///
/// The kernel lets go when the process ends, however it ends, so there is no stale lock; the file itself stays.
final class StateLock: Sendable {
    private let descriptor: Mutex<CInt>

    init(directory: String) throws(IngestError) {
        let path = directory + "/lock"
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StateDirectory.failure("cannot be locked", path, errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno, holder = Self.holder(descriptor)
            close(descriptor)
            guard number == EWOULDBLOCK else { throw StateDirectory.failure("cannot be locked", path, number) }
            throw IngestError(
                .stateLocked,
                "The state directory \(directory) is held by \(holder.map { "process \($0)" } ?? "another process").",
                advice: "Wait until that run has ended, or use another state directory with `--state DIR`.")
        }
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
        self.descriptor = Mutex(descriptor)
    }

    deinit { release() }

    /// Lets the next writer in.
    ///
    /// May be called twice.
    func release() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            // A child process that is just being started holds a copy of the descriptor for a moment: closing alone
            // would leave it locked.
            _ = flock(descriptor, LOCK_UN)
            close(descriptor)
            descriptor = -1
        }
    }

    /// The number in the lock file: only for the message, the lock itself is the kernel's.
    private static func holder(_ descriptor: CInt) -> Int? {
        var text = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &text, text.count, 0)
        return count > 0 ? Int(String(decoding: text[..<count].prefix { $0 != 0x0A }, as: UTF8.self)) : nil
    }
}
