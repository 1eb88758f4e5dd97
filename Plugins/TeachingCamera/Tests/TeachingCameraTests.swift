import CameraTesting
import FilmgateCore
import PTPKit
import TeachingCamera
import Testing

/// Step 6: everything that a camera module must do is checked by one test.
@Suite struct TeachingCameraTests {
    static let bench = CameraBench(
        TeachingCamera.self, as: TeachingPersonality(), usb: USBIdentity(vendor: 0x1209, product: 0xACE1))

    @Test(arguments: CameraConformance<TeachingCamera>.all, CameraBench<TeachingCamera>.Way.allCases)
    func conformance(check: CameraCheck<TeachingCamera>, way: CameraBench<TeachingCamera>.Way) async throws {
        try await check.run(Self.bench, way)
    }

    @Test(.enabled(if: ForeignClient.isInstalled))
    func aForeignClientDownloadsFromThePersonality() async throws {
        try await ForeignClient.check(TeachingPersonality())
    }

    /// The one line in the list of modules.
    @Test func itIsRegisteredByOneLine() throws {
        let registry = try ModuleRegistry([.source(TeachingCamera.self)])
        #expect(registry.names(.source) == ["teaching"])
    }
}
