import FTPKit
import Synchronization

/// The inboxes of one pipeline's `ftp` sources, which each of them tells of before any of them opens: what lies in one
/// of these has an owner.
public final class PushInboxes: Sendable {
    private let owners = Mutex<[String: Set<String>]>([:])

    public init() {}

    /// `logins` as names of folders.
    func add(_ inbox: String, logins: Set<String>) { owners.withLock { $0[inbox] = logins } }

    var all: Set<String> { owners.withLock { Set($0.keys) } }

    /// True where files of that login belong into `inbox`, or at least into no other.
    func takes(_ inbox: String, _ login: String) -> Bool {
        owners.withLock { owners in
            owners[inbox]?.contains(login) == true || !owners.contains { $0.key != inbox && $0.value.contains(login) }
        }
    }
}
