import FilmgateTesting
import Foundation
import Synchronization
import TestThreads
import Testing

/// A shot has one name at each target, whenever its files come and whoever sends them.
@Suite(.ownThreads, .serialized) struct ShotNameTests {
    /// Two cards hold other pictures of one name; the second was sent when its gallery was back.
    @Test(arguments: ["retry", "import"]) func aSidecarLiesBesideItsOwnPictureThoughThatWasSentLater(
        _ verb: String
    ) throws {
        let scene = try NameTable(), file = try scene.pipeline()
        try scene.put("D/IMG_0001.JPG", "one")
        try scene.put("C/IMG_0001.JPG", "two")
        #expect(try scene.take("D", file, ["--event", "e"]).status == 0)
        scene.down(true)
        #expect(try scene.take("C", file, ["--event", "e"]).status == 8)
        scene.down(false)
        let sent = try verb == "retry" ? scene.table.run(["retry"]) : scene.take("C", file, ["--event", "e"])
        #expect(sent.status == 0, "\(sent.errors)")
        try scene.put("C/IMG_0001.XMP", "settings of two")
        #expect(try scene.take("C", file, ["--event", "e"]).status == 0)
        #expect(scene.gallery == ["/e/IMG_0001-2.JPG", "/e/IMG_0001-2.XMP", "/e/IMG_0001.JPG"])
        #expect(scene.names("archive") == ["e/IMG_0001-2.JPG", "e/IMG_0001-2.XMP", "e/IMG_0001.JPG"])
        server(scene)
    }

    /// One folder holds another picture of that name, the other one does not.
    @Test(arguments: ["a", "b"]) func whatComesLaterIsCalledAtEachTargetAsItsPictureIsThere(_ other: String) throws {
        let scene = try NameTable()
        try scene.put("\(other)/IMG_0001.JPG", "somebody's")
        try scene.put("C/IMG_0001.JPG", "mine")
        let words = ["import", scene.table.path("C"), "--pipeline", try twoFolders(scene)]
        #expect(try scene.table.run(words).status == 0)
        try scene.put("C/IMG_0001.XMP", "settings of mine")
        #expect(try scene.table.run(words).status == 0)
        let free = other == "a" ? "b" : "a"
        #expect(scene.names(other) == ["IMG_0001-2.JPG", "IMG_0001-2.XMP", "IMG_0001.JPG"])
        #expect(scene.names(free) == ["IMG_0001.JPG", "IMG_0001.XMP"])
        server(scene)
    }

    /// JPEGs at noon, their RAWs in the evening: each lies beside its own at both targets.
    @Test(arguments: ["a", "b"]) func aRawThatIsTakenLaterIsCalledAsItsOwnJPEGIsThere(_ other: String) throws {
        let scene = try NameTable()
        try scene.put("\(other)/IMG_0001.JPG", "somebody's")
        try scene.put("C/IMG_0001.JPG", "mine")
        try scene.table.write(
            "C/IMG_0001.CR2",
            Data([0x49, 0x49, 0x2A, 0, 0x10, 0, 0, 0, 0x43, 0x52, 2, 0] + [UInt8](repeating: 7, count: 400)))
        let noon = try twoFolders(scene, select: "select: { accept: [jpeg] }, ")
        #expect(try scene.table.run(["import", scene.table.path("C"), "--pipeline", noon]).status == 0)
        #expect(scene.names("b").filter { $0.hasSuffix(".CR2") }.isEmpty)
        let evening = try twoFolders(scene, select: "select: { accept: [jpeg, raw] }, ")
        #expect(try scene.table.run(["import", scene.table.path("C"), "--pipeline", evening]).status == 0)
        #expect(scene.names(other) == ["IMG_0001-2.CR2", "IMG_0001-2.JPG", "IMG_0001.JPG"])
        #expect(scene.names(other == "a" ? "b" : "a") == ["IMG_0001.CR2", "IMG_0001.JPG"])
        server(scene)
    }

    private func twoFolders(_ scene: NameTable, select: String = "") throws -> String {
        try scene.table.write(
            "two.yaml",
            """
            version: 1
            stages: [exif: {}, \(select)dedupe: {}, upload: { to: [a, b] }]
            targets:
              a: { folder: { path: "\(scene.table.path("a"))", verify: size } }
              b: { folder: { path: "\(scene.table.path("b"))", verify: size } }
            """)
    }

    /// A rewritten sidecar gets a suffix: never that of another picture.
    @Test func aRewrittenSidecarGoesToNoOtherPicture() throws {
        let scene = try NameTable(), file = try twoFolders(scene)
        try scene.put("D/IMG_0001.JPG", "one")
        try scene.put("D/IMG_0001.XMP", "first settings of one")
        try scene.put("C/IMG_0001.JPG", "two")
        for card in ["D", "C"] { #expect(try scene.take(card, file).status == 0) }
        try scene.put("D/IMG_0001.XMP", "second settings of one")
        #expect(try scene.take("D", file).status == 0)
        #expect(scene.names("a") == ["IMG_0001-2.JPG", "IMG_0001-3.XMP", "IMG_0001.JPG", "IMG_0001.XMP"])
        server(scene)
    }

    /// Also where what the gallery gets is made by `stamp`.
    @Test(arguments: ["", "stamp: { creator: Ann, embed: [gallery] }, "]) func numbersGoOnAfterAnOutage(
        _ stamp: String
    ) throws {
        let scene = try NameTable()
        let file = try scene.pipeline("profiles: [{ rename: \"{counter:4}\" }]", stages: stamp)
        for number in 1...2 { try scene.put("C/IMG_000\(number).JPG", "frame \(number)") }
        scene.down(true)
        #expect(try scene.take("C", file, ["--event", "e"]).status == 8)
        scene.down(false)
        #expect(try scene.table.run(["retry"]).status == 0)
        for number in 3...4 { try scene.put("C/IMG_000\(number).JPG", "frame \(number)") }
        try scene.put("C/IMG_0002.XMP", "settings of 2")
        #expect(try scene.take("C", file, ["--event", "e"]).status == 0)
        let expected = ["e/0001.JPG", "e/0002.JPG", "e/0002.XMP", "e/0003.JPG", "e/0004.JPG"]
        #expect(scene.names("archive") == expected)
        #expect(scene.gallery == expected.map { "/" + $0 })
        server(scene)
    }

    /// The number belongs to the event, whoever says it and when.
    @Test func numbersGoOnAfterFramesWereHeld() throws {
        let scene = try NameTable()
        let file = try scene.pipeline("profiles: [{ rename: \"{counter:4}\" }]\nevent: { hold: true }")
        try scene.put("C/IMG_0001.JPG", "frame 1")
        #expect(try scene.take("C", file, ["--event", "e"]).status == 0)
        for number in 2...3 {
            try scene.put("C/IMG_000\(number).JPG", "frame \(number)")
            #expect(try scene.take("C", file).status == 8)
        }
        let assigned = try scene.table.run(["assign", "e"])
        #expect(assigned.status == 0 && assigned.count("delivered") == 2, "\(assigned.output)")
        try scene.put("C/IMG_0003.XMP", "settings of 3")
        try scene.put("C/IMG_0004.JPG", "frame 4")
        #expect(try scene.take("C", file, ["--event", "e"]).status == 0)
        let expected = ["e/0001.JPG", "e/0002.JPG", "e/0003.JPG", "e/0003.XMP", "e/0004.JPG"]
        #expect(scene.names("archive") == expected)
        #expect(scene.gallery == expected.map { "/" + $0 })
        server(scene)
    }

    /// The server was away while names were chosen, and then each of them was taken: numbers that belong to the name
    /// stay as they are.
    @Test func aTakenNameGetsASuffixWhateverItEndsIn() throws {
        let scene = try NameTable(), file = try scene.pipeline(), names = ["2026-05-12", "IMG-0123", "Ann-002"]
        for name in names { try scene.put("C/\(name).JPG", name) }
        try scene.put("C/IMG-0123.CR3", "its RAW")
        scene.down(true)
        #expect(try scene.take("C", file, ["--event", "e"]).status == 8)
        scene.place.state.withLock { state in
            for name in names { state.files["/e/\(name).JPG"] = String(repeating: "0", count: 64) }
            state.isDown = false
        }
        #expect(try scene.table.run(["retry"]).status == 0)
        let mine = scene.place.names.filter { !$0.value.hasPrefix("0000") }.keys.sorted()
        #expect(mine == ["/e/2026-05-12-2.JPG", "/e/Ann-002-2.JPG", "/e/IMG-0123-2.CR3", "/e/IMG-0123-2.JPG"])
        server(scene)
    }

    @Test func aPlanSaysTheNameAtTheGallery() throws {
        let scene = try NameTable(), file = try scene.pipeline()
        try scene.put("C/IMG_0001.JPG", "one")
        let words = ["plan", scene.table.path("C"), "--pipeline", file, "--event", "e", "--state", scene.table.state]
        #expect(try Program.run(words).output.contains("IMG_0001.JPG → gallery e/IMG_0001.JPG"))
        server(scene)
    }

    private func server(_ scene: NameTable) { scene.server.stop() }
}
