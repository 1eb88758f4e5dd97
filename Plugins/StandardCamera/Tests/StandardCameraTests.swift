import CameraTesting
import FilmgateCore
import PTPKit
import StandardCamera
import Testing
import VirtualCamera

@Suite struct StandardCameraTests {
    static let bench = CameraBench(StandardCamera.self, as: StandardPersonality(), usb: USBIdentity(vendor: 0x46F4, product: 4))

    @Test(arguments: CameraConformance<StandardCamera>.all, CameraBench<StandardCamera>.Way.allCases)
    func conformance(check: CameraCheck<StandardCamera>, way: CameraBench<StandardCamera>.Way) async throws {
        try await check.run(Self.bench, way)
    }

    @Test(.enabled(if: ForeignClient.isInstalled))
    func aForeignClientDownloadsFromThePersonality() async throws { try await ForeignClient.check(StandardPersonality()) }

    @Test func aFolderIsListedInOneRequestWhereThatIsOffered() async throws {
        let files = (1...300).map { ("", VirtualFile("IMG_\($0).JPG", .pattern(seed: UInt64($0), size: 100))) }
        try await Self.bench.run(.network, files: files) { scene in
            let entries = try await scene.session.entries()
            #expect(entries.count == 300)
            #expect(scene.camera.log.filter { $0.operation.code == .getObjectInfo }.count <= 1)
        }
    }

    @Test func aRefusedBulkListingCostsOneRequest() async throws {
        let files = (1...30).map { ("", VirtualFile("IMG_\($0).JPG", .pattern(seed: UInt64($0), size: 100))) }
        let faults = [Fault(.refuse(.specificationByFormatUnsupported), on: .getObjectPropList, times: .max)]
        try await Self.bench.run(.network, files: files, faults: faults) { scene in
            let entries = try await scene.session.entries()
            #expect(entries.count == 30)
            #expect(scene.camera.log.filter { $0.operation.code == .getObjectPropList }.count == 1)
        }
    }

    @Test func aFileBeyondFourGigabytesIsListedWithItsSizeAndReadAtItsEnd() async throws {
        let size: UInt64 = (5 << 30) + 3
        let file = VirtualFile("MVI_0001.MP4", .pattern(seed: 9, size: size))
        try await Self.bench.run(.network, files: [("", file)]) { scene in
            let entries = try await scene.session.entries()
            let entry = try #require(entries.first)
            #expect(entry.origin.size == size)
            let tail = try await scene.bytes(of: entry, from: size - 5000)
            #expect(tail == file.content.slice(at: size - 5000, count: 5000))
        }
    }
}
