import FilmgateCore
import Glibc

/// The lock of a staging area, held for as long as its process lives.
///
/// It says of which machine it is: on a share locks may be each machine's own, and then look free from every other one.
struct StagingLock: Sendable {
    /// What is known of an area's process.
    enum Life: Sendable {
        case living, gone
        /// It is another machine's, and nobody here can tell.
        case elsewhere
    }
    /// Nanoseconds after which what another machine left counts as left for good: 30 days.
    static let patience: Int64 = 30 * 86_400_000_000_000

    let path: String
    // Holds the lock.
    private let file: OpenFile

    /// Makes the lock, and the folder where it is missing.
    ///
    /// Blocks briefly.
    static func take(_ session: String, in directory: String) throws(IngestError) -> StagingLock {
        let path = "\(directory)/\(session).lock", fresh = "\(directory)/\(session)-lock.part"
        for _ in 0..<10 {
            try DurableFile.makeDirectories(parent(of: directory))
            try DurableFile.makeDirectories(directory, mode: 0o700)
            do throws(IngestError) {
                let file = try OpenFile.creating(fresh, mode: 0o600)
                // On a full disk the lock alone has to do.
                _ = Result { () throws(IngestError) in try file.write(Array(machine.utf8).span.bytes) }
                _ = flock(file.descriptor, LOCK_EX | LOCK_NB)
                // Whoever finds it under its name finds it locked, and whose it is.
                try DurableFile.move(fresh, to: path)
                if let facts = try FileFacts.of(path), facts.inode == (try file.facts().inode) {
                    return StagingLock(path: path, file: file)
                }
            } catch {
                FileSystem.remove(fresh)
                // Another area may have taken it for a dead one's before it had its name.
                if (error.cause as? SystemFailure)?.code != ENOENT { throw error }
            }
        }
        throw IngestError(.unavailable, "Cannot keep a lock in \(shown(directory)).")
    }

    /// Whether the process of the area with that lock still lives; `removing`: the lock goes where it does not.
    static func life(of lock: String, removing: Bool) -> Life {
        let flags = (removing ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC
        let (descriptor, code) = withCPath(lock) { name in
            let descriptor = open(name, flags)
            return (descriptor, errno)
        }
        if descriptor < 0 { return code == ENOENT || !removing ? .gone : .living }
        let file = OpenFile(owning: descriptor, lock)
        guard flock(descriptor, (removing ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0,
            let word = try? file.bytes(in: 0..<64)
        else { return .living }
        if !word.isEmpty, word != Array(machine.utf8) { return .elsewhere }
        if removing { _ = withCPath(lock) { unlink($0) } }
        return .gone
    }

    /// Nothing happened to the file for so long that nobody writes it; its time of modification may be a picture's.
    static func isLeftForGood(_ path: String, at now: Int64) -> Bool {
        guard let facts = (try? FileFacts.of(path)) ?? nil else { return false }
        return facts.changed < now - patience
    }

    /// Stands for this machine, without telling its id; empty where it has none, and then the lock alone counts.
    private static let machine: String = {
        let path = FileSystem.canonical("/etc/machine-id")
        guard let id = (try? FileSystem.contents(of: path, limit: 4096)) ?? nil, !id.isEmpty else { return "" }
        return String(MultiHasher.digest(of: Array("filmgate staging ".utf8) + id, .sha256).prefix(16))
    }()
}
