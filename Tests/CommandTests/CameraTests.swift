import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// Cameras over the network, as far as a card's worth of files goes: the virtual camera and the import are two
/// processes.
@Suite(.ownThreads, .serialized) struct CameraTests {
    @Test(arguments: ["canon", "nikon", "sony", "ptp"]) func everyFileOnTheCameraArrivesOnceAndIsKnownTheNextTime(
        _ make: String
    ) throws {
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
        let first = try table.run(["import", "--pipeline", pipeline])
        let second = try table.run(["import", "--pipeline", pipeline])
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.count("delivered") == table.files(table.archive).count)
        #expect(first.count("delivered") >= 15)
        let card = Set(table.files(table.card).values)
        #expect(table.files(table.archive).values.allSatisfy(card.contains))
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.count("delivered") == 0)
        #expect(second.count("bytes_read") == 0)
    }

    @Test(arguments: ["canon", "nikon", "ptp"]) func camerasTellsWhatAnswersAndWhoTakesIt(_ make: String) throws {
        let table = try Table(), camera = try Simulated(make, card: table.card)
        let outcome = try table.run(["cameras", "--host", "127.0.0.1:\(camera.port)"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let line = try #require(outcome.items("camera").first { $0["transport"] as? String == "ptpip" })
        #expect(line["id"] as? String == "ptpip://127.0.0.1:\(camera.port)")
        #expect(line["module"] as? String == make)
        #expect(line["model"] is String && line["serial"] is String && line["because"] is String)
        let storage = try #require((line["storages"] as? [[String: Any]])?.first)
        #expect((storage["capacity"] as? UInt64 ?? 0) > 0)
        #expect(line["error"] is NSNull)
    }

    /// Not everything on a network speaks PTP/IP.
    @Test func aDialectOfItsOwnIsFoundAndTakenToo() throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated("fujifilm", card: table.card), host = "127.0.0.1:\(camera.port)"
        let seen = try table.run(["cameras", "--host", host])
        #expect(seen.status == 0, "\(seen.errors)")
        let line = try #require(seen.items("camera").first { $0["transport"] as? String == "fuji" })
        #expect(line["module"] as? String == "fujifilm" && line["id"] as? String == "fuji://\(host)")
        let first = try table.run(["import", "--camera", host, "--to", table.archive, "--verify", "size"])
        #expect(first.status == 0 && first.count("delivered") >= 15, "\(first.errors)")
        let second = try table.run(["import", "--camera", "fuji://\(host)", "--to", table.archive, "--verify", "size"])
        #expect(second.status == 0 && second.count("delivered") == 0, "\(second.errors)")
        #expect(try table.run(["import", "--camera", "ptpip://\(host)", "--to", table.archive]).status == 5)
        let file = table.path("body.txt")
        #expect(try table.run(["cameras", "--record", file, "--camera", host]).status == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("filmgate recording 1\n"))
    }

    @Test func aSearchSaysWhatItAskedAndWhyNothingWasFound() throws {
        let outcome = try Table().run(["cameras", "--search"])
        let line = try #require(outcome.items("search").first)
        #expect(line["networks"] is Int && line["asked"] is Int)
        #expect((line["found"] as? Int ?? 0) > 0 || line["advice"] is String)
    }

    @Test func aCameraThatDoesNotAnswerIsTold() throws {
        let table = try Table()
        let port = try Simulated("ptp", card: table.card).port
        let outcome = try table.run(["cameras", "--host", "127.0.0.1:\(port)"])
        let line = try #require(outcome.items("camera").first { $0["transport"] as? String == "ptpip" })
        #expect(outcome.status == 5)
        #expect(line["module"] is NSNull)
        #expect((line["error"] as? String)?.hasPrefix("No camera answers at 127.0.0.1:\(port): ") == true)
        let text = try Program.run(["cameras", "--host", "127.0.0.1:\(port)", "--state", table.state]).output
        #expect(text.hasPrefix("No camera answers at ") && !text.contains("ptpip://"), "\(text)")
    }

    @Test func importFromOneCameraNeedsNoPipeline() throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated("nikon", card: table.card), id = "ptpip://127.0.0.1:\(camera.port)"
        let outcome = try table.run(["import", "--camera", id, "--to", table.archive, "--verify", "size"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.count("delivered") >= 15)
        let via = try table.run(["import", "--camera", id, "--via", "ptp", "--to", table.archive, "--verify", "size"])
        #expect(via.status == 0, "\(via.errors)")
        #expect(via.count("delivered") == 0)
        #expect(try table.run(["import", "--camera", id, "--via", "nobody", "--to", table.archive]).status == 2)
        #expect(try table.run(["import", "--camera", "no such body", "--to", table.archive]).status == 5)
        #expect(try table.run(["import", table.card, "--via", "ptp", "--to", table.archive]).status == 2)
    }

    @Test func aCameraThatTwoSourcesSeeIsTheFirstOnes() throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated("canon", card: table.card), host = "{ hosts: [\"127.0.0.1:\(camera.port)\"] }"
        let pipeline = try table.write(
            "two.yaml",
            """
            version: 1
            sources: [{ canon: \(host) }, { ptp: \(host) }]
            stages: [{ dedupe: {} }, { upload: { to: [archive] } }]
            targets: { archive: { folder: { path: "\(table.archive)/{name}", verify: size } } }
            """)
        let outcome = try table.run(["import", "--pipeline", pipeline])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let names = outcome.items().compactMap { $0["path"] as? String }
        #expect(names.count >= 15 && Set(names).count == names.count)
    }

    @Test func aRecordingOfASessionHoldsNoSerialNumberAndNoContent() throws {
        let table = try Table()
        try table.sampleCard()
        let camera = try Simulated("canon", card: table.card), host = "127.0.0.1:\(camera.port)"
        let file = table.path("body.txt")
        let seen = try table.run(["cameras", "--host", host])
        let serial = try #require(seen.items("camera").compactMap { $0["serial"] as? String }.first)
        var outcome = try table.run(["cameras", "--record", file, "--camera", host])
        // The camera may still be letting go of the session before.
        for _ in 0..<50 where outcome.status == 5 {
            usleep(200_000)
            outcome = try table.run(["cameras", "--record", file, "--camera", host])
        }
        #expect(outcome.status == 0, "\(outcome.errors)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let wide = serial.utf8.map { String(format: "%02X00", $0) }.joined()
        #expect(text.hasPrefix("filmgate recording 1\nask 1002 00000001\nanswer 2001\nask 1001\n"))
        #expect(text.contains("\nfile ") && text.contains("\nask 1003"))
        #expect(!text.contains(wide), "the serial number is still there")
    }

    @Test func theTextOfACodeGivesTheNetworkThatItOpens() throws {
        let outcome = try Program.run(["cameras", "--code", "W01:S:AbC1;P:word;C:ILCE-7M4;M:0A1B;", "--json"])
        #expect(outcome.status == 0 && outcome.items("network").first?["network"] as? String == "DIRECT-AbC1:ILCE-7M4")
        let text = try Program.run(["cameras", "--code", "W01:S:AbC1;P:word;C:ILCE-7M4;"]).output
        #expect(text.contains("nmcli device wifi connect 'DIRECT-AbC1:ILCE-7M4' password 'word'\n"), "\(text)")
        #expect(try Program.run(["cameras", "--code", "hello"]).status == 2)
    }

    /// No body can show a longer one, and cut it would be another name with no extension.
    @Test func aNameThatIsTooLongForACameraIsLeftOutAloud() throws {
        let table = try Table(), longest = String(repeating: "y", count: 250) + ".JPG"
        let longer = String(repeating: "x", count: 251) + ".JPG"
        for name in [longest, longer] {
            try table.write("CARD/DCIM/100TEST/" + name, Data([0xFF, 0xD8, 7, 0xFF, 0xD9]))
        }
        let (camera, port) = try Background.camera("ptp", table.card)
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [{ ptp: { usb: false, hosts: ["127.0.0.1:\(port)"] } }]
            stages: [{ dedupe: {} }, { upload: { to: [a] } }]
            targets: { a: { folder: { path: "\(table.archive)", name: "{name}" } } }
            """)
        let paths = try table.run(["import", "--pipeline", file]).items().compactMap { $0["path"] as? String }
        #expect(paths.count == 1 && paths[0].hasSuffix("DCIM/100TEST/" + longest), "\(paths)")
        let outcome = camera.kill(SIGTERM)
        #expect(
            outcome.errors.contains("left out: DCIM/100TEST/\(longer): ") && !outcome.errors.contains(longest),
            "\(outcome.errors)")
    }

    /// The address that every verb prints of a frame on a camera is one that `mark` and `cancel` understand.
    @Test func aFrameOnACameraIsNamedByItsAddress() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        let (camera, port) = try Background.camera("ptp", table.card)
        defer { _ = camera.kill(SIGTERM) }
        let file = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [{ ptp: { usb: false, hosts: ["127.0.0.1:\(port)"] } }]
            stages: [{ dedupe: {} }, { upload: { to: [away] } }]
            targets: { away: { webdav: { url: "http://127.0.0.1:\(FreePort.next())/{name}" } } }
            """)
        let first = try table.run(["import", "--wait", "1s", "--pipeline", file])
        let paths = first.items().map { "\($0["source"] ?? "")/\($0["path"] ?? "")" }.sorted()
        #expect(first.status == 8 && paths.count == 2 && paths[0].hasPrefix("ptpip://"), "\(first.output)")
        let marked = try table.run(["mark", "--rating", "3", paths[0]])
        #expect(marked.status == 0, "\(marked.errors)")
        let cancelled = try table.run(["cancel", "--yes", paths[1]])
        #expect(cancelled.status == 0 && cancelled.count("filtered") == 1, "\(cancelled.errors)\(cancelled.output)")
    }

    @Test func doctorStartsTheProcessAroundLibgphoto2() throws {
        let table = try Table(), program = try table.write("broken", "#!/bin/sh\nexit 127\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let words = ["doctor", "--state", table.state, "--json"]
        let outcome = try Program.run(words, environment: ["FILMGATE_GPHOTO2": program])
        let finding = try #require(outcome.items("finding").first { $0["subject"] as? String == "gphoto2" })
        #expect(finding["good"] as? Bool == false && outcome.status != 0)
        #expect((finding["message"] as? String)?.contains("status 127") == true, "\(finding)")
    }

    @Test func doctorPrintsTheRulesThatItAsksFor() throws {
        let rules = try Program.run(["doctor", "--udev-rules"])
        #expect(rules.status == 0)
        #expect(rules.output.contains("*:060101:*") && rules.output.contains("uaccess"))
    }
}

/// A virtual camera as a process of its own, until it is let go.
final class Simulated {
    let port: String
    private let process = Process()

    /// With `fault`, it does that wrong on purpose.
    init(_ make: String, card: String, fault: String? = nil, port wanted: String = "0", more: [String] = []) throws {
        try FileManager.default.createDirectory(atPath: card, withIntermediateDirectories: true)
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: Program.path)
        process.arguments = ["camera", "simulate", "--make", make, "--port", wanted, "--files", card] + more
        if let fault { process.arguments? += ["--fault", fault] }
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = try #require(line.split(separator: ":").last?.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }
}
