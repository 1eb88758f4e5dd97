import Glibc
import Synchronization

/// What files are called at a server while they are being sent.
///
/// The same for each try of one file, so that nothing piles up, and another at each station: two that send the same
/// frame to one place would else write into one file, and what one of them just renamed would be cut short by the
/// other.
public final class HiddenNames: Sendable {
    private let file: String, key: String
    private let station = Mutex<String?>(nil)

    /// `state`: the station's state directory.
    ///
    /// `key`: the target's identity.
    public init(state: String, key: String) { (file, self.key) = ("\(state)/sender", key) }

    /// The name beside `path` for a file of these bytes; hidden from galleries.
    ///
    /// `broken`: how many tries broke off whose end the server may not have heard of yet; each has a name of its own.
    /// Blocks briefly for a small file the first time.
    public func name(for path: String, sha256: String, broken: Int = 0) -> String {
        let station = station.withLock { known in
            let word = known ?? Self.load(file)
            known = word
            return word
        }
        let name = name(for: path, sha256, by: station)
        return broken == 0 ? name : String(name.dropLast(5)) + "-\(broken).part"
    }

    /// The same where this station has sent something by such a name before; writes nothing.
    public func usedName(for path: String, sha256: String) -> String? {
        let station = station.withLock { known in
            known = known ?? Self.read(file)
            return known
        }
        return station.map { name(for: path, sha256, by: $0) }
    }

    private func name(for path: String, _ sha256: String, by station: String) -> String {
        let place = ByteDigest.sha256(Array("\(station)\n\(key)\n\(path)".utf8))
        return ".filmgate-\(sha256.prefix(16))-\(Hex.text(of: place.prefix(8))).part"
    }

    /// The station's own random word, made once; good for this process alone where it cannot be kept.
    private static func load(_ file: String) -> String {
        if let known = read(file) { return known }
        let fresh = Hex.text(of: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
        let part = "\(file).\(fresh.prefix(8)).part"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return fresh }
        let isWritten =
            write(descriptor, Array(fresh.utf8), fresh.utf8.count) == fresh.utf8.count && fdatasync(descriptor) == 0
        close(descriptor)
        // A link fails where the name exists: the first process wins.
        if isWritten { _ = link(part, file) }
        unlink(part)
        return read(file) ?? fresh
    }

    private static func read(_ file: String) -> String? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 32)
        guard Glibc.read(descriptor, &bytes, bytes.count) == bytes.count else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
