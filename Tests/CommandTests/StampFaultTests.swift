import Foundation
import TestThreads
import Testing

/// What is stamped when clocks are wrong and galleries refuse.
@Suite(.ownThreads) struct StampFaultTests {
    /// A movie without a serial number is stamped with the time that its name and its item have.
    @Test func aMoviesSidecarHasTheClockOfItsBody() throws {
        let table = try Table()
        try table.sampleCard()
        let all = try table.run(["inspect", table.card]).items()
        let photo = try #require(
            all.first { $0["make"] as? String == "Canon" && $0["serial"] is String && $0["kind"] as? String == "jpeg" })
        let day = try #require(photo["captured"] as? String).prefix(10)
        let path = table.card + "/" + (photo["path"] as? String ?? "")
        #expect(try table.run(["clock", path, "--shows", "\(day) 23:59:59"]).status == 0)
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            stages: [{ exif: {} }, { dedupe: {} }, { stamp: { creator: Ann, sidecars: [archive] } }, { upload: { to: [archive] } }]
            targets: { archive: { folder: { path: "\(table.archive)" } } }
            """)
        let run = try table.run(["import", table.card, "--pipeline", pipeline])
        #expect(run.status == 0, "\(run.errors)")
        let movies = run.items().filter {
            $0["kind"] as? String == "video" && $0["make"] as? String == "Canon" && $0["twin"] is NSNull
        }
        #expect(!movies.isEmpty)
        let sidecars = table.files(table.archive)
        for movie in movies {
            let stem = URL(fileURLWithPath: movie["path"] as? String ?? "").deletingPathExtension().lastPathComponent
            let text = String(decoding: try #require(sidecars[stem + ".xmp"]), as: UTF8.self)
            let right = try #require(movie["captured"] as? String).prefix(19)
            #expect(right != (movie["captured_camera"] as? String)?.prefix(19) && text.contains(right), "\(text)")
        }
    }

    /// A stamped copy that the gallery refused is at hand when it is tried again, also after other runs, and gone once
    /// it has arrived.
    @Test func aRefusedCopyIsSentAgain() throws {
        let table = try Table()
        #expect(try Program.run(["sample", "card", table.path("SAMPLE")]).status == 0)
        let picture = try #require(
            FileManager.default.contents(atPath: table.path("SAMPLE/DCIM/100CANON/IMG_0001.JPG")))
        try table.write("CARD/DCIM/100TEST/IMG_0001.JPG", picture)
        let gallery = try Gallery(table, fault: "too-large")
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            stages: [{ exif: {} }, { dedupe: {} }, { stamp: { creator: Ann, embed: [gallery] } }, { upload: { to: [gallery] } }]
            targets:
              gallery: { http: { url: "\(gallery.address)/api/assets", auth: studio, digest: { json: sha256 } } }
            auth: { studio: { bearer: { token: "${env:FILMGATE_GALLERY_TOKEN}" } } }
            """)
        let refused = try table.deliver(pipeline)
        #expect(refused.status == 3 && refused.count("setAside") == 1, "\(refused.output)")
        gallery.stop()
        try FileManager.default.moveItem(atPath: table.card, toPath: table.path("GONE"))
        try table.frames("CARD", count: 1, from: 7)
        #expect(try table.importing().status == 0)
        let healthy = try Gallery(table, at: gallery.address)
        let again = try table.run(["retry", "--failed"], environment: Gallery.environment)
        #expect(again.status == 0 && again.count("delivered") == 1, "\(again.output)\(again.errors)")
        let sent = try healthy.assets()
        #expect(
            sent.count == 1
                && sent.allSatisfy { $0["sha256"] as? String != refused.items().first?["sha256"] as? String })
        #expect(
            table.files(table.state + "/staging").keys.filter { !$0.hasSuffix(".lock") && !$0.hasSuffix(".part") } == []
        )
    }
}
