import Foundation
import Testing
import USBKit

@Suite struct DeviceScanTests {
    @Test func devicesAreReadFromTheKernelsTree() throws {
        let system = try FakeSystem()
        try system.plug("1-2.3", number: 14, serial: "0123")
        try system.plug("usb1", number: 1, kind: "09")
        try system.plug("1-1", number: 4)
        let devices = DeviceScan(system.places).devices()
        try #require(devices.count == 2)
        #expect(devices.map(\.address) == ["001/004", "001/014"])
        #expect(devices[1].vendor == 0x04A9 && devices[1].product == 0x31C0)
        #expect((devices[1].manufacturer, devices[1].model, devices[1].serial) == ("Maker", "Body 5", "0123"))
        #expect(devices[1].interfaces.first?.name == "MTP")
        #expect(devices[1].interfaces.first?.kind == .stillImage)
    }

    @Test func anEmptyOrMissingTreeHoldsNothing() throws {
        let system = try FakeSystem()
        #expect(DeviceScan(system.places).devices() == [])
        var places = system.places
        places.system = system.root + "/not-there"
        #expect(DeviceScan(places).devices() == [])
    }

    @Test func aDeviceThatIsHalfGoneIsLeftOut() throws {
        let system = try FakeSystem()
        try system.plug("1-1", number: 4)
        try FileManager.default.removeItem(atPath: system.root + "/sys/1-1/devnum")
        #expect(DeviceScan(system.places).devices() == [])
    }

    @Test func aReturnIsKnownBySerialOrElseByPort() {
        let old = device(number: 4, port: "1-1", serial: "77")
        #expect(device(number: 9, port: "2-4", serial: "77").isReturn(of: old))
        #expect(!device(number: 9, port: "1-1", serial: "78").isReturn(of: old))
        let nameless = device(number: 4, port: "1-1", serial: "")
        #expect(device(number: 9, port: "1-1", serial: "").isReturn(of: nameless))
        #expect(!device(number: 9, port: "1-2", serial: "").isReturn(of: nameless))
        #expect(!device(number: 9, port: "1-1", serial: "77").isReturn(of: nameless))
    }

    private func device(number: Int, port: String, serial: String) -> USBDevice {
        var device = USBDevice(bus: 1, number: number, port: port, vendor: 1, product: 2)
        device.serial = serial
        return device
    }

    @Test func theProgramThatHoldsADeviceIsNamedWithAdvice() throws {
        let system = try FakeSystem()
        try system.plug("1-1", number: 4)
        let device = try #require(DeviceScan(system.places).devices().first)
        try system.open(device.node(below: system.places.devices), by: 4711, called: "gvfsd-gphoto2")
        try system.open("/dev/null", by: 4712, called: "cat")
        try system.open(
            device.node(below: system.places.devices), by: Int(ProcessInfo.processInfo.processIdentifier),
            called: "filmgate")
        let holders = DeviceHolder.all(of: device, system.places)
        #expect(holders == [DeviceHolder(process: 4711, name: "gvfsd-gphoto2")])
        #expect(holders.first?.advice.contains("systemctl --user mask") == true)
        #expect(DeviceHolder(process: 9, name: "darktable").advice == "Close darktable (process 9).")
    }

    @Test func theKernelsDriverIsNamedWhereNoProgramHolds() throws {
        let system = try FakeSystem()
        try system.plug("1-1", number: 4)
        try FileManager.default.createSymbolicLink(
            atPath: system.root + "/sys/1-1:1.0/driver", withDestinationPath: "../../bus/usb/drivers/usb-storage")
        let host = USBHost(system.places)
        let device = try #require(host.devices().first), interface = try #require(device.interfaces.first)
        #expect(host.holders(of: device, interface) == [DeviceHolder(process: 0, name: "usb-storage")])
    }

    @Test func openingWhatIsNotThereOrNotAllowedIsSaidHonestly() throws {
        let system = try FakeSystem()
        try system.plug("1-1", number: 4)
        let host = USBHost(system.places)
        let device = try #require(host.devices().first), interface = try #require(device.interfaces.first)
        #expect(!host.mayOpen(device))
        #expect(throws: USBError.gone) { _ = try host.open(device, interface) }
    }
}
