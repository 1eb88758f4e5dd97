import Foundation
import TestThreads
import Testing

/// `--trace`: what is said with cameras, while it is said.
@Suite(.ownThreads, .serialized) struct CameraTraceTests {
    @Test(arguments: ["canon", "sony", "fujifilm", "ptp"]) func everyLinkIsTraced(_ make: String) throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated(make, card: table.card), file = table.path("trace.txt")
        let pipeline = try table.write(
            "camera.yaml",
            """
            version: 1
            sources:
              - \(make): { hosts: ["127.0.0.1:\(camera.port)"], backlog: all }
            stages: [ exif: {}, upload: { to: [archive] } ]
            targets: { archive: { folder: { path: "\(table.archive)", verify: size } } }
            """)
        let outcome = try table.run(["run", pipeline, "--once", "--trace", file])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.first == "filmgate camera trace, times in UTC")
        let said = lines.filter { !$0.hasPrefix(" ") }.dropFirst()
        #expect(
            said.allSatisfy { $0.wholeMatch(of: /\d\d:\d\d:\d\d\.\d{6} [a-z]+:\/\/127\.0\.0\.1:\d+ [<>!-] .*/) != nil })
        #expect(said.contains { $0.contains(" > operation OpenSession (1002) #") })
        #expect(said.contains { $0.contains(" < response Ok (2001) #") })
        #expect(lines.contains { $0.hasPrefix("    0000  FF D8 FF") }, "the beginning of a picture")
        #expect(said.last?.hasSuffix(" - closed") == true)
    }

    @Test func withoutAFileItGoesToStderrAndDataStaysData() throws {
        let table = try Table(), camera = try Simulated("ptp", card: table.card)
        let outcome = try table.run(["cameras", "--host", "127.0.0.1:\(camera.port)", "--trace"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains(" > operation GetDeviceInfo (1001) #"))
        #expect(outcome.items("camera").count == 1)
        #expect(!outcome.output.contains("operation GetDeviceInfo"))
    }

    @Test func whatCannotBeReachedIsInTheTraceToo() throws {
        let table = try Table()
        let outcome = try table.run(["cameras", "--host", "127.0.0.1:1", "--trace"])
        #expect(outcome.errors.contains("ptpip://127.0.0.1:1 ! "))
    }

    /// Before any camera is asked: this one does not exist.
    @Test func aRecordingReplacesNothingElse() throws {
        let table = try Table(), pipeline = try table.write("a.yaml", "version: 1\n")
        let outcome = try table.run(["cameras", "--record", pipeline, "--camera", "127.0.0.1:1"])
        #expect(outcome.status != 0)
        #expect((outcome.output + outcome.errors).contains("is there and is no recording"), "\(outcome.errors)")
        #expect(try String(contentsOfFile: pipeline, encoding: .utf8) == "version: 1\n")
    }

    @Test func aPipelineIsNotOverwritten() throws {
        let table = try Table(), pipeline = try table.write("a.yaml", "version: 1\n")
        let outcome = try table.run(["cameras", "--trace", pipeline])
        #expect(outcome.status != 0)
        #expect(
            (outcome.output + outcome.errors).contains("is there and is no trace"), "\(outcome.output)\(outcome.errors)"
        )
        #expect(try String(contentsOfFile: pipeline, encoding: .utf8) == "version: 1\n")
    }
}
