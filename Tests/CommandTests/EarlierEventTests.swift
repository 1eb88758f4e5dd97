import Foundation
import TestThreads
import Testing

/// `run --once` for one event while frames of an earlier one wait: "complete" would mean that nothing is left.
@Suite(.ownThreads, .serialized) struct EarlierEventTests {
    private let table: Table, gallery: Gallery, pipeline: String

    /// Two frames of smith in the hot folder; the gallery was away when they were taken.
    init() throws {
        table = try Table()
        gallery = try Gallery(table)
        pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            sources: [{ folder: { path: "\(table.path("HOT"))", settle: 50ms, companions: 50ms } }]
            stages: [exif: {}, dedupe: {}, upload: { to: [archive, gallery] }]
            targets:
              archive: { folder: { path: "\(table.archive)" } }
              gallery:
                http: { url: "\(gallery.address)/api/assets", auth: studio, find: { url: "\(gallery.address)/api/assets/{sha256}" } }
            auth: { studio: { bearer: { token: "${env:FILMGATE_GALLERY_TOKEN}" } } }
            retry: { first: 50ms, most: 200ms }
            """)
        try table.frames("HOT", count: 2, from: 1)
        gallery.stop()
        let first = try once("smith")
        try #require(first.status == 8 && first.count("pending") == 2, "\(first.output)")
    }

    private func once(_ event: String, wait: String = "1s") throws -> Program.Outcome {
        try table.run(
            ["run", pipeline, "--once", "--event", event, "--wait", wait],
            environment: ["FILMGATE_GALLERY_TOKEN": Gallery.token])
    }

    private func assets(_ gallery: Gallery) throws -> Int { try gallery.assets().count }

    /// The run has done its own part, says what is left, and does what it says.
    @Test func whatWaitsForAnEarlierEventIsNamed() throws {
        let there = try Gallery(table, at: gallery.address)
        try FileManager.default.removeItem(atPath: table.path("HOT"))
        try table.frames("HOT", count: 1, from: 10)
        let run = try once("jones", wait: "30s")
        #expect(
            run.status == 8 && run.count("delivered") == 1 && run.count("pending") == 0, "\(run.output)\(run.errors)")
        #expect(run.count("earlier_events") == 2)
        let text = try Program.run(
            ["run", pipeline, "--once", "--event", "jones", "--state", table.state],
            environment: ["FILMGATE_GALLERY_TOKEN": Gallery.token])
        #expect(
            text.status == 8 && text.errors.contains("2 files wait for the event smith at gallery from earlier"),
            "\(text.errors)")
        #expect(text.errors.contains("`filmgate retry`"))
        let sent = try table.run(["retry"], environment: ["FILMGATE_GALLERY_TOKEN": Gallery.token])
        #expect(sent.status == 0 && sent.count("delivered") == 2, "\(sent.output)")
        #expect(try assets(there) == 3)
        let next = try once("jones")
        #expect(next.status == 0 && next.count("earlier_events") == -1, "\(next.output)")
    }

    /// A misspelt name is an order, too: the run says what it did with it.
    @Test func framesOfAnotherEventAreNamedByARunToo() throws {
        let folders = try table.write(
            "folders.yaml",
            """
            version: 1
            sources: [{ folder: { path: "\(table.path("HOT"))", settle: 50ms, companions: 50ms } }]
            stages: [exif: {}, dedupe: {}, upload: { to: [archive] }]
            targets: { archive: { folder: { path: "\(table.path("FRAMES"))/{event}" } } }
            """)
        let words = ["run", folders, "--once", "--state", table.path("other-state"), "--event"]
        #expect(try Program.run(words + ["smith"]).status == 0)
        let text = try Program.run(words + ["smiht"])
        #expect(text.errors.contains("2 files of these are in the event smith already"), "\(text.errors)")
    }

    /// Nobody can send what somebody is still to pick.
    @Test func whatWaitsForAPickIsLeft() throws {
        let text = try String(contentsOfFile: pipeline, encoding: .utf8)
        let picks = text.replacingOccurrences(
            of: "upload: { to: [archive, gallery] }",
            with: "upload: { to: [gallery], deliver: { gallery: { picks: only } } }")
        _ = try table.write("p.yaml", picks)
        try FileManager.default.removeItem(atPath: table.path("HOT"))
        try table.frames("HOT", count: 1, from: 20)
        #expect(try once("miller").count("pending") == 1)
        try FileManager.default.removeItem(atPath: table.path("HOT"))
        try FileManager.default.createDirectory(atPath: table.path("HOT"), withIntermediateDirectories: true)
        // Those of smith wait for the gallery, that of miller for a pick.
        let run = try once("jones")
        #expect(run.count("earlier_events") == 2, "\(run.output)")
    }
}
