import CameraTesting
import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

@testable import PanasonicCamera

@Suite struct PanasonicCameraTests {
    static let bench = CameraBench(
        PanasonicCamera.self, as: PanasonicPersonality(), usb: USBIdentity(vendor: 0x04DA, product: 0x2382))

    @Test(arguments: CameraConformance<PanasonicCamera>.all, CameraBench<PanasonicCamera>.Way.allCases)
    func conformance(check: CameraCheck<PanasonicCamera>, way: CameraBench<PanasonicCamera>.Way) async throws {
        try await check.run(Self.bench, way)
    }

    @Test(.enabled(if: ForeignClient.isInstalled))
    func aForeignClientDownloadsFromThePersonality() async throws {
        try await ForeignClient.check(PanasonicPersonality())
    }

    @Test func theHostIntroducesItselfAndThenPartsCanBeRead() async throws {
        try await Self.bench.run(.bus) { scene in
            let entry = try #require(try await scene.session.entries().first)
            _ = try await scene.bytes(of: entry)
            let codes = scene.camera.log.map(\.operation.code)
            #expect(Array(codes.prefix(4)) == [.openSession, .getDeviceInfo, .setDevicePropValue, .getDeviceInfo])
            #expect(codes.contains(.getPartialObject) && !codes.contains(.lumixOpen))
        }
    }

    @Test func itsOwnSessionIsOpenedOnlyWhenTheFileSaysSo() async throws {
        let bench = CameraBench(
            PanasonicCamera.self, as: PanasonicPersonality(), usb: USBIdentity(vendor: 0x04DA, product: 0x2382)
        ) { $0.remote = true }
        try await bench.run(.bus) { scene in
            await scene.session.close()
            let codes = scene.camera.log.map(\.operation.code)
            #expect(codes.filter { $0 == .lumixOpen }.count == 1 && codes.filter { $0 == .lumixClose }.count == 1)
        }
    }
}
