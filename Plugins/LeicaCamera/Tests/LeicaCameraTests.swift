import CameraTesting
import LeicaCamera
import PTPKit
import Testing

@Suite struct LeicaCameraTests {
    static let bench = CameraBench(
        LeicaCamera.self, as: LeicaPersonality(), usb: USBIdentity(vendor: 0x1A98, product: 0x0041))

    @Test(arguments: CameraConformance<LeicaCamera>.all)
    func conformance(check: CameraCheck<LeicaCamera>) async throws { try await check.run(Self.bench, .bus) }

    @Test(.enabled(if: ForeignClient.isInstalled))
    func aForeignClientDownloadsFromThePersonality() async throws { try await ForeignClient.check(LeicaPersonality()) }
}
