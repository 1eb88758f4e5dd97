import FilmgateCore
import PTPKit
import USBKit

/// What is known of one camera: from the bus, and from itself where it could be asked.
struct CameraFacts: Sendable {
    struct Storage: Sendable { var id: StorageID, info: StorageInfo }

    var address: String
    var usb: USBIdentity?
    var make = "", model = "", serial = "", firmware = ""
    /// Percent, where the standard's property is there.
    var battery: Int?
    var storages: [Storage] = []
    /// Nil where it did not say.
    var hasCard: Bool?
    /// The module that takes it, and why.
    var module: String?, because: String?
    var holders: [DeviceHolder] = []
    var failure: IngestError?
    /// A person named its address: then it ought to be there.
    var isNamed = false

    init(address: String) { self.address = address }

    init(_ device: USBDevice) {
        address = "usb://" + device.address
        usb = USBIdentity(vendor: device.vendor, product: device.product)
        (make, model, serial) = (device.manufacturer, device.model, device.serial)
    }

    var transport: String { String(address.prefix { $0 != ":" }) }

    /// Model and serial number, as a person tells bodies apart.
    var label: String { serial.isEmpty ? model : "\(model) (\(serial))" }

    /// A camera, even one that does not let us in.
    var isThere: Bool { module != nil || failure.map { $0.code == .deviceBusy || $0.code == .accessDenied } ?? true }

    mutating func learn(_ info: DeviceInfo) {
        if !info.manufacturer.isEmpty { make = info.manufacturer }
        if !info.model.isEmpty { model = info.model }
        if !info.serial.isEmpty { serial = info.serial }
        firmware = info.version
    }

    var json: JSONWriter {
        var line = JSONWriter()
        line.add("type", "camera")
        line.add("id", address)
        line.add("transport", transport)
        line.add("make", make.isEmpty ? nil : make)
        line.add("model", model.isEmpty ? nil : model)
        line.add("serial", serial.isEmpty ? nil : serial)
        line.add("firmware", firmware.isEmpty ? nil : firmware)
        line.add("usb", usb.map { Self.four($0.vendor) + ":" + Self.four($0.product) })
        line.add("battery", battery)
        line.add("storages", objects: storages.map(Self.json))
        line.add("card", hasCard)
        line.add("module", module)
        line.add("because", because)
        line.add("held_by", objects: holders.map(Self.json))
        line.add("error", failure?.message)
        line.add("advice", failure?.advice)
        return line
    }

    private static func four(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func json(_ storage: Storage) -> JSONWriter {
        var line = JSONWriter()
        line.add("id", storage.id.description)
        line.add("label", storage.info.volume.isEmpty ? storage.info.label : storage.info.volume)
        line.add("capacity", storage.info.capacity)
        line.add("free", storage.info.free)
        return line
    }

    private static func json(_ holder: DeviceHolder) -> JSONWriter {
        var line = JSONWriter()
        line.add("process", holder.process == 0 ? nil : holder.process)
        line.add("name", holder.name)
        return line
    }

    /// One line, and one for each trouble; of an address where nobody is, only the trouble.
    var text: [String] {
        if !isThere, usb == nil, model.isEmpty, let failure {
            return [Describe.name(failure.message)] + (failure.advice.map { ["  → " + Describe.name($0)] } ?? [])
        }
        var parts = [address, model.isEmpty ? (make.isEmpty ? "camera" : make) : model]
        if !serial.isEmpty { parts.append("#" + serial) }
        if let battery { parts.append("battery \(battery) %") }
        for storage in storages {
            parts.append("\(Describe.bytes(storage.info.capacity)), \(Describe.bytes(storage.info.free)) free")
        }
        if hasCard == false { parts.append("no card") }
        if let module { parts.append("→ \(module)" + (because.map { " (\($0))" } ?? "")) }
        var lines = [Describe.name(parts.joined(separator: "  "))]
        if let failure {
            lines.append("  " + Describe.name(failure.message))
            if let advice = failure.advice { lines.append("  → " + Describe.name(advice)) }
        } else if !holders.isEmpty {
            lines.append("  also open in " + Describe.name(holders.map(\.description).joined(separator: ", ")))
        }
        return lines
    }
}
