import Foundation
import Testing

/// Cameras over the network, as far as a card's worth of files goes: the virtual camera and the import are two processes.
@Suite(.serialized) struct CameraTests {
    @Test(arguments: ["canon", "nikon", "sony", "ptp"]) func everyFileOnTheCameraArrivesOnceAndIsKnownTheNextTime(_ make: String) throws {
        let table = try Table()
        try table.sampleCard()
        let camera = Process(), output = Pipe()
        camera.executableURL = URL(fileURLWithPath: Program.path)
        camera.arguments = ["camera", "simulate", "--make", make, "--port", "0", "--files", table.card]
        (camera.standardOutput, camera.standardError) = (output, FileHandle.nullDevice)
        try camera.run()
        defer {
            camera.terminate()
            camera.waitUntilExit()
        }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let port = try #require(line.split(separator: ":").last?.trimmingCharacters(in: .whitespacesAndNewlines))
        let pipeline = try table.write(
            "camera.yaml",
            """
            version: 1
            sources:
              - \(make): { hosts: ["127.0.0.1:\(port)"] }
            stages:
              - exif: {}
              - dedupe: {}
              - upload: { to: [archive] }
            targets:
              archive: { folder: { path: "\(table.archive)/{captured:yyyy-MM-dd}", verify: size } }
            """)
        let first = try table.run(["import", "--pipeline", pipeline]), second = try table.run(["import", "--pipeline", pipeline])
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.count("delivered") == table.files(table.archive).count)
        #expect(first.count("delivered") >= 15)
        let card = Set(table.files(table.card).values)
        #expect(table.files(table.archive).values.allSatisfy(card.contains))
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.count("delivered") == 0)
        #expect(second.count("bytes_read") == 0)
    }
}
