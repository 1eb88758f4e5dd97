import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// Every NO, and everything that goes on waiting, says what ends it; and that works as it is written.
@Suite(.ownThreads) struct WaysOutTests {
    /// As a person runs it.
    private func say(_ table: Table, _ words: [String]) throws -> Program.Outcome {
        try Program.run(words + ["--state", table.state], environment: Gallery.environment)
    }

    private func prove(_ table: Table, _ more: [String] = []) throws -> Program.Outcome {
        try say(table, ["safe-to-format", table.card, "--allow", "same-device"] + more)
    }

    /// The option that a message names, as a shell reads it.
    private func option(_ name: String, in text: String) throws -> [String] {
        let start = try #require(text.range(of: "`\(name) '"), "\(text)").upperBound
        return [name, String(text[start...].prefix { $0 != "'" })]
    }

    @Test func filesOfUnknownKindAreTakenByWhatTheMessageSays() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        try table.write("CARD/DCIM/100TEST/NOTES.QQQ", "words")
        let import1 = ["import", table.card, "--to", table.archive]
        let first = try say(table, import1)
        let no = try prove(table, ["--allow", "filtered"])
        #expect(no.status == 8 && no.output.contains("unknown kind of file"), "\(no.output)")
        for text in [first.errors, no.output] {
            #expect(text.contains("accept: [jpeg, raw,") && text.contains(", other]"), "\(text)")
        }
        let second = try say(table, import1 + (try option("--set", in: no.output)))
        #expect(second.status == 0, "\(second.errors)")
        let yes = try prove(table)
        #expect(yes.status == 0, "\(yes.output)")
        let list = try #require(no.output.range(of: "accept: ["))
        let text = String(no.output[list.lowerBound...].prefix { $0 != "]" }) + "]"
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            profiles:
              - \(text)
            stages: [exif: {}, upload: { to: [a] }]
            targets: { a: { folder: { path: "\(table.archive)" } } }
            """)
        let checked = try Program.run(["check", pipeline])
        #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
    }

    @Test func aNOForWhatWaitsNamesBothWays() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        let gallery = try Gallery(table), pipeline = try table.pipeline(gallery)
        gallery.stop()
        #expect(try table.deliver(pipeline, wait: "1s").status == 8)
        for more in [[], ["--pipeline", pipeline]] {
            let no = try prove(table, more)
            #expect(no.status == 8 && no.output.contains("`filmgate retry`"), "\(no.output)")
            #expect(no.output.contains("`filmgate cancel --target '\(gallery.address)/api/assets"), "\(no.output)")
        }
        let asked = try table.run(["safe-to-format", table.card])
        #expect((asked.summary["advice"] as? String)?.contains("`filmgate retry`") == true)
    }

    @Test func anImportSaysWhatWaitsAtTheOldAddress() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        let wrong = "http://127.0.0.1:\(FreePort.next())", gallery = try Gallery(table)
        #expect(try table.deliver(try table.pipeline(gallery, address: wrong), wait: "1s").status == 8)
        let right = try table.pipeline(gallery), words = ["import", table.card, "--pipeline", right]
        for _ in 1...2 {
            let taken = try say(table, words)
            #expect(
                taken.status == 0 && taken.errors.contains("3 older deliveries still wait at \(wrong)"),
                "\(taken.errors)")
        }
        let no = try prove(table, ["--pipeline", right])
        #expect(no.status == 8 && !no.output.contains(".. "), "\(no.output)")
        let way = no.output.replacingOccurrences(of: "filmgate cancel ", with: "")
        let cancelled = try say(table, ["cancel", "--yes"] + (try option("--target", in: way)))
        #expect(cancelled.status == 0, "\(cancelled.errors)")
        let again = try say(table, words)
        #expect(again.status == 0 && !again.errors.contains("still wait"), "\(again.errors)")
        #expect(try prove(table).status == 0)
    }

    @Test func anEventThatIsNamedSaysWhatWasInAnotherOneAlready() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        let pipeline = try table.write(
            "d.yaml",
            """
            version: 1
            event: { hold: true }
            stages: [exif: {}, dedupe: {}, upload: { to: [a] }]
            targets: { a: { folder: { path: "\(table.archive)/{event}/{name}", verify: size } } }
            """)
        let words = ["import", table.card, "--pipeline", pipeline]
        #expect(try say(table, words).status == 8)
        #expect(try say(table, ["assign", "anna"]).status == 0)
        let plain = try say(table, words)
        #expect(plain.status == 0 && !plain.errors.contains("in the event"), "\(plain.errors)")
        let named = try say(table, words + ["--event", "bella"])
        #expect(
            named.status == 0 && named.errors.contains("3 files of these are in the event anna already"),
            "\(named.errors)")
        #expect(try !say(table, words + ["--event", "bella"]).errors.contains("in the event"))
    }

    /// A frame that also waits for a pick has its copy in the archive all the same.
    @Test func framesThatWaitForAPickAreAmongThoseInAnotherEvent() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        let pipeline = try table.write(
            "picks.yaml",
            """
            version: 1
            stages: [exif: {}, dedupe: {}, upload: { to: [a, b], deliver: { b: { picks: only } } }]
            targets:
              a: { folder: { path: "\(table.archive)/{event}/{name}", verify: size } }
              b: { folder: { path: "\(table.path("picks"))/{event}/{name}", verify: size } }
            """)
        let words = ["import", table.card, "--pipeline", pipeline, "--event"]
        #expect(try say(table, words + ["anna"]).status == 8)
        let frame = try #require(FileManager.default.subpaths(atPath: table.card)?.first { $0.hasSuffix(".JPG") })
        #expect(try say(table, ["mark", "--pick", table.card + "/" + frame]).status == 0)
        #expect(try say(table, ["retry"]).status == 8)
        let named = try say(table, words + ["bella"])
        #expect(
            named.status == 8 && named.errors.contains("3 files of these are in the event anna already, and stay"),
            "\(named.errors)")
        #expect(try !say(table, words + ["bella"]).errors.contains("in the event"))
    }

    @Test func whatWasSetAsideAndIsGoneIsTakenBackByItsPath() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        let file = table.card + "/DCIM/100TEST/IMG_0001.JPG"
        #expect(try table.importing().status == 0)
        // As a file is noted down that could not be read.
        try table.change(
            ledger: "UPDATE asset SET ending = 'setAside', reason = 'It cannot be read.', content_id = NULL")
        #expect(try say(table, ["status"]).output.contains("1 set aside"))
        #expect(try say(table, ["cancel", file, "--yes"]).output.contains("still at its source"))
        // A card that was taken out says nothing of its files.
        try FileManager.default.moveItem(atPath: table.card, toPath: table.path("AWAY"))
        #expect(try say(table, ["cancel", file, "--yes"]).output.contains("is not here"))
        #expect(try say(table, ["status"]).output.contains("1 set aside"))
        try FileManager.default.moveItem(atPath: table.path("AWAY"), toPath: table.card)
        try FileManager.default.removeItem(atPath: file)
        let taken = try say(table, ["cancel", file, "--yes"])
        let said = "1 file taken off the list of what was set aside"
        #expect(taken.status == 0 && taken.output.contains(said), "\(taken.output)\(taken.errors)")
        #expect(try !say(table, ["status"]).output.contains("set aside"))
        #expect(try say(table, ["cancel", file, "--yes"]).output.contains("Nothing of \(file) waits."))
    }

    @Test func aTargetThatNobodyKnowsCannotBeCancelled() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        #expect(try table.importing().status == 0)
        let unknown = try say(table, ["cancel", "--target", "tto", "--yes"])
        #expect(
            unknown.status == 2 && unknown.errors.contains("no target called `tto`; known: to. Did you mean `to`?"),
            "\(unknown.errors)")
        for known in ["to", table.archive] {
            let nothing = try say(table, ["cancel", "--target", known, "--yes"])
            #expect(nothing.status == 0 && nothing.output.contains("Nothing waits there."), "\(nothing.errors)")
        }
    }

    @Test func aNOForWhatARuleLeftOutNamesTheAllowance() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        try table.write("CARD/DCIM/100TEST/IMG_0009.WAV", Data("RIFF\u{4}\0\0\0WAVE".utf8))
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            stages: [exif: {}, dedupe: {}, upload: { to: [a], deliver: { a: [jpeg] } }]
            targets: { a: { folder: { path: "\(table.archive)", verify: size } } }
            """)
        #expect(try say(table, ["import", table.card, "--pipeline", pipeline]).status == 0)
        let no = try prove(table)
        #expect(no.status == 8 && no.output.contains("`--allow filtered`"), "\(no.output)")
        #expect(try prove(table, ["--allow", "filtered"]).status == 0)
    }

    @Test func theSampleGalleryLooksAtItsDisk() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        let gallery = try Gallery(table), pipeline = try table.pipeline(gallery)
        #expect(try table.deliver(pipeline).status == 0)
        #expect(try prove(table, ["--pipeline", pipeline]).status == 0)
        let assets = table.path("gallery") + "/assets"
        for name in try FileManager.default.contentsOfDirectory(atPath: assets) {
            try FileManager.default.removeItem(atPath: assets + "/" + name)
        }
        let no = try prove(table, ["--pipeline", pipeline])
        #expect(no.status == 8 && no.output.contains("2 removed since"), "\(no.output)")
        #expect(try table.deliver(pipeline, ["--again"]).status == 0)
        #expect(try gallery.assets().count == 2 && FileManager.default.contentsOfDirectory(atPath: assets).count == 2)
    }
}
