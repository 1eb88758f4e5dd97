import Glibc

/// Where the kernel shows its devices; other places in tests.
public struct USBPlaces: Sendable {
    public var system = "/sys/bus/usb/devices"
    public var devices = "/dev/bus/usb"
    public var processes = "/proc"
    /// There when udevd runs, which is what tells libusb about devices that come and go.
    public var udev = "/run/udev/control"
    public init() {}
}

/// Lists what is plugged in, from the kernel's own tree.
///
/// Opens no device and needs no rights; a few hundred microseconds. The tree is right at once, with and without udev.
public struct DeviceScan: Sendable {
    private let places: USBPlaces

    public init(_ places: USBPlaces = USBPlaces()) { self.places = places }

    /// Devices in the order of their buses and numbers, hubs left out.
    public func devices() -> [USBDevice] {
        Self.names(in: places.system).filter { !$0.contains(":") }.compactMap(device).sorted {
            ($0.bus, $0.number) < ($1.bus, $1.number)
        }
    }

    private func device(_ port: String) -> USBDevice? {
        let folder = places.system + "/" + port
        // A device may vanish between two reads: without its numbers it is not there.
        guard let bus = text(folder, "busnum").flatMap({ Int($0) }),
            let number = text(folder, "devnum").flatMap({ Int($0) }),
            let vendor = hexadecimal(folder, "idVendor"), let product = hexadecimal(folder, "idProduct"),
            text(folder, "bDeviceClass") != "09"
        else { return nil }
        var device = USBDevice(bus: bus, number: number, port: port, vendor: vendor, product: product)
        device.manufacturer = text(folder, "manufacturer") ?? ""
        device.model = text(folder, "product") ?? ""
        device.serial = text(folder, "serial") ?? ""
        let active = text(folder, "bConfigurationValue").flatMap { UInt8($0) }
        let bytes = Self.read(folder + "/descriptors", limit: 1 << 16) ?? []
        device.interfaces = Descriptors.interfaces(bytes, active: active).map { interface in
            var interface = interface
            interface.name = text("\(folder):\(active ?? 1).\(interface.number)", "interface") ?? ""
            return interface
        }
        return device
    }

    /// The kernel driver that holds an interface; nil when none does.
    ///
    /// `usbfs` stands for a program.
    public func driver(of device: USBDevice, interface: UInt8) -> String? {
        let names = Self.names(in: places.system).filter {
            $0.hasPrefix(device.port + ":") && $0.hasSuffix(".\(interface)")
        }
        guard let name = names.first, let target = Self.link("\(places.system)/\(name)/driver") else { return nil }
        return target.split(separator: "/").last.map(String.init)
    }

    private func hexadecimal(_ folder: String, _ name: String) -> UInt16? {
        text(folder, name).flatMap { UInt16($0, radix: 16) }
    }

    private func text(_ folder: String, _ name: String) -> String? {
        guard let bytes = Self.read(folder + "/" + name, limit: 4096) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
        let shown = String(
            String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
        return String(shown.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

extension DeviceScan {
    static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    static func read(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let part = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                count = max(0, Glibc.read(descriptor, buffer.baseAddress, 4096))
            }
            if part.isEmpty { break }
            bytes += part
        }
        return Array(bytes.prefix(limit))
    }

    static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
