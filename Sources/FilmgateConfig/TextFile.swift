import FilmgateCore
import Glibc

/// Reads one small, ordinary file whole.
enum TextFile {
    /// `file-not-found`, `file-unreadable` (also for folders, pipes and devices), `file-too-large`.
    ///
    /// Follows links; blocks for the disk.
    static func bytes(path: String, limit: Int) throws(ConfigError) -> [UInt8] {
        let handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard handle >= 0 else { throw failure(path, errno) }
        defer { close(handle) }
        var status = stat()
        guard fstat(handle, &status) == 0 else { throw failure(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ConfigError(Mark(file: path), "file-unreadable", "This is not an ordinary file.")
        }
        guard let bytes = contents(of: handle, limit: limit) else { throw failure(path, errno) }
        guard bytes.count <= limit else { throw tooLarge(path, limit) }
        return bytes
    }

    /// At most one byte more than `limit`; nil on a read error, which `errno` then tells.
    static func contents(of handle: CInt, limit: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit + 1), filled = 0
        while filled < bytes.count {
            let got = bytes.withUnsafeMutableBytes { room in
                room.baseAddress.map { read(handle, $0 + filled, room.count - filled) } ?? 0
            }
            if got < 0, errno == EINTR { continue }
            if got < 0 { return nil }
            if got == 0 { break }
            filled += got
        }
        bytes.removeLast(bytes.count - filled)
        return bytes
    }

    static func tooLarge(_ file: String, _ limit: Int) -> ConfigError {
        ConfigError(
            Mark(file: file), "file-too-large",
            "The file is larger than \(limit >> 20) MiB; a pipeline is never that long.")
    }

    private static func failure(_ path: String, _ code: CInt) -> ConfigError {
        if code == ENOENT || code == ENOTDIR {
            return ConfigError(Mark(file: path), "file-not-found", "There is no such file.")
        }
        return ConfigError(
            Mark(file: path), "file-unreadable", "The file cannot be read: \(String(cString: strerror(code))).")
    }
}
