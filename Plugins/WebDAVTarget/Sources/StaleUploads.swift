import Synchronization

/// Hidden files of tries that were broken off, to be removed.
final class StaleUploads: Sendable {
    private let parts = Mutex<Set<String>>([])
    /// Of files that are not placed yet, by their final names.
    private let broken = Mutex<[String: [String]]>([:])

    /// How many tries of that file broke off.
    func tries(of path: String) -> Int { broken.withLock { $0[path]?.count ?? 0 } }

    /// The server may still be at it: nothing else may be sent to that name.
    ///
    /// A server that is away for a night breaks hundreds: after some the last name serves again.
    func broke(_ part: String, of path: String) {
        broken.withLock { broken in
            let known = broken[path] ?? []
            if known.count < 8, !known.contains(part) { broken[path] = known + [part] }
        }
    }

    /// The file has its name: what the tries before left can go.
    func placed(_ path: String) { for part in broken.withLock({ $0.removeValue(forKey: path) }) ?? [] { note(part) } }

    func note(_ part: String) { parts.withLock { _ = $0.insert(part) } }

    /// All that were noted since the last time.
    func takeAll() -> Set<String> {
        parts.withLock { parts in
            defer { parts = [] }
            return parts
        }
    }
}
