import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// Frames that were held without an event: there is a way out, it is named, and it ends in a yes.
@Suite(.ownThreads, .serialized) struct HeldFramesTests {
    private func scene(_ more: String = "") throws -> (scene: NameTable, pipeline: String) {
        let scene = try NameTable(), file = try scene.pipeline("event: { hold: true }" + more)
        for number in 1...2 { try scene.put("C/IMG_000\(number).JPG", "frame \(number)") }
        return (scene, file)
    }

    /// Follows what a NO advises, three steps at most.
    private func expectYes(_ scene: NameTable, _ card: String = "C", event: String = "e") throws {
        var steps: [String] = []
        while true {
            let said = try scene.proof(card)
            if said.status == 0 { return }
            let words = said.items().compactMap { $0["reason"] as? String } + [said.summary["advice"] as? String ?? ""]
            let advice = words.joined(separator: "\n")
            let step: [String]? =
                advice.contains("`filmgate assign EVENT`")
                ? ["assign", event] : advice.contains("`filmgate retry`") ? ["retry", "--wait", "2s"] : nil
            guard let step, steps.count < 3 else {
                Issue.record("No way out after \(steps): \(advice)")
                return
            }
            steps.append(step.joined(separator: " "))
            _ = try scene.table.run(step)
        }
    }

    /// The same bytes come from another place, and somebody says their event.
    @Test func bytesThatWereDeliveredFromElsewhereEndWhatWasHeld() throws {
        let (scene, file) = try scene()
        defer { scene.server.stop() }
        #expect(try scene.take("C", file).status == 8)
        try FileManager.default.copyItem(atPath: scene.table.path("C"), toPath: scene.table.path("B"))
        #expect(try scene.take("B", file, ["--event", "e"]).status == 0)
        let status = try #require(try scene.table.run(["status"]).items("status").first)
        #expect((status["assets"] as? [String: Int])?["pending"] == 0)
        #expect(try scene.proof("C").status == 0)
        #expect(scene.names("archive").count == 2)
    }

    /// What was taken back before its event was known stays taken back, whoever says the event.
    @Test(arguments: [["assign", "e"], ["import"]]) func whatWasTakenBackStaysSo(_ verb: [String]) throws {
        let (scene, file) = try scene()
        defer { scene.server.stop() }
        #expect(try scene.take("C", file).status == 8)
        #expect(try scene.table.run(["cancel", "--yes", "--target", "gallery"]).count("filtered") == 2)
        let status = try scene.table.run(["status"])
        #expect(!status.output.contains("gallery: No event"), "\(status.output)")
        let said = try verb[0] == "import" ? scene.take("C", file, ["--event", "e"]) : scene.table.run(verb)
        #expect(said.status == 0, "\(said.output)\(said.errors)")
        #expect(try scene.table.run(["retry", "--wait", "1s"]).status == 0)
        #expect(scene.gallery == [] && scene.names("archive").count == 2)
        #expect(try scene.proof("C").status == 0)
        // Nobody brings it back but who asks for it.
        #expect(try scene.take("C", file, ["--event", "e", "--again"]).status == 0)
        #expect(scene.gallery.count == 2)
    }

    /// What waits for its event is pending for a run with one, too, until it is taken back: `assign`, which would find
    /// nothing then, is not advised.
    @Test func whatWasTakenBackIsNotToBeAssigned() throws {
        let (scene, file) = try scene()
        defer { scene.server.stop() }
        #expect(try scene.take("C", file).status == 8)
        #expect(try scene.table.run(["events", "use", "e"]).status == 0)
        func left(_ ending: String, _ status: Int32) throws -> String {
            let left = try scene.take("C", file)
            #expect(left.count(ending) == 2 && left.status == status, "\(left.output)")
            return left.output
        }
        #expect(try left("pending", 8).contains("filmgate assign EVENT"))
        for target in ["archive", "gallery"] {
            #expect(try scene.table.run(["cancel", "--yes", "--target", target]).count("filtered") == 2)
        }
        #expect(try !left("alreadySeen", 0).contains("filmgate assign EVENT"))
        #expect(try scene.table.run(["assign", "e"]).errors.contains("Nothing is held"))
    }

    @Test func anotherLookHoldsNothingThatHasItsEvent() throws {
        let (scene, file) = try scene()
        defer { scene.server.stop() }
        #expect(try scene.take("C", file, ["--event", "e"]).status == 0)
        let again = try scene.take("C", file, ["--again"])
        #expect(again.status == 0 && again.count("duplicate") == 2, "\(again.output)")
        #expect(try !scene.table.run(["status"]).output.contains("no event"))
        let other = try scene.table.run(["assign", "zz"])
        #expect(
            other.status == 0 && other.items().isEmpty && other.errors.contains("Nothing is held"), "\(other.errors)")
        #expect(try scene.proof("C").status == 0)
        // A word that changed nothing, and may be misspelt, is no event.
        let events = try scene.table.run(["events", "list"]).items("event").compactMap { $0["name"] as? String }
        #expect(events == ["e"])
    }

    /// A frame goes to one event with its sidecar, which nobody named, and what is left to another.
    @Test func aFrameThatIsNamedIsAssignedByItself() throws {
        let (scene, file) = try scene()
        defer { scene.server.stop() }
        try scene.put("C/IMG_0001.XMP", "stars")
        #expect(try scene.take("C", file).status == 8)
        let one = try scene.table.run(["assign", "a", "IMG_0001.JPG"])
        #expect(one.status == 0 && one.count("delivered") == 2, "\(one.output)\(one.errors)")
        #expect(scene.names("archive") == ["a/IMG_0001.JPG", "a/IMG_0001.XMP"])
        let twice = try scene.table.run(["assign", "b", scene.table.path("C/IMG_0001.JPG")])
        #expect(twice.status == 0 && twice.errors.contains("Nothing of that is held"), "\(twice.output)\(twice.errors)")
        let rest = try scene.table.run(["assign", "b", "-"], input: "IMG_0002.JPG\n")
        #expect(rest.status == 0, "\(rest.output)\(rest.errors)")
        #expect(scene.names("archive") == ["a/IMG_0001.JPG", "a/IMG_0001.XMP", "b/IMG_0002.JPG"])
        #expect(scene.gallery == ["/a/IMG_0001.JPG", "/a/IMG_0001.XMP", "/b/IMG_0002.JPG"])
        #expect(try scene.proof("C").status == 0)
    }

    /// Programs that rate nothing write the same sidecar beside every picture.
    @Test func theSameSidecarIsThatOfThePicturesThatAreNamed() throws {
        let (scene, file) = try scene()
        defer { scene.server.stop() }
        for number in 1...2 { try scene.put("C/IMG_000\(number).XMP", "stars") }
        let held = try scene.take("C", file)
        #expect(held.status == 8)
        func digest(_ name: String) throws -> String {
            let item = held.items().first { ($0["path"] as? String)?.hasSuffix(name) == true }
            return try #require(item?["sha256"] as? String)
        }
        let first = try digest("IMG_0001.JPG"), second = try digest("IMG_0002.JPG"), both = try digest("IMG_0001.XMP")
        #expect(try digest("IMG_0002.XMP") == both)
        let neither = try scene.table.run(["assign", "a", both])
        #expect(neither.status == 2 && neither.output.contains("\(both):\(first)"), "\(neither.output)")
        let one = try scene.table.run(["assign", "a", "-"], input: "\(first)\n\(both)\n")
        #expect(one.status == 0 && one.count("delivered") == 2, "\(one.output)\(one.errors)")
        #expect(scene.names("archive") == ["a/IMG_0001.JPG", "a/IMG_0001.XMP"])
        // That of the first waits for nothing any more: the second's is not taken for it.
        let again = try scene.table.run(["assign", "b", first, both])
        #expect(again.status == 0 && again.errors.contains("Nothing of that is held"), "\(again.output)\(again.errors)")
        let rest = try scene.table.run(["assign", "b", "\(both):\(second)", second])
        #expect(rest.status == 0 && rest.count("delivered") == 2, "\(rest.output)\(rest.errors)")
        #expect(
            scene.names("archive") == ["a/IMG_0001.JPG", "a/IMG_0001.XMP", "b/IMG_0002.JPG", "b/IMG_0002.XMP"])
    }

    /// A counter that began anew on the card: the frame that was there before goes with its own sidecar.
    @Test func aFrameGoesWithoutTheSidecarOfALaterOneOfItsName() throws {
        let (scene, file) = try scene()
        defer { scene.server.stop() }
        try scene.put("C/IMG_0001.XMP", "stars")
        let first = try scene.take("C", file)
        #expect(first.status == 8)
        try scene.put("C/IMG_0001.JPG", "a later frame")
        try scene.put("C/IMG_0001.XMP", "other stars")
        #expect(try scene.take("C", file).status == 8)
        let taken = first.items().first { ($0["path"] as? String)?.hasSuffix("IMG_0001.JPG") == true }
        let digest = try #require(taken?["sha256"] as? String)
        let one = try scene.table.run(["assign", "a", digest])
        #expect(one.status == 0 && one.count("delivered") == 2, "\(one.output)\(one.errors)")
        let rest = try scene.table.run(["assign", "b"])
        #expect(rest.status == 0 && rest.count("delivered") == 3, "\(rest.output)\(rest.errors)")
        let archive = scene.table.files(scene.table.archive)
        for (name, text) in [("a/IMG_0001.XMP", "stars"), ("b/IMG_0001.XMP", "other stars")] {
            let bytes = try #require(archive[name], "\(archive.keys.sorted())")
            #expect(String(decoding: bytes, as: UTF8.self) == "<x:xmpmeta>\(text)</x:xmpmeta>")
        }
    }

    /// The sidecar is the RAW's, and the shot has one event.
    @Test func rawAndJPEGOfAShotGoToOneEvent() throws {
        let (scene, file) = try scene()
        defer { scene.server.stop() }
        try scene.put("C/IMG_0001.CR2", "RAW 1")
        try scene.put("C/IMG_0001.XMP", "stars")
        #expect(try scene.take("C", file).status == 8)
        let one = try scene.table.run(["assign", "a", "IMG_0001.JPG"])
        #expect(one.status == 0 && one.count("delivered") == 3, "\(one.output)\(one.errors)")
        #expect(scene.names("archive") == ["a/IMG_0001.CR2", "a/IMG_0001.JPG", "a/IMG_0001.XMP"])
    }

    /// Nothing of the RAW waits for the target that is named; the shot has one event all the same.
    @Test func anAssignmentForOneTargetHoldsForTheWholeShot() throws {
        let (scene, _) = try scene()
        defer { scene.server.stop() }
        try scene.put("C/IMG_0001.CR2", "RAW 1")
        let file = try scene.table.write(
            "kinds.yaml",
            """
            version: 1
            event: { hold: true }
            stages: [exif: {}, dedupe: {}, upload: { to: [a, b], deliver: { b: [jpeg] } }]
            targets:
              a: { folder: { path: "\(scene.table.path("a"))/{event}", verify: size } }
              b: { folder: { path: "\(scene.table.path("b"))/{event}", verify: size } }
            """)
        #expect(try scene.take("C", file).status == 8)
        let one = try scene.table.run(["assign", "one", "IMG_0001.JPG", "--target", "b"])
        #expect(one.status == 8 && one.count("pending") == 2, "\(one.output)\(one.errors)")
        #expect(try scene.table.run(["assign", "two"]).status == 0)
        try expectYes(scene)
        #expect(scene.names("a") == ["one/IMG_0001.CR2", "one/IMG_0001.JPG", "two/IMG_0002.JPG"])
        #expect(scene.names("b") == ["one/IMG_0001.JPG", "two/IMG_0002.JPG"])
    }

    @Test func aTargetThatHoldsNothingIsNamed() throws {
        let (scene, _) = try scene()
        defer { scene.server.stop() }
        let file = try scene.table.write(
            "raws.yaml",
            """
            version: 1
            event: { hold: true }
            stages: [exif: {}, dedupe: {}, upload: { to: [archive, raws], deliver: { raws: [raw] } }]
            targets:
              archive: { folder: { path: "\(scene.table.archive)/{event}", verify: size } }
              raws: { folder: { path: "\(scene.table.path("raws"))/{event}", verify: size } }
            """)
        #expect(try scene.take("C", file).status == 8)
        let other = try scene.table.run(["assign", "eh", "--target", "raws"])
        #expect(
            other.status == 0 && other.errors.contains("Nothing is held for raws without an event"), "\(other.errors)")
        #expect(try !scene.table.run(["events", "list"]).output.contains("\"eh\""))
        #expect(try scene.table.run(["assign", "e", "--target", "archive"]).count("delivered") == 2)
    }

    /// An event is said of a frame, for all that it waits for; also by a pipeline that has only some of that.
    ///
    /// A folder is another place for each event only where its path holds the event.
    @Test(arguments: [true, false]) func anAssignmentHoldsForTargetsThatThePipelineLacks(isByEvent: Bool) throws {
        let (scene, _) = try scene()
        defer { scene.server.stop() }
        let files = try ["a", "b"].map { name in
            try scene.table.write(
                "\(name).yaml",
                """
                version: 1
                event: { hold: true }
                stages: [exif: {}, dedupe: {}, upload: { to: [\(name)] }]
                targets: { \(name): { folder: { path: "\(scene.table.path(name))\(isByEvent ? "/{event}" : "")", verify: size } } }
                """)
        }
        for file in files { #expect(try scene.take("C", file).status == 8) }
        let first = try scene.table.run(["assign", "one", "--pipeline", files[1]])
        #expect(first.status == 8)
        #expect(
            first.items().allSatisfy { ($0["reason"] as? String)?.contains("waits for a") == true }, "\(first.output)")
        let second = try scene.table.run(["assign", "two"])
        #expect(second.errors.contains("belong to one"), "\(second.errors)")
        try expectYes(scene)
        let expected = (1...2).map { (isByEvent ? "one/" : "") + "IMG_000\($0).JPG" }
        #expect(scene.names("a") == expected && scene.names("b") == expected)
    }

    /// Assigned for one target alone: what waits for the others belongs to that event, too, and `retry` sends it; RAW and
    /// JPEG under one name.
    @Test(arguments: ["", "/{event}"], [true, false])
    func anAssignmentForOneTargetKeepsWhatWaitsForOthers(_ folder: String, isNamed: Bool) throws {
        let (scene, _) = try scene()
        defer { scene.server.stop() }
        // Only the JPEG says when it was taken.
        #expect(try Program.run(["sample", "card", scene.table.path("S")]).status == 0)
        let picture = try Data(contentsOf: URL(fileURLWithPath: scene.table.path("S/DCIM/100CANON/IMG_0001.JPG")))
        for number in 13...22 {
            try scene.put("C/IMG_00\(number).CR2", "RAW \(number)")
            try scene.table.write("C/IMG_00\(number).JPG", picture + Data("\(number)".utf8))
        }
        let files = try [["a"], ["a", "b"]].map { names in
            let targets = names.map {
                "  \($0): { folder: { path: \"\(scene.table.path($0))\($0 == "b" ? folder : "/{event}")\", verify: size } }"
            }
            return try scene.table.write(
                "\(names.count).yaml",
                """
                version: 1
                event: { hold: true }
                stages: [exif: {}, dedupe: {}, upload: { to: [\(names.joined(separator: ", "))] }]
                targets:
                \(targets.joined(separator: "\n"))
                """)
        }
        #expect(try scene.take("C", files[1]).status == 8)
        let first = try scene.table.run(
            ["assign", "one", "--pipeline"] + (isNamed ? [files[1], "--target", "a"] : [files[0]]))
        #expect(first.status == 8 && first.output.contains("`filmgate retry`"), "\(first.output)")
        #expect(scene.names("a").count == 22 && scene.names("b") == [])
        try expectYes(scene)
        #expect(scene.names("b") == scene.names("a").map { folder.isEmpty ? String($0.dropFirst(4)) : $0 })
    }

    /// Two pipelines call their targets the same: what waits for one of them is not given to the other.
    @Test func framesAreAssignedToTheirOwnPlaceAlone() throws {
        let (scene, _) = try scene()
        defer { scene.server.stop() }
        let files = try ["x", "y"].map { folder in
            try scene.table.write(
                "\(folder).yaml",
                """
                version: 1
                event: { hold: true }
                stages: [exif: {}, dedupe: {}, upload: { to: [disk] }]
                targets: { disk: { folder: { path: "\(scene.table.path(folder))/{event}", verify: size } } }
                """)
        }
        #expect(try scene.take("C", files[0]).status == 8)
        try scene.put("D/IMG_0009.JPG", "frame 9")
        #expect(try scene.take("D", files[1], ["--event", "f"]).status == 0)
        _ = try scene.table.run(["assign", "e", "--pipeline", files[1]])
        #expect(scene.names("y") == ["f/IMG_0009.JPG"])
        try expectYes(scene)
        #expect(scene.names("x") == ["e/IMG_0001.JPG", "e/IMG_0002.JPG"])
    }

    /// Held, assigned while the gallery is away, and then all that the answers advise.
    @Test(arguments: [false, true]) func theAdviceLeadsToAYes(_ isDown: Bool) throws {
        let (scene, file) = try scene()
        defer { scene.server.stop() }
        #expect(try scene.take("C", file).status == 8)
        if isDown {
            scene.down(true)
            #expect(try scene.table.run(["assign", "e", "--wait", "1s"]).status == 8)
            scene.down(false)
            #expect(try scene.table.run(["retry"]).status == 0)
        }
        try expectYes(scene)
        #expect(scene.gallery == ["/e/IMG_0001.JPG", "/e/IMG_0002.JPG"])
    }

    /// A run holds a frame for its event while another verb delivers the same bytes for one.
    @Test(.timeLimit(.minutes(2))) func whatARunHeldEndsWithTheBytesThatAnotherVerbDelivered() throws {
        let (scene, file) = try scene()
        defer { scene.server.stop() }
        let hot = scene.table.path("hot"), text = try String(contentsOfFile: file, encoding: .utf8)
        let live = try scene.table.write(
            "live.yaml", text + "\nsources: [folder: { path: \"\(hot)\", settle: 200ms }]\n")
        try FileManager.default.copyItem(atPath: scene.table.path("C"), toPath: hot)
        let run = try Background(["run", live, "--state", scene.table.state])
        let isHeld = try Background.within(seconds: 30) {
            try scene.table.run(["status"]).output.contains("\"held\":2")
        }
        #expect(isHeld)
        let job = try scene.take("C", file, ["--event", "e"])
        #expect(job.status == 0, "\(job.errors)\(job.output)")
        let said = try scene.proof("hot")
        #expect(said.status == 0, "\(said.output)")
        _ = run.kill(SIGTERM)
        #expect(try scene.proof("hot").status == 0)
    }

    @Test func theWayBackIsNamedWhereACopyWasRemoved() throws {
        let (scene, file) = try scene()
        defer { scene.server.stop() }
        #expect(try scene.take("C", file, ["--event", "e"]).status == 0)
        try FileManager.default.removeItem(atPath: scene.table.archive + "/e/IMG_0002.JPG")
        let said = try scene.proof("C")
        #expect(said.status == 8 && (said.summary["advice"] as? String)?.contains("--again") == true, "\(said.output)")
        #expect(try scene.take("C", file, ["--event", "e", "--again"]).status == 0)
        #expect(try scene.proof("C").status == 0)
    }
}
