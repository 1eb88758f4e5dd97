import Synchronization

/// Hidden files of tries that were broken off, to be removed.
///
/// A busy server may begin with such a try only when the next one is whole, and would cut that: each has a hidden name
/// of its own.
public final class StaleUploads: Sendable {
    private let parts = Mutex<Set<String>>([])
    /// Of files that are not placed yet, by their final names.
    private let broken = Mutex<[String: [String]]>([:])

    public init() {}

    /// How many tries of that file broke off.
    public func tries(of path: String) -> Int { broken.withLock { $0[path]?.count ?? 0 } }

    /// The server may still be at it: nothing else may be sent to that name.
    ///
    /// A server that is away for a night breaks hundreds: after some the last name serves again.
    public func broke(_ part: String, of path: String) {
        broken.withLock { broken in
            let known = broken[path] ?? []
            if known.count < 8, !known.contains(part) { broken[path] = known + [part] }
        }
    }

    /// The file has its name: what the tries before left can go.
    public func placed(_ path: String) {
        for part in broken.withLock({ $0.removeValue(forKey: path) }) ?? [] { note(part) }
    }

    /// That file can go; may be said twice.
    public func note(_ part: String) { parts.withLock { _ = $0.insert(part) } }

    /// All that were noted since the last time.
    public func takeAll() -> Set<String> {
        parts.withLock { parts in
            defer { parts = [] }
            return parts
        }
    }
}
