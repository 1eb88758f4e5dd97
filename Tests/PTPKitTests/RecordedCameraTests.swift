import CameraTesting
import Foundation
import PTPKit
import Testing

/// Sessions with devices that we did not write, as `filmgate cameras --record` kept them.
///
/// A new recording becomes a test by being put into `Recordings`.
@Suite struct RecordedCameraTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Recordings"
    ).path

    private static func recording(_ name: String) throws -> Recording {
        try Recording(text: String(contentsOfFile: folder + "/" + name, encoding: .utf8))
    }

    @Test(
        arguments: try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".txt") }.sorted())
    func everyRecordedCameraIsListedAndReadAgain(_ name: String) async throws {
        let bus = ReplayBus(try Self.recording(name)), camera = PTPCamera(try bus.connector.open()), sink = MemorySink()
        try await camera.open()
        let size = try await camera.run { camera throws(PTPError) -> UInt64 in
            let objects = try StandardHandler().list(camera)
            guard let first = objects.first(where: { $0.size > 0 }) else { return 0 }
            let size = min(first.size, 1 << 20)
            try StandardFetch.fetch(first, 0..<size, camera, into: sink)
            return size
        }
        #expect(size > 0 && UInt64(sink.bytes.count) == size)
        await camera.close()
        #expect(bus.connector.unanswered.operations == [], "\(name) was asked what it had never been asked")
    }

    @Test func theEmulatorsCardIsReadAsItWas() async throws {
        let recording = try Self.recording("qemu-mtp.txt")
        let camera = PTPCamera(try ReplayBus(recording).connector.open())
        try await camera.open()
        #expect(await camera.info.model == "QEMU filesharing")
        let objects = try await camera.run { camera throws(PTPError) in try StandardHandler().list(camera) }
        #expect(objects.count == 17)
        #expect(objects.first { $0.name == "MVI_0009.MP4" }?.size == 48 << 20)
        #expect(objects.allSatisfy { $0.folders == ["DCIM", "100MEDIA"] })
        #expect(recording.usb == USBIdentity(vendor: 0x46F4, product: 4))
        await camera.close()
    }
}
