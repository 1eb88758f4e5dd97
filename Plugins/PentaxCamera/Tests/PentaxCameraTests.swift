import CameraTesting
import PTPKit
import PentaxCamera
import Testing

@Suite struct PentaxCameraTests {
    static let bench = CameraBench(
        PentaxCamera.self, as: PentaxPersonality(), usb: USBIdentity(vendor: 0x25FB, product: 0x0179))

    @Test(arguments: CameraConformance<PentaxCamera>.all)
    func conformance(check: CameraCheck<PentaxCamera>) async throws { try await check.run(Self.bench, .bus) }

    @Test(.enabled(if: ForeignClient.isInstalled))
    func aForeignClientDownloadsFromThePersonality() async throws { try await ForeignClient.check(PentaxPersonality()) }
}
