import FilmgateCore
import PTPKit
import TestThreads
import Testing
import USBKit

@testable import filmgate

/// Which camera a person means, and who takes it; without any plugged in.
@Suite(.ownThreads) struct CameraChoiceTests {
    private func device(
        _ number: Int, _ model: String, serial: String = "", _ interfaces: [USBInterface] = []
    ) -> USBDevice {
        var device = USBDevice(bus: 1, number: number, port: "1-\(number)", vendor: 1, product: 2)
        (device.manufacturer, device.model, device.serial, device.interfaces) = ("Maker", model, serial, interfaces)
        return device
    }

    private func interface(_ number: UInt8, _ kind: USBClass, name: String = "", endpoints: Int = 2) -> USBInterface {
        var interface = USBInterface(number: number, kind: kind)
        interface.name = name
        let both = [
            USBEndpoint(address: 0x81, kind: .bulk, packetSize: 512),
            USBEndpoint(address: 2, kind: .bulk, packetSize: 512),
        ]
        interface.endpoints = Array(both.prefix(endpoints))
        return interface
    }

    @Test(arguments: [
        ("usb", [4, 5, 6]), ("usb://001/004", [4]), ("001/005", [5]), ("1-6", [6]), ("0042", [5]), ("body", [4, 5]),
        ("MAKER other", [6]), ("", []), ("nothing", []), ("usb://001/009", []),
    ]) func anIdMeansTheCamerasThatItFits(_ id: String, _ numbers: [Int]) {
        let devices = [device(4, "Body 5"), device(5, "Body 5", serial: "0042"), device(6, "Other")]
        #expect(CameraChooser.meant(id, among: devices).map(\.number) == numbers)
    }

    @Test(
        arguments: [
            ("192.168.1.1", "192.168.1.1"), ("ptpip://192.168.1.1:15740", "192.168.1.1:15740"),
            ("camera.local", "camera.local"), ("usb://001/004", nil), ("body", nil), ("localhost", "localhost"),
        ] as [(String, String?)]) func whatLooksLikeAnAddressIsOne(_ id: String, _ host: String?)
    {
        #expect(CameraChooser.network(id)?.shown == host)
    }

    @Test func aCamerasInterfaceIsTheStillImageOneWithBothPipes() {
        let still = interface(1, .stillImage), other = interface(0, USBClass(3, 0, 0))
        #expect(USBCameraBus.interface(of: device(4, "", [other, still]))?.number == 1)
        #expect(USBCameraBus.interface(of: device(4, "", [other])) == nil)
        #expect(USBCameraBus.interface(of: device(4, "", [interface(1, .stillImage, endpoints: 1)])) == nil)
        let player = interface(0, USBClass(0xFF, 0xFF, 0), name: "MTP")
        #expect(USBCameraBus.interface(of: device(4, "", [player]))?.number == 0)
        #expect(USBCameraBus.interface(of: device(4, "", [interface(0, USBClass(0xFF, 0xFF, 0), name: "ADB")])) == nil)
    }

    /// By what `cameras` prints, whoever takes the camera in the end.
    @Test(arguments: [
        ("0042", [5]), ("Body 5", [4, 5]), ("usb", [4, 5]), ("usb:001,004", [4]), ("001/005", [5]),
        ("usb://001/005", [5]), ("canon (ptp mode)", [5]), ("0043", []), ("", []),
    ]) func libgphoto2sCamerasAreNamedAsTheBusNamesThem(_ id: String, _ numbers: [Int]) {
        let devices = [device(4, "Body 5"), device(5, "Body 5", serial: "0042"), device(6, "Body 5", serial: "0043")]
        let labels = [4: "USB PTP Class Camera", 5: "Canon (PTP mode)"]
        let places = [4, 5].map {
            SourcePlace(source: "gphoto2", address: "usb://001/00\($0)", label: labels[$0] ?? "")
        }
        let meant = GPhotoCameras.meant(id, among: places, devices: devices)
        #expect(meant.map(\.address) == numbers.map { "usb://001/00\($0)" })
    }

    @Test func libgphoto2GetsWhatNobodyElseTakes() {
        var taken = CameraFacts(device(4, "Body 5")), failed = CameraFacts(device(5, "Body 6"))
        taken.module = "ptp"
        failed.failure = IngestError(.protocolViolation, "nonsense")
        let places = [4, 5, 7].map { SourcePlace(source: "gphoto2", address: "usb://001/00\($0)", label: "Name \($0)") }
        let all = CameraSurvey.adding(places, to: [taken, failed])
        #expect(all.map(\.module) == ["ptp", "gphoto2", "gphoto2"])
        #expect(all.map(\.address) == ["usb://001/004", "usb://001/005", "usb://001/007"])
        #expect(all[2].model == "Name 7")
    }

    @Test func aHeldCameraIsToldWithItsHolder() throws {
        let error = USBProblem.busy(device(4, "Body 5"), [DeviceHolder(process: 77, name: "gvfsd-gphoto2")])
        #expect(error.code == .deviceBusy && error.message.contains("gvfsd-gphoto2 (process 77)"))
        #expect(error.advice?.contains("systemctl") == true)
        var facts = CameraFacts(device(4, "Body 5"))
        facts.failure = error
        #expect(facts.text.count == 3 && facts.text[1].contains("gvfsd-gphoto2"))
        #expect(facts.json.finished.contains("\"usb\":\"0001:0002\""))
    }
}
