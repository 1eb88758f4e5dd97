/// Where a camera may be, in the order in which it is worth asking.
///
/// Bounded: what is asked is a few dozen addresses, never a whole network.
public struct SearchCandidates: Sendable {
    /// Addresses that cameras give themselves on networks of their own.
    static let usual = [IPv4(192, 168, 122, 1), IPv4(192, 168, 1, 1), IPv4(192, 168, 0, 1)]
    /// A telephone's hotspot hands out these, from the second on.
    private static let hotspot = LocalNetwork(own: IPv4(172, 20, 10, 1), mask: IPv4(255, 255, 255, 240))
    static let limit = 64

    public private(set) var hosts: [CameraHost] = []

    /// First what was asked for, then what was found before on these networks, then what announces itself, then the
    /// usual places.
    public init(
        wanted: [CameraHost] = [], remembered: [CameraHost] = [], announced: [CameraHost] = [],
        networks: [LocalNetwork] = []
    ) {
        for host in wanted + remembered + announced { add(host) }
        let own = Set(networks.map(\.own))
        for network in networks {
            // Networks of a telephone are small; a camera in one has any address.
            let steps: ClosedRange<UInt32> = network.base == Self.hotspot.base ? 2...14 : 1...10
            for step in steps { if let address = network.address(step) { add(CameraHost(address.description)) } }
        }
        for address in Self.usual where !own.contains(address) && networks.contains(where: { $0.reaches(address) }) {
            add(CameraHost(address.description))
        }
    }

    private mutating func add(_ host: CameraHost) {
        if hosts.count < Self.limit, !hosts.contains(host) { hosts.append(host) }
    }
}

extension LocalNetwork {
    /// True for its own addresses.
    ///
    /// Asking elsewhere would go out through a router to strangers.
    func reaches(_ address: IPv4) -> Bool { address.value & mask.value == base.value }
}
