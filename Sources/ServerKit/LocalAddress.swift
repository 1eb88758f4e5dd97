import Glibc

/// Addresses of this machine.
public enum LocalAddress {
    /// `127.0.0.0/8` and `::1` as numbers: what a name leads to is not ours to say.
    public static func isLoopback(_ host: String) -> Bool {
        var four = in_addr(), six = in6_addr()
        if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
        guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
        return withUnsafeBytes(of: &six) { bytes in bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 }
    }

    /// An IPv4 or IPv6 address as a number.
    public static func isNumber(_ host: String) -> Bool {
        var six = in6_addr()
        return inet_pton(AF_INET, host, &six) == 1 || inet_pton(AF_INET6, host, &six) == 1
    }

    /// Stands for every address of this machine.
    public static func isEvery(_ host: String) -> Bool { host == "0.0.0.0" || host == "::" }

    /// How an address of the page begins: `https://192.168.1.20`.
    ///
    /// For every address, the one at which other machines reach this one.
    public static func start(_ host: String, isEncrypted: Bool) -> String {
        let host = isEvery(host) ? outer.first ?? "127.0.0.1" : host
        return (isEncrypted ? "https://" : "http://") + (host.contains(":") ? "[\(host)]" : host)
    }

    /// Those that other machines may reach, IPv4 first.
    public static var outer: [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var four: [String] = [], six: [String] = []
        var next = list
        while let one = next?.pointee {
            next = one.ifa_next
            guard let address = one.ifa_addr, one.ifa_flags & UInt32(IFF_UP) != 0 else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            switch CInt(address.pointee.sa_family) {
            case AF_INET:
                getnameinfo(
                    address, socklen_t(MemoryLayout<sockaddr_in>.size), &text, socklen_t(text.count), nil, 0,
                    NI_NUMERICHOST)
            case AF_INET6:
                getnameinfo(
                    address, socklen_t(MemoryLayout<sockaddr_in6>.size), &text, socklen_t(text.count), nil, 0,
                    NI_NUMERICHOST)
            default: continue
            }
            let host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // One that counts on its own line only has a `%` and cannot stand in a browser's address.
            if isLoopback(host) || host.isEmpty || host.contains("%") { continue }
            if host.contains(":") { six.append(host) } else { four.append(host) }
        }
        return four + six
    }
}
