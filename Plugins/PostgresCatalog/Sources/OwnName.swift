import Synchronization

/// What this station is called, for tables that say nothing else of who has a claim.
final class OwnName: Sendable {
    private let name = Mutex<String?>(nil)
    var current: String? { name.withLock(\.self) }
    func note(_ new: String) { name.withLock { $0 = new } }
}
