import FileKit
import FilmgateCore
import Synchronization

/// A server process that all tests of a program share, started when first asked for; each test has a folder of its own
/// in it.
public final class SharedServer: Sendable {
    private let script: String, ports: Int
    private let running = Mutex<Task<ServerProcess, any Error>?>(nil)

    /// As for `ServerProcess`.
    public init(_ script: String, ports: Int = 1) { (self.script, self.ports) = (script, ports) }

    public func start() async throws -> ServerProcess {
        let task = running.withLock { task in
            let begun = task ?? Task { try await ServerProcess(script, ports: ports) }
            task = begun
            return begun
        }
        return try await task.value
    }

    /// A name that no other test has.
    public static func newRoom() -> String { "r" + String(UInt64.random(in: 0 ... .max), radix: 16) }
}

/// What a server's folder holds.
public enum ServerFolder {
    /// Paths of all regular files below a folder; none when it is not there.
    public static func files(below folder: String) throws -> [String] {
        guard try FileFacts.of(folder)?.kind == .directory else { return [] }
        var found: [String] = []
        for name in try FileSystem.names(in: folder) {
            let path = folder + "/" + name
            switch try FileFacts.of(path)?.kind {
            case .directory: found += try files(below: path)
            case .regular: found.append(path)
            default: break
            }
        }
        return found
    }

    /// How many of them hold these bytes; hidden names, which are not final, do not count.
    public static func copies(_ sha256: String, below folder: String) throws -> Int {
        var count = 0
        for path in try files(below: folder) where !(path.split(separator: "/").last?.hasPrefix(".") ?? true) {
            // Gone meanwhile: it was not final.
            if let digests = try? FileCopy.hash(path: path).digests, digests.sha256 == sha256 { count += 1 }
        }
        return count
    }
}
