import CLinux
import FilmgateCore
import Glibc

/// Kernel files and links: small, read whole.
enum SmallFile {
    /// The file's bytes, at most `limit`.
    ///
    /// Blocks for the disk.
    static func read(_ path: String, limit: Int = 16 << 20) throws(IngestError) -> [UInt8] {
        let descriptor = withCPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .reading(path, errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = [], chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
            if count < 0 {
                if errno == EINTR { continue }
                throw .reading(path, errno)
            }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }

    /// Where a symbolic link points, as it is written there; nil when it is none.
    static func link(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: 4096)
        let count = withCPath(path) { readlink($0, &target, target.count) }
        return count < 0 || count >= target.count
            ? nil : String(pathBytes: target[..<count].map(UInt8.init(bitPattern:)))
    }

    /// The paths, parted by zero bytes, that an extended attribute of `path` holds; none where it has no such attribute.
    static func attribute(_ name: String, of path: String) -> [String] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = withCPath(path) { fg_attribute($0, name, &bytes, bytes.count) }
        return count < 0 ? [] : bytes[..<count].split(separator: 0).map { String(pathBytes: Array($0)) }
    }

    /// The names in a folder; empty when it cannot be read.
    static func names(in folder: String) -> [String] {
        let descriptor = withCPath(folder) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0, let stream = DirectoryStream(descriptor) else { return [] }
        var list = NameList()
        _ = list.fill(from: stream, limit: 65_536)
        return (0..<list.count).map { list.text($0) }
    }
}
