import Synchronization

/// How many connections each address has open, so that none of them takes those of all others.
///
/// This machine's own addresses are not counted: from there may come whoever uses a tunnel.
package final class ConnectionShares: Sendable {
    private let most: Int
    private let open = Mutex<[String: Int]>([:])

    package init(most: Int) { self.most = most }

    /// False where it has its share already.
    package func take(_ address: String) -> Bool {
        open.withLock { open in
            guard open[address, default: 0] < most else { return false }
            open[address, default: 0] += 1
            return true
        }
    }

    /// One that was taken is over.
    package func giveBack(_ address: String) {
        open.withLock { open in
            let left = open[address, default: 1] - 1
            open[address] = left > 0 ? left : nil
        }
    }

    /// What is counted, as `PeerAddress.network` gives it; nil for an address of this machine alone.
    package static func counted(_ address: String?) -> String? {
        guard let plain = address.map(PeerAddress.unmapped), !LocalAddress.isLoopback(plain) else { return nil }
        return PeerAddress.network(plain)
    }
}
