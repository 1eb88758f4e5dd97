import Foundation
import USBKit

/// The kernel's trees, in a folder: devices are plugged in and out by writing files.
final class FakeSystem {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-usb-\(UUID().uuidString)").path
    var places: USBPlaces {
        var places = USBPlaces()
        (places.system, places.devices, places.processes) = (root + "/sys", root + "/dev", root + "/proc")
        places.udev = root + "/udev"
        return places
    }

    init() throws { for folder in ["sys", "dev", "proc"] { try make(folder) } }
    deinit { try? FileManager.default.removeItem(atPath: root) }

    func plug(_ port: String, bus: Int = 1, number: Int, serial: String = "", kind: String = "00") throws {
        let staged = "staged-\(UUID().uuidString)"
        try make(staged)
        let texts = [
            "busnum": "\(bus)", "devnum": "\(number)", "idVendor": "04a9", "idProduct": "31c0", "bDeviceClass": kind,
            "manufacturer": "Maker\u{7} ", "product": " Body 5", "serial": serial, "bConfigurationValue": "1",
        ]
        for (name, text) in texts { try write("\(staged)/\(name)", Array((text + "\n").utf8)) }
        try write("\(staged)/descriptors", DescriptorsTests.camera)
        try? make("sys/\(port):1.0")
        try write("sys/\(port):1.0/interface", Array("MTP\n".utf8))
        try FileManager.default.moveItem(atPath: "\(root)/\(staged)", toPath: "\(root)/sys/\(port)")
    }

    func unplug(_ port: String) throws {
        try FileManager.default.removeItem(atPath: "\(root)/sys/\(port)")
        try FileManager.default.removeItem(atPath: "\(root)/sys/\(port):1.0")
    }

    func open(_ node: String, by process: Int, called name: String) throws {
        try make("proc/\(process)/fd")
        try FileManager.default.createSymbolicLink(atPath: "\(root)/proc/\(process)/fd/12", withDestinationPath: node)
        try write("proc/\(process)/comm", Array((name + "\n").utf8))
    }

    func make(_ folder: String) throws {
        try FileManager.default.createDirectory(atPath: root + "/" + folder, withIntermediateDirectories: true)
    }

    func write(_ path: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: root + "/" + path))
    }
}
