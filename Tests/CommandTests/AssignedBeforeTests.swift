import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// Frames that were given to the wrong event, and are nowhere but where they were delivered.
@Suite(.ownThreads, .serialized) struct AssignedBeforeTests {
    private func pipeline(_ scene: NameTable) throws -> String {
        try scene.table.write(
            "moving.yaml",
            """
            version: 1
            event: { hold: true }
            sources: [folder: { path: "\(scene.table.path("inbox"))", take: move, settle: 0ms, companions: 0ms }]
            stages: [exif: {}, dedupe: {}, upload: { to: [archive, gallery] }]
            retry: { first: 10ms, most: 100ms }
            targets:
              archive: { folder: { path: "\(scene.table.archive)/{event}", verify: reread } }
              gallery: { http: { url: "\(scene.server.url)/{event}/{name}", digest: { header: X-SHA256 } } }
            """)
    }

    /// An inbox of two frames, delivered to the archive for `wrong`.
    private func scene(galleryIsDown: Bool) throws -> (NameTable, pipeline: String) {
        let scene = try NameTable(), file = try pipeline(scene)
        for number in 1...2 { try scene.put("inbox/IMG_000\(number).JPG", "frame \(number)") }
        scene.down(galleryIsDown)
        let run = try scene.table.run(["run", file, "--once", "--event", "wrong", "--wait", "1s"])
        #expect(scene.names("archive") == ["wrong/IMG_0001.JPG", "wrong/IMG_0002.JPG"], "\(run.output)\(run.errors)")
        return (scene, file)
    }

    /// What `assign` names is done, and brings both frames to the other event.
    private func follow(_ scene: NameTable, _ pipeline: String, _ said: String) throws {
        let folder = scene.table.archive + "/wrong"
        #expect(said.contains("copy \(folder) to another place"), "\(said)")
        try FileManager.default.copyItem(atPath: folder, toPath: scene.table.path("COPY"))
        let run = try scene.take("COPY", pipeline, ["--event", "right"])
        #expect(run.status == 0 && run.count("delivered") == 2, "\(run.output)\(run.errors)")
        #expect(scene.names("archive").filter { $0.hasPrefix("right/") }.count == 2)
        #expect(scene.gallery.filter { $0.hasPrefix("/right/") }.count == 2)
    }

    @Test func whatIsDeliveredAndHasNoCardHasAWayToAnotherEvent() throws {
        let (scene, file) = try scene(galleryIsDown: false)
        defer { scene.server.stop() }
        #expect(scene.names("inbox").isEmpty)
        let names = (1...2).map { scene.table.path("inbox/IMG_000\($0).JPG") }
        let said = try scene.table.run(["assign", "right"] + names)
        #expect(
            said.status == 0 && said.errors.contains("2 files that were delivered belong to wrong"), "\(said.errors)")
        // Nothing waits that could be sent.
        #expect(!said.errors.contains("filmgate retry"), "\(said.errors)")
        try follow(scene, file, said.errors)
    }

    @Test func whatWaitsForAnotherTargetAndHasNoCardDoes() throws {
        let (scene, file) = try scene(galleryIsDown: true)
        defer { scene.server.stop() }
        for name in scene.names("inbox") {
            try FileManager.default.removeItem(atPath: scene.table.path("inbox/" + name))
        }
        let said = try scene.table.run(["assign", "right"])
        #expect(
            said.status == 0 && said.errors.contains("2 files that wait belong to wrong")
                && said.errors.contains("`filmgate retry` sends them there"), "\(said.errors)")
        scene.down(false)
        try follow(scene, file, said.errors)
    }

    /// A card that is there needs no copy of anything.
    @Test func whoHasTheCardIsToldToImportIt() throws {
        let scene = try NameTable(), file = try scene.pipeline("event: { hold: true }")
        defer { scene.server.stop() }
        try scene.put("C/IMG_0001.JPG", "frame")
        #expect(try scene.take("C", file, ["--event", "wrong"]).status == 0)
        let said = try scene.table.run(["assign", "right", scene.table.path("C/IMG_0001.JPG")])
        #expect(said.errors.contains("1 file that was delivered belongs to wrong"), "\(said.errors)")
        #expect(
            said.errors.contains("`filmgate import CARD --event EVENT`") && !said.errors.contains("another place"),
            "\(said.errors)")
    }
}
