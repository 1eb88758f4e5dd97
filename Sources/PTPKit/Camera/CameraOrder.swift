/// Which of several camera modules takes a camera that all of them see: the first, in a pipeline's order, whose table
/// it fits.
///
/// The program gives it to the modules as a service.
public struct CameraOrder: Sendable {
    public typealias Fits = @Sendable (DeviceInfo, USBIdentity?) -> Bool
    public typealias Candidate = (name: String, fits: Fits)
    private let bus: [Candidate], network: [Candidate], all: [Candidate], hosts: [CameraHost]

    /// Modules that look at the bus, and those that search the network; the preferred one first.
    ///
    /// `all`: every camera module of the program. `hosts`: every address that the pipeline gives, as often as it does.
    public init(bus: [Candidate], network: [Candidate] = [], all: [Candidate] = [], hosts: [CameraHost] = []) {
        (self.bus, self.network, self.all, self.hosts) = (bus, network, all, hosts)
    }

    /// Who would take a camera on the network, in the pipeline or not.
    func expert(on info: DeviceInfo) -> String? { all.first { $0.fits(info, nil) }?.name }

    /// True for an address that several sources have: it is for one of them.
    func isShared(_ host: CameraHost) -> Bool { hosts.count { $0 == host } > 1 }

    /// True when nobody looks at the bus.
    public var isEmpty: Bool { bus.isEmpty }

    /// The module that takes it; nil when none does.
    ///
    /// `usb`: of a camera on the bus; nil for one on the network.
    public func taker(of info: DeviceInfo, _ usb: USBIdentity?) -> String? {
        (usb == nil ? network : bus).first { $0.fits(info, usb) }?.name
    }
}
