import Synchronization

/// Names that were noted for a file a while ago, such as one that was free: the upload that asked need not ask twice.
///
/// Good for one upload within `lifetime`.
final class FreeNames: Sendable {
    private struct Key: Hashable { var path: [UInt8], sha256: String }
    private static let most = 4096
    private let lifetime: Duration

    init(lifetime: Duration = .seconds(5)) { self.lifetime = lifetime }

    private let names = Mutex<[Key: ContinuousClock.Instant]>([:])

    func note(_ path: String, for sha256: String) {
        names.withLock { names in
            if names.count >= Self.most { names.removeAll() }
            names[Key(path: Array(path.utf8), sha256: sha256)] = .now
        }
    }

    /// True until it is taken or too old.
    func isNoted(_ path: String, for sha256: String) -> Bool {
        let noted = names.withLock { $0[Key(path: Array(path.utf8), sha256: sha256)] }
        return noted.map { $0.duration(to: .now) < lifetime } ?? false
    }

    /// True once after `note`.
    func take(_ path: String, for sha256: String) -> Bool {
        let noted = names.withLock { $0.removeValue(forKey: Key(path: Array(path.utf8), sha256: sha256)) }
        return noted.map { $0.duration(to: .now) < lifetime } ?? false
    }
}
