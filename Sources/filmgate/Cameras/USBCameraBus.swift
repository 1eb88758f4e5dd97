import FilmgateCore
import Glibc
import PTPKit
import USBKit

/// The cameras on this machine's USB, for the camera modules.
struct USBCameraBus: CameraBus {
    let host: USBHost

    init(_ host: USBHost = USBHost()) { self.host = host }

    func connectors() throws(PTPError) -> [any CameraConnector] {
        cameras().map { USBCameraConnector(host: host, device: $0.device, interface: $0.interface) }
    }

    func changes() -> AsyncStream<Void>? {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                for await change in host.changes() where Self.interface(of: change.device) != nil {
                    continuation.yield()
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Devices with an interface that speaks PTP or MTP.
    func cameras() -> [(device: USBDevice, interface: USBInterface)] {
        host.devices().compactMap { device in Self.interface(of: device).map { (device, $0) } }
    }

    /// The still image interface; else one that calls itself MTP.
    ///
    /// It must have both bulk endpoints.
    static func interface(of device: USBDevice) -> USBInterface? {
        let usable = device.interfaces.filter {
            $0.endpoint(.bulk, isIn: true) != nil && $0.endpoint(.bulk, isIn: false) != nil
        }
        return usable.first { $0.kind == .stillImage }
            ?? usable.first { $0.kind.code == USBClass.vendorSpecific && $0.name.uppercased().contains("MTP") }
    }
}

/// One camera on USB.
///
/// After it was unplugged it is the same camera again, at whatever number the bus gives it, and waited for a while.
struct USBCameraConnector: CameraConnector {
    let host: USBHost
    let device: USBDevice, interface: USBInterface
    /// How long an unplugged camera is waited for.
    var patience: Duration = .seconds(10)

    var address: String { "usb://" + device.address }
    var usb: USBIdentity? { USBIdentity(vendor: device.vendor, product: device.product) }

    func open() throws(PTPError) -> sending any CameraLink {
        let deadline = Deadline.after(patience)
        while true {
            let present = host.devices()
            let found = present.first { $0.isSame(as: device) } ?? present.first { $0.isReturn(of: device) }
            do throws(USBError) { return BulkLink(USBPipe(try open(found))) } catch {
                let isBack = found.map { !$0.isSame(as: device) } ?? false
                // Where another body of its kind is plugged in, it may have moved there: whoever asks can look at that
                // one at once.
                let mayHaveMoved = found == nil && present.contains { $0.isKind(of: device) }
                guard !deadline.hasPassed, !mayHaveMoved, error == .gone || (isBack && error.mayPass) else {
                    throw explained(error)
                }
                usleep(100_000)
            }
        }
    }

    private func open(_ present: USBDevice?) throws(USBError) -> sending USBConnection {
        guard let present, let interface = USBCameraBus.interface(of: present) else { throw .gone }
        return try host.open(present, interface)
    }

    private func explained(_ error: USBError) -> PTPError {
        switch error {
        case .busy(let holders): .sink(USBProblem.busy(device, holders))
        case .denied: .sink(USBProblem.denied(device))
        default: PipeError(error).explained("opening")
        }
    }
}

extension USBError {
    /// True for what sorts itself out soon after a camera came back: its file may still belong to root, the desktop may
    /// look at it first.
    fileprivate var mayPass: Bool {
        switch self {
        case .busy, .denied: true
        default: false
        }
    }
}

extension USBDevice {
    func isSame(as other: USBDevice) -> Bool {
        (bus, number, vendor, product, serial) == (other.bus, other.number, other.vendor, other.product, other.serial)
    }

    func isKind(of other: USBDevice) -> Bool { (vendor, product) == (other.vendor, other.product) }

    /// What a person would call it.
    var label: String {
        let name = model.isEmpty ? manufacturer : model
        return name.isEmpty ? "USB device " + address : name
    }
}

/// Why a camera that is plugged in cannot be used, and what to do.
enum USBProblem {
    static func busy(_ device: USBDevice, _ holders: [DeviceHolder]) -> IngestError {
        let who = holders.isEmpty ? "another program" : holders.map(\.description).joined(separator: " and ")
        let advice =
            holders.first?.advice ?? "Close other programs that use the camera, or unplug it and plug it in again."
        return IngestError(.deviceBusy, "\(device.label) at usb://\(device.address) is held by \(who).", advice: advice)
    }

    static func denied(_ device: USBDevice) -> IngestError {
        IngestError(
            .accessDenied,
            "\(device.label) at usb://\(device.address) may not be opened by this user: \(device.node()) has no rule for it.",
            advice: UdevRules.advice)
    }
}
