public import PTPKit
import Synchronization

/// A bus in memory that virtual cameras can be plugged into and pulled from.
public final class VirtualBus: CameraBus {
    private let plugged = Mutex<[VirtualCameraConnector]>([])

    public init() {}

    public func connectors() throws(PTPError) -> [any CameraConnector] {
        plugged.withLock { $0.map { $0 as any CameraConnector } }
    }

    public func plug(
        _ camera: VirtualCamera, usb: USBIdentity, busQuirks: VirtualBulkPipe.BusQuirks = .init(),
        address: String = "usb://virtual/1"
    ) {
        plugged.withLock { $0.append(VirtualCameraConnector(camera, usb: usb, busQuirks: busQuirks, address: address)) }
    }

    /// Pulls the cable: whatever is under way fails.
    public func unplug(_ address: String) {
        let pulled = plugged.withLock { connectors in
            defer { connectors.removeAll { $0.address == address } }
            return connectors.filter { $0.address == address }
        }
        for connector in pulled { connector.pull() }
    }
}

private final class VirtualCameraConnector: CameraConnector {
    private struct State { var isPulled = false, stops: [@Sendable () -> Void] = [] }
    private let camera: VirtualCamera
    private let busQuirks: VirtualBulkPipe.BusQuirks
    private let state = Mutex(State())
    let usb: USBIdentity?
    let address: String

    init(_ camera: VirtualCamera, usb: USBIdentity, busQuirks: VirtualBulkPipe.BusQuirks, address: String) {
        (self.camera, self.usb, self.busQuirks, self.address) = (camera, usb, busQuirks, address)
    }

    func open() throws(PTPError) -> sending any CameraLink {
        let pipe = VirtualBulkPipe(camera, busQuirks: busQuirks, address: address)
        let stop = pipe.stop
        let isPulled = state.withLock { state in
            state.stops.append(stop)
            return state.isPulled
        }
        guard !isPulled else { throw .gone("unplugged") }
        return BulkLink(pipe)
    }

    func pull() {
        let stops = state.withLock { state in
            state.isPulled = true
            return state.stops
        }
        for stop in stops { stop() }
        camera.disconnected()
    }
}

/// Something that serves a virtual camera to the network.
public protocol CameraServer: Sendable {
    var port: UInt16 { get }
    /// Ends the service. Safe to call twice.
    func stop()
    /// Breaks every connection, as when the camera goes out of reach. New ones are taken.
    func breakConnections()
}

extension PTPIPResponder: CameraServer {}
