/// A device on a USB bus, as the kernel describes it; known without opening it.
public struct USBDevice: Sendable, Hashable {
    /// Numbers by which the kernel reaches it until it is unplugged.
    public var bus: Int, number: Int
    /// Where it is plugged in, the same after it comes back: `1-2.3`.
    public var port: String
    public var vendor: UInt16, product: UInt16
    /// What it says about itself; empty where it says nothing.
    public var manufacturer = "", model = "", serial = ""
    /// Interfaces of the active configuration, every alternate setting.
    public var interfaces: [USBInterface] = []

    public init(bus: Int, number: Int, port: String, vendor: UInt16, product: UInt16) {
        (self.bus, self.number, self.port, self.vendor, self.product) = (bus, number, port, vendor, product)
    }

    /// `001/004`.
    public var address: String { Self.three(bus) + "/" + Self.three(number) }

    /// The file to open below `devices`, usually `/dev/bus/usb`.
    public func node(below devices: String = "/dev/bus/usb") -> String { devices + "/" + address }

    private static func three(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 3 - text.count)) + text
    }

    /// True when this is the same device after it was unplugged and plugged in again.
    ///
    /// By serial number where it has one, wherever it is plugged in; else by kind and port.
    public func isReturn(of old: USBDevice) -> Bool {
        guard vendor == old.vendor, product == old.product, serial == old.serial else { return false }
        return serial.isEmpty ? port == old.port : true
    }
}

/// One interface of a device, in one of its alternate settings.
public struct USBInterface: Sendable, Hashable {
    public var number: UInt8, alternate: UInt8
    public var kind: USBClass
    /// What the device calls it; empty where it says nothing.
    public var name = ""
    public var endpoints: [USBEndpoint] = []

    public init(number: UInt8, alternate: UInt8 = 0, kind: USBClass) {
        (self.number, self.alternate, self.kind) = (number, alternate, kind)
    }

    /// The first endpoint of a type and direction: their numbers differ from device to device.
    public func endpoint(_ type: USBEndpoint.Kind, isIn: Bool) -> USBEndpoint? {
        endpoints.first { $0.kind == type && $0.isIn == isIn }
    }
}

/// Class, subclass and protocol of an interface (USB 2.0 §9.6.5).
public struct USBClass: Sendable, Hashable {
    public var code: UInt8, subclass: UInt8, proto: UInt8
    public init(_ code: UInt8, _ subclass: UInt8, _ proto: UInt8) {
        (self.code, self.subclass, self.proto) = (code, subclass, proto)
    }

    /// Still image capture (USB still image class 1.0).
    public static let stillImage = Self(6, 1, 1)
    public static let vendorSpecific: UInt8 = 0xFF
}

/// One endpoint (USB 2.0 §9.6.6).
public struct USBEndpoint: Sendable, Hashable {
    public enum Kind: UInt8, Sendable { case control, isochronous, bulk, interrupt }
    public var address: UInt8, kind: Kind
    /// Bytes.
    public var packetSize: Int
    public var isIn: Bool { address & 0x80 != 0 }

    public init(address: UInt8, kind: Kind, packetSize: Int) {
        (self.address, self.kind, self.packetSize) = (address, kind, packetSize)
    }
}
