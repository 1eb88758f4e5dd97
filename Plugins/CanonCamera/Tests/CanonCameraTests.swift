import CameraTesting
import FilmgateCore
import PTPKit
import Testing
import VirtualCamera

@testable import CanonCamera

@Suite struct CanonCameraTests {
    static let usb = USBIdentity(vendor: 0x04A9, product: 0x32DA)
    static let bench = CameraBench(CanonCamera.self, as: CanonPersonality(), usb: usb)

    @Test(arguments: CameraConformance<CanonCamera>.all, CameraBench<CanonCamera>.Way.allCases)
    func conformance(check: CameraCheck<CanonCamera>, way: CameraBench<CanonCamera>.Way) async throws {
        try await check.run(Self.bench, way)
    }

    @Test(.enabled(if: ForeignClient.isInstalled))
    func aForeignClientDownloadsFromThePersonality() async throws { try await ForeignClient.check(CanonPersonality()) }

    @Test func theSessionIsTheMinimalOneAndIsUndone() async throws {
        try await Self.bench.run(.network) { scene in
            await scene.session.close()
            let operations = scene.camera.log.map(\.operation)
            let codes = operations.map(\.code.rawValue)
            #expect(codes == [0x1002, 0x1001, 0x9115, 0x9116, 0x9116, 0x9115, 0x1003])
            #expect(operations.filter { $0.code == .eosEventMode }.map(\.parameters) == [[1], [0]])
        }
    }

    @Test func aFolderIsListedInOneRequest() async throws {
        try await Self.bench.run(.bus) { scene in
            _ = try await scene.session.entries()
            let codes = scene.camera.log.map(\.operation.code.rawValue)
            #expect(codes.filter { $0 == 0x9109 }.count == 3)
            #expect(!codes.contains(0x1008))
        }
    }

    @Test func aBodyThatRefusesItsOwnListingIsListedByTheStandard() async throws {
        var personality = CanonPersonality()
        personality.refusesListing = true
        try await CameraBench(CanonCamera.self, as: personality, usb: Self.usb).run(.network) { scene in
            let entries = try await scene.session.entries()
            #expect(entries.count == CardFiles.few.count)
        }
    }

    @Test func framesSentToTheComputerAreTakenAndConfirmed() async throws {
        var personality = CanonPersonality()
        personality.toHost = true
        try await CameraBench(CanonCamera.self, as: personality, usb: Self.usb).run(.network, files: []) { scene in
            _ = try await scene.session.entries()
            let arrivals = try await scene.session.arrivals()
            var iterator = arrivals.makeAsyncIterator()
            let shot = [VirtualFile("IMG_0001.JPG", .pattern(seed: 1, size: 2_500_000))]
            scene.camera.shoot(shot)
            guard case .arrived(let entry) = await iterator.next() else { return #expect(Bool(false)) }
            let bytes = try await scene.bytes(of: entry)
            #expect(bytes == shot[0].content.slice(at: 0, count: 2_500_000))
            #expect(scene.camera.log.contains { $0.operation.code == .eosTransferComplete })
        }
    }

    @Test func aBodyThatMustNotBeClosedOverUSBIsNot() async throws {
        var personality = CanonPersonality()
        personality.info.model = "Canon EOS 80D"
        let bench = CameraBench(CanonCamera.self, as: personality, usb: Self.usb)
        try await bench.run(.bus) { scene in
            await scene.session.close()
            #expect(!scene.camera.log.contains { $0.operation.code == .closeSession })
        }
        try await bench.run(.network) { scene in
            await scene.session.close()
            #expect(scene.camera.log.last?.operation.code == .closeSession)
        }
    }

    @Test func aQuietCameraIsKeptAwake() async throws {
        let bench = CameraBench(CanonCamera.self, as: CanonPersonality(), usb: Self.usb) {
            $0.camera.keepAlive = .milliseconds(1)
        }
        try await bench.run(.network) { scene in
            _ = try await scene.session.entries()
            let arrivals = try await scene.session.arrivals()
            let end = ContinuousClock.now + .seconds(10)
            while !scene.camera.log.contains(where: { $0.operation.code == .eosKeepOn }), ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(scene.camera.log.contains { $0.operation.code == .eosKeepOn })
            withExtendedLifetime(arrivals) {}
        }
    }
}
