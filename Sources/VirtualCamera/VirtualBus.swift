public import PTPKit
import Synchronization

/// A bus in memory that virtual cameras can be plugged into and pulled from.
public final class VirtualBus: CameraBus {
    private let plugged = Mutex<[VirtualDoor]>([])

    public init() {}

    public func doors() throws(PTPError) -> [any CameraDoor] { plugged.withLock { $0.map { $0 as any CameraDoor } } }

    public func plug(
        _ camera: VirtualCamera, usb: USBIdentity, habits: VirtualBulkPipe.Habits = .init(), address: String = "usb://virtual/1"
    ) {
        plugged.withLock { $0.append(VirtualDoor(camera: camera, usb: usb, habits: habits, address: address)) }
    }

    public func unplug(_ address: String) { plugged.withLock { $0.removeAll { $0.address == address } } }
}

private struct VirtualDoor: CameraDoor {
    let camera: VirtualCamera
    let usb: USBIdentity?
    let habits: VirtualBulkPipe.Habits
    let address: String

    func open() throws(PTPError) -> sending any CameraLink { BulkLink(VirtualBulkPipe(camera, habits: habits, address: address)) }
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
