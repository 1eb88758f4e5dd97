import Glibc

/// An IPv4 address, in host order.
public struct IPv4: Sendable, Hashable, CustomStringConvertible {
    public var value: UInt32
    public init(_ value: UInt32) { self.value = value }
    public init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) {
        value = UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d)
    }

    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard parts.count == 4, let a = parts[0], let b = parts[1], let c = parts[2], let d = parts[3] else {
            return nil
        }
        self.init(a, b, c, d)
    }

    public var description: String { [24, 16, 8, 0].map { String(value >> UInt32($0) & 0xFF) }.joined(separator: ".") }
}

/// An IPv4 network that this machine is in.
public struct LocalNetwork: Sendable, Hashable {
    public var own: IPv4, mask: IPv4
    public init(own: IPv4, mask: IPv4) { (self.own, self.mask) = (own, mask) }

    public var base: IPv4 { IPv4(own.value & mask.value) }
    /// What is remembered about a network is remembered under this.
    public var key: String { "subnet:\(base)/\(mask)" }

    /// The address so many steps above the base; nil outside the network, for its broadcast address, and for our own.
    public func address(_ step: UInt32) -> IPv4? {
        let (address, overflow) = base.value.addingReportingOverflow(step)
        guard !overflow, address & mask.value == base.value, address | mask.value != .max, address != own.value else {
            return nil
        }
        return IPv4(address)
    }

    /// Every network of an interface that is up, loopback left out; wired and wireless alike.
    public static func all() -> [LocalNetwork] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [LocalNetwork] = [], next = list
        while let interface = next?.pointee, found.count < 32 {
            next = interface.ifa_next
            let flags = Int32(bitPattern: interface.ifa_flags)
            guard flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0, let own = ipv4(interface.ifa_addr),
                let mask = ipv4(interface.ifa_netmask), mask.value != .max
            else { continue }
            let network = LocalNetwork(own: own, mask: mask)
            if !found.contains(network) { found.append(network) }
        }
        return found
    }

    private static func ipv4(_ address: UnsafeMutablePointer<sockaddr>?) -> IPv4? {
        guard let address, Int32(address.pointee.sa_family) == AF_INET else { return nil }
        return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            IPv4(UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
        }
    }
}
