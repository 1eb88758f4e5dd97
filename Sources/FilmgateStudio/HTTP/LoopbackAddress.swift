import Glibc

/// Addresses that only this machine reaches.
enum LoopbackAddress {
    /// `127.0.0.0/8` and `::1` as numbers: what a name leads to is not ours to say.
    static func isOne(_ host: String) -> Bool {
        var four = in_addr(), six = in6_addr()
        if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
        guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
        return withUnsafeBytes(of: &six) { bytes in bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 }
    }
}
