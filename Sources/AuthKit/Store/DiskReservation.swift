import FilmgateCore
import Glibc

/// Room on the store's disk, taken before a provider is asked for something that can be had only once.
///
/// A refresh token that rotates is lost when its successor cannot be written. Its file has no name and goes with the
/// object.
final class DiskReservation: Sendable {
    private let descriptor: CInt

    /// Blocks.
    ///
    /// `storageFull` where there is none.
    init(in directory: String, bytes: Int) throws(IngestError) {
        let path = "\(directory)/.\(String(UInt64.random(in: 0 ... .max), radix: 16)).room"
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.none(directory, errno) }
        unlink(path)
        let code = posix_fallocate(descriptor, 0, bytes)
        // A file system that cannot set room aside says only later whether there is any.
        guard code == 0 || code == EOPNOTSUPP || code == EINVAL else { throw Self.none(directory, code) }
    }

    /// For the file that needs it now.
    func giveBack() { ftruncate(descriptor, 0) }

    deinit { close(descriptor) }

    private static func none(_ directory: String, _ code: CInt) -> IngestError {
        let why = String(cString: strerror(code))
        return IngestError(
            .storageFull, "A renewed sign-in could not be stored in \(directory): \(why); it was not asked for.",
            advice: "Make room there.")
    }
}
