/// Which of several camera modules takes a camera that all of them see: the first, in a pipeline's order, whose table it fits.
///
/// The program gives it to the modules as a service.
public struct CameraOrder: Sendable {
    public typealias Fits = @Sendable (DeviceInfo, USBIdentity?) -> Bool
    public typealias Candidate = (name: String, fits: Fits)
    private let bus: [Candidate], network: [Candidate]

    /// Modules that look at the bus, and those that search the network; the preferred one first.
    public init(bus: [Candidate], network: [Candidate] = []) { (self.bus, self.network) = (bus, network) }

    /// True when nobody looks at the bus.
    public var isEmpty: Bool { bus.isEmpty }

    /// The module that takes it; nil when none does.
    ///
    /// `usb`: of a camera on the bus; nil for one on the network.
    public func taker(of info: DeviceInfo, _ usb: USBIdentity?) -> String? {
        (usb == nil ? network : bus).first { $0.fits(info, usb) }?.name
    }
}
