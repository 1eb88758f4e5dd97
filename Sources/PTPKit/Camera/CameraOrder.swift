/// Which of several camera modules takes a camera on a bus that all of them see: the first, in a pipeline's order, whose table it fits.
///
/// The program gives it to the modules as a service.
public struct CameraOrder: Sendable {
    public typealias Fits = @Sendable (DeviceInfo, USBIdentity?) -> Bool
    private let modules: [(name: String, fits: Fits)]

    /// Modules that look at the bus, the preferred one first.
    public init(_ modules: [(name: String, fits: Fits)]) { self.modules = modules }

    /// The module that takes it; nil when none does.
    public func taker(of info: DeviceInfo, _ usb: USBIdentity?) -> String? { modules.first { $0.fits(info, usb) }?.name }
}
