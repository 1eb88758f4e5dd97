import CLibUSB
import Dispatch
import Glibc
import Synchronization

/// This machine's USB: what is plugged in, what comes and goes, and the way to a device.
///
/// One for the program; several devices may be open at once.
public final class USBHost: Sendable {
    public let places: USBPlaces
    private let signal = HotPlugSignal()
    private let loop = Mutex<Result<EventLoop, USBError>?>(nil)

    /// Touches nothing yet.
    public init(_ places: USBPlaces = USBPlaces()) { self.places = places }

    /// What is plugged in now, hubs left out.
    ///
    /// Opens nothing; microseconds per device.
    public func devices() -> [USBDevice] { DeviceScan(places).devices() }

    /// Opens a device and claims one of its interfaces.
    ///
    /// `gone` when it is not there, `denied` when this user may not, `busy` with those who hold it. Changes nothing on
    /// the device.
    public func open(_ device: USBDevice, _ interface: USBInterface) throws(USBError) -> sending USBConnection {
        let loop = try eventLoop()
        let node = device.node(below: places.devices)
        let descriptor = Glibc.open(node, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw refusal(errno, node) }
        var handle: OpaquePointer?
        do throws(USBError) {
            let code = libusb_wrap_sys_device(loop.raw, Int(descriptor), &handle)
            guard code == 0, let handle else { throw USBError(code: code) }
            try claim(handle, device, interface)
            return try USBConnection(device, interface, handle, descriptor, loop)
        } catch {
            if let handle { libusb_close(handle) }
            Glibc.close(descriptor)
            throw error
        }
    }

    private func claim(_ handle: OpaquePointer, _ device: USBDevice, _ interface: USBInterface) throws(USBError) {
        let code = libusb_claim_interface(handle, Int32(interface.number))
        if code == LIBUSB_ERROR_BUSY.rawValue { throw .busy(holders(of: device, interface)) }
        guard code == 0 else { throw USBError(code: code) }
        guard interface.alternate > 0 else { return }
        let setting = libusb_set_interface_alt_setting(handle, Int32(interface.number), Int32(interface.alternate))
        guard setting == 0 else { throw USBError(code: setting) }
    }

    /// Who has the device now; empty when nobody does, or nobody whom this user may see.
    public func holders(of device: USBDevice, _ interface: USBInterface) -> [DeviceHolder] {
        let programs = DeviceHolder.all(of: device, places)
        guard programs.isEmpty, let driver = DeviceScan(places).driver(of: device, interface: interface.number),
            driver != "usbfs"
        else {
            return programs
        }
        return [DeviceHolder(process: 0, name: driver)]
    }

    /// True when this user may open the device.
    ///
    /// Opens nothing.
    public func mayOpen(_ device: USBDevice) -> Bool { access(device.node(below: places.devices), R_OK | W_OK) == 0 }

    private func refusal(_ number: Int32, _ node: String) -> USBError {
        switch number {
        case EACCES, EPERM: .denied("\(node) may not be opened by this user")
        case ENOENT, ENODEV, ENXIO: .gone
        default: .failed("\(node): \(String(cString: strerror(number)))")
        }
    }

    private func eventLoop() throws(USBError) -> EventLoop {
        let result = loop.withLock { loop in
            let made = loop ?? Result { () throws(USBError) in try EventLoop(signal: signal) }
            loop = made
            return made
        }
        return try result.get()
    }
}

/// Something was plugged in or out.
public enum USBChange: Sendable, Hashable {
    case arrived(USBDevice), left(USBDevice)

    public var device: USBDevice {
        switch self {
        case .arrived(let device), .left(let device): device
        }
    }
}

extension USBHost {
    /// What comes and goes from now on; what is plugged in already comes first, as arrivals.
    ///
    /// libusb tells when to look. Where it cannot (no udevd, as in many containers), the kernel's tree is looked at
    /// every `period`.
    public func changes(polling period: Duration = .seconds(1)) -> AsyncStream<USBChange> {
        AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            let watch = DeviceWatch(DeviceScan(places)) { continuation.yield($0) }
            let tells = (try? eventLoop().tellsNews) == true && access(places.udev, F_OK) == 0
            watch.look()
            let number = signal.listen { watch.look() }
            // Where libusb tells, the tree is still looked at now and then: a message can be lost.
            watch.repeat(every: tells ? max(period, .seconds(10)) : period)
            continuation.onTermination = { [self] _ in
                signal.unlisten(number)
                watch.stop()
            }
        }
    }
}

/// Compares what is plugged in with what was.
final class DeviceWatch: Sendable {
    private let queue = DispatchQueue(label: "filmgate.usb.watch")
    private let scan: DeviceScan
    private let tell: @Sendable (USBChange) -> Void
    private let known = Mutex<[USBDevice]>([])
    private let isStopped = Atomic(false)

    init(_ scan: DeviceScan, _ tell: @escaping @Sendable (USBChange) -> Void) { (self.scan, self.tell) = (scan, tell) }

    /// Looks soon, on its own queue.
    func look() { queue.async { self.compare() } }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    func `repeat`(every period: Duration) {
        let parts = period.components
        let pause = DispatchTimeInterval.milliseconds(
            Int(parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000))
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in
            guard let self, !isStopped.load(ordering: .relaxed) else { return }
            compare()
            self.repeat(every: period)
        }
    }

    /// A device that came back between two looks has another number, and counts as both.
    private func compare() {
        guard !isStopped.load(ordering: .relaxed) else { return }
        let now = scan.devices()
        let before = known.withLock { known in
            defer { known = now }
            return known
        }
        for device in before where !now.contains(where: { $0.isSamePlug(as: device) }) { tell(.left(device)) }
        for device in now where !before.contains(where: { $0.isSamePlug(as: device) }) { tell(.arrived(device)) }
    }
}

extension USBDevice {
    /// The same device, plugged in without a break.
    func isSamePlug(as other: USBDevice) -> Bool {
        (bus, number, port, vendor, product) == (other.bus, other.number, other.port, other.vendor, other.product)
    }
}
