import CameraTesting
import GoProCamera
import PTPKit
import Testing

@Suite struct GoProCameraTests {
    static let bench = CameraBench(
        GoProCamera.self, as: GoProPersonality(), usb: USBIdentity(vendor: 0x2672, product: 0x0052))

    @Test(arguments: CameraConformance<GoProCamera>.all)
    func conformance(check: CameraCheck<GoProCamera>) async throws { try await check.run(Self.bench, .bus) }

    @Test(.enabled(if: ForeignClient.isInstalled))
    func aForeignClientDownloadsFromThePersonality() async throws { try await ForeignClient.check(GoProPersonality()) }
}
