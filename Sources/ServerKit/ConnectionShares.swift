import Glibc
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

    /// The address that is counted; nil for one of this machine alone.
    package static func counted(_ address: String?) -> String? {
        guard let address else { return nil }
        // A socket for both kinds tells IPv4 so.
        let isBoth = address.hasPrefix("::ffff:") && address.contains(".")
        let plain = isBoth ? String(address.dropFirst(7)) : address
        var four = in_addr()
        if inet_pton(AF_INET, plain, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 ? nil : plain }
        return plain == "::1" ? nil : plain
    }
}
