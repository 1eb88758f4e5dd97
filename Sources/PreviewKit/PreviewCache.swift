import FileKit
import FilmgateCore
import Glibc
import Synchronization

/// Pictures on a disk, by what they show.
///
/// All of it may be lost at any time. Everything blocks.
final class PreviewCache: Sendable {
    private let folder: String, limit: UInt64
    /// Bytes of all pictures; nil until they were counted.
    private let size = Mutex<UInt64?>(nil)
    private static let day: Int64 = 86_400_000_000_000
    /// For programs that make backups (bford.info/cachedir).
    private static let mark =
        "Signature: 8a477f597d28d172789f06886806bc55\n# Pictures of filmgate studio, made anew when they are needed.\n"

    init(_ folder: String, limit: UInt64) { (self.folder, self.limit) = (folder, limit) }

    private var pictures: String { "\(folder)/\(PreviewKey.version)" }
    private func group(_ key: PreviewKey) -> String { "\(pictures)/\(key.sha256.prefix(2))" }
    private func path(_ key: PreviewKey) -> String { "\(group(key))/\(key.tag).jpg" }

    func read(_ key: PreviewKey) -> [UInt8]? {
        let path = path(key)
        guard let facts = try? FileFacts.of(path), let bytes = try? FileSystem.contents(of: path, limit: 16 << 20),
            Self.isWhole(bytes)
        else { return nil }
        // What is looked at stays the longest.
        let now = WallClock.nanoseconds
        if facts.modified < now - Self.day { try? FileSystem.setModified(path, now) }
        return bytes
    }

    /// A power cut may leave a name without all of its bytes.
    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xFF, 0xD8]) && bytes.suffix(2) == [0xFF, 0xD9]
    }

    /// Where it cannot be kept it is made anew the next time.
    func write(_ key: PreviewKey, _ bytes: [UInt8]) {
        let total = size.withLock(\.self) ?? count()
        guard (try? DurableFile.makeDirectories(group(key), mode: 0o700)) != nil, put(bytes, path(key)) else { return }
        let now = total + UInt64(bytes.count)
        size.withLock { $0 = now }
        if now > limit { trim() }
    }

    private func put(_ bytes: [UInt8], _ path: String) -> Bool {
        let part = path + ".part"
        FileSystem.remove(part)
        let descriptor = withCPath(part) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { return false }
        // Whole or not at all; nothing is flushed, as nothing is lost.
        let isWritten = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == bytes.count
        close(descriptor)
        if isWritten, withCPath(part, { old in withCPath(path) { rename(old, $0) } }) == 0 { return true }
        FileSystem.remove(part)
        return false
    }

    private func count() -> UInt64 {
        if (try? DurableFile.makeDirectories(folder, mode: 0o700)) != nil,
            (try? FileFacts.of(folder + "/CACHEDIR.TAG")) == nil
        {
            _ = put(Array(Self.mark.utf8), folder + "/CACHEDIR.TAG")
        }
        return all().reduce(0) { $0 + $1.size }
    }

    /// Every picture; what a crash left half-written goes.
    private func all() -> [(path: String, size: UInt64, modified: Int64)] {
        var found: [(path: String, size: UInt64, modified: Int64)] = []
        for group in (try? FileSystem.names(in: pictures)) ?? [] {
            for name in (try? FileSystem.names(in: "\(pictures)/\(group)")) ?? [] {
                let path = "\(pictures)/\(group)/\(name)"
                guard let facts = try? FileFacts.of(path), facts.kind == .regular else { continue }
                if name.hasSuffix(".part") {
                    FileSystem.remove(path)
                } else {
                    found.append((path, facts.size, facts.modified))
                }
            }
        }
        return found
    }

    /// Removes what was not looked at for the longest time, and a tenth more than it must: so it is not done for each
    /// picture.
    private func trim() {
        let files = all().sorted { $0.modified < $1.modified }, goal = limit / 10 * 9
        var left = files.reduce(0) { $0 + $1.size }
        for file in files {
            if left <= goal { break }
            FileSystem.remove(file.path)
            left -= file.size
        }
        size.withLock { $0 = left }
    }
}
