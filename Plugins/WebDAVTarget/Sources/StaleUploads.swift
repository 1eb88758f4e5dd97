import Synchronization

/// Hidden files of tries that were broken off, to be removed.
final class StaleUploads: Sendable {
    private let parts = Mutex<Set<String>>([])

    func note(_ part: String) { parts.withLock { _ = $0.insert(part) } }

    /// All that were noted since the last time.
    func takeAll() -> Set<String> {
        parts.withLock { parts in
            defer { parts = [] }
            return parts
        }
    }
}
