/// What became of every address that was asked, so that "nothing found" can be explained.
public struct SearchCounters: Sendable, Hashable {
    public var asked = 0, found = 0
    /// The camera answered and does not know us, or has another visitor.
    public var refused = 0, busy = 0
    public var closed = 0, silent = 0, unreachable = 0, other = 0
    /// Who announced itself by SSDP or mDNS.
    public var announced = 0
    /// Networks that this machine is in.
    public var networks = 0

    public init() {}

    mutating func count(_ error: PTPError) {
        switch error {
        case .denied: refused += 1
        case .busy: busy += 1
        case .timedOut: silent += 1
        case .absent(_, .refused): closed += 1
        case .absent(_, .unreachable): unreachable += 1
        default: other += 1
        }
    }

    /// Every count with its name, in reading order.
    public var named: [(name: String, count: Int)] {
        [
            ("networks", networks), ("announced", announced), ("asked", asked), ("found", found), ("refused", refused),
            ("busy", busy), ("closed", closed), ("silent", silent), ("unreachable", unreachable), ("other", other),
        ]
    }

    /// Why nothing was found, in the order of what a person can do about it; nil when something was.
    public var advice: String? {
        if found > 0 { return nil }
        if networks == 0 {
            return "This computer is in no network: join the camera's Wi-Fi, or the network that it is in."
        }
        if refused > 0 {
            return "A camera is there and does not know this computer: confirm the connection on it, or pair it again."
        }
        if busy > 0 { return "A camera is there and is connected to another device: end that connection first." }
        if closed > 0 && silent == 0 {
            return
                "Devices answer, none of them as a camera: switch the camera's connection on, in the mode for a computer."
        }
        return
            "Nothing answers: check that the camera is in the same network, and give its address with hosts: [ADDRESS]."
    }
}
