import CameraTesting
import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

@testable import OlympusCamera

@Suite struct OlympusCameraTests {
    static let usb = USBIdentity(vendor: 0x33A2, product: 0x0136)
    static let bench = CameraBench(OlympusCamera.self, as: OlympusPersonality(), usb: usb)

    @Test(arguments: CameraConformance<OlympusCamera>.all, CameraBench<OlympusCamera>.Way.allCases)
    func conformance(check: CameraCheck<OlympusCamera>, way: CameraBench<OlympusCamera>.Way) async throws {
        try await check.run(Self.bench, way)
    }

    @Test(.enabled(if: ForeignClient.isInstalled))
    func aForeignClientDownloadsFromThePersonality() async throws {
        try await ForeignClient.check(OlympusPersonality())
    }

    @Test func controlIsTakenOnlyWhenTheFileSaysSoAndGivenBack() async throws {
        try await Self.bench.run(.bus) { scene in
            await scene.session.close()
            #expect(!scene.camera.log.contains { $0.operation.code == .setDevicePropValue })
        }
        try await CameraBench(OlympusCamera.self, as: OlympusPersonality(), usb: Self.usb) { $0.remote = true }.run(
            .bus
        ) { scene in
            await scene.session.close()
            let values = scene.camera.log.filter { $0.operation.code == .setDevicePropValue }.map(\.data)
            #expect(values == [[1, 0], [2, 0]])
        }
    }

    @Test func oldBodiesAreKnownByTheirOlderName() {
        var info = OlympusPersonality().info
        (info.manufacturer, info.model) = ("OLYMPUS", "E-M1MarkIII")
        #expect(OlympusHandler(remote: false).match(info, usb: USBIdentity(vendor: 0x07B4, product: 0x0130)) != nil)
        #expect(OlympusHandler(remote: false).match(info, usb: USBIdentity(vendor: 0x04A9, product: 1)) == nil)
    }
}
