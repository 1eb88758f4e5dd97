import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// A yes needs pictures that are proven: what looks like a card without any is no card to be formatted.
@Suite(.ownThreads) struct EmptyProofTests {
    private func table() throws -> Table {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        return table
    }

    private func ask(_ table: Table, _ more: [String] = []) throws -> Program.Outcome {
        try table.run(["safe-to-format", table.card, "--allow", "same-device"] + more)
    }

    private func words(_ table: Table, _ more: [String] = []) throws -> String {
        try Program.run(["safe-to-format", table.card, "--allow", "same-device", "--state", table.state] + more).output
    }

    private func reasons(_ answer: Program.Outcome, _ proof: String) -> String {
        answer.items().filter { $0["proof"] as? String == proof }.map { "\($0["path"] ?? ""): \($0["reason"] ?? "")" }
            .joined(
                separator: "\n")
    }

    /// A card whose pictures cannot be seen still has what a computer left on it.
    @Test(arguments: [
        "System Volume Information/IndexerVolumeGuid", ".Trashes/1/old.txt", "IMG_0001.JPG", ".Trashes/501/IMG_7.JPG",
    ])
    func nothingProvenIsANo(_ name: String) throws {
        let table = try Table(), isPicture = name.hasPrefix(".Trashes/501")
        let bytes = isPicture ? [0xFF, 0xD8, 0xFF, 0xE0, 9, 0xFF, 0xD9] : name.hasSuffix("JPG") ? [] : Array("x".utf8)
        try table.write("CARD/" + name, Data(bytes))
        let answer = try ask(table)
        #expect(
            answer.status == 8 && answer.count("exempt") == 1 && answer.count("not_proven") == 0, "\(answer.output)")
        #expect(answer.summary["safe"] as? Bool == false)
        #expect(try words(table).contains("nothing is proven"))
    }

    /// The pictures of a folder that is a link lie elsewhere: they say nothing of the card.
    @Test func aLinkIsNoCard() throws {
        let table = try table()
        try FileManager.default.createDirectory(atPath: table.path("EMPTY"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: table.path("EMPTY/DCIM"), withDestinationPath: table.card + "/DCIM")
        #expect(try table.importing().status == 0)
        let answer = try table.run(["safe-to-format", table.path("EMPTY"), "--allow", "same-device"])
        #expect(answer.status == 8 && answer.summary["safe"] as? Bool == false, "\(answer.output)")
    }

    /// The same card, of which the ledger knows more than can be seen now.
    @Test func filesThatAreGoneFromAKnownCardAreTold() throws {
        let table = try table()
        #expect(try table.importing().status == 0)
        try FileManager.default.removeItem(atPath: table.card + "/DCIM")
        try table.write("CARD/.Spotlight-V100/store", "x")
        let answer = try ask(table)
        #expect(answer.status == 8 && answer.count("gone") == 2, "\(answer.output)")
        #expect(try words(table).contains("2 files known from this card are not on it now"))
    }

    /// A folder that got lost on the card is told beside the yes for the rest of it.
    @Test func filesThatAreGoneAreToldBesideTheYes() throws {
        let table = try table()
        try table.write("CARD/DCIM/101CANON/IMG_0009.JPG", "another")
        #expect(try table.importing().status == 0)
        #expect(try ask(table).count("gone") == 0)
        try FileManager.default.removeItem(atPath: table.card + "/DCIM/101CANON")
        let answer = try ask(table)
        #expect(answer.status == 0 && answer.count("gone") == 1, "\(answer.output)")
        #expect(try words(table).contains("1 file known from this card is not on it now"))
    }

    /// Whatever their names: pictures that nobody has are named, and only those that were thrown away leave it at a
    /// yes.
    @Test func picturesBehindOtherNamesAreNamed() throws {
        let table = try table(), picture = Data([0xFF, 0xD8, 0xFF, 0xE0, 9, 0xFF, 0xD9])
        #expect(try table.importing().status == 0)
        try table.write("CARD/DCIM/100CANON/._IMG_0001.JPG", Data([0x00, 0x05, 0x16, 0x07, 0, 2, 0, 0]))
        try table.write("CARD/DCIM/100CANON/M100.CTG", Data([1, 2, 3, 4]))
        #expect(try ask(table).status == 0)
        try table.write("CARD/.Trashes/501/IMG_7.JPG", picture)
        let trash = try ask(table)
        #expect(trash.status == 0)
        #expect(
            reasons(trash, "exempt").contains("holds 1 picture, 7 bytes, never ingested: 501/IMG_7.JPG"),
            "\(trash.output)")
        for name in ["DCIM/100CANON/._IMG_0099.JPG", "DCIM/100CANON/a.ctg", ".fseventsd/IMG_8.JPG"] {
            try table.write("CARD/" + name, picture)
            let answer = try ask(table)
            #expect(answer.status == 8, "\(name): \(answer.output)")
            let named = name.split(separator: "/").first == ".fseventsd" ? ".fseventsd" : name
            #expect(reasons(answer, "not_proven").contains(named), "\(answer.output)")
            try FileManager.default.removeItem(atPath: table.card + "/" + name)
        }
    }

    /// `--allow filtered` lifts rules; that a picture is called like junk is no rule of anybody's.
    @Test(arguments: [
        "DCIM/100CANON/._IMG_0099.JPG", "DCIM/M0100.CTG", "DCIM/Thumbs.db", "System Volume Information/IMG_8.JPG",
        "DCIM/.IMG_9.JPG", "LOST.DIR/12",
    ])
    func liftingRulesHidesNoPictures(_ name: String) throws {
        let table = try table()
        #expect(try table.importing().status == 0)
        #expect(try ask(table, ["--allow", "filtered"]).status == 0)
        try table.write("CARD/" + name, Data([0xFF, 0xD8, 0xFF, 0xE0, 9, 0xFF, 0xD9]))
        let answer = try ask(table, ["--allow", "filtered"])
        #expect(answer.status == 8 && reasons(answer, "not_proven").contains("never ingested"), "\(answer.output)")
        try table.write("CARD/" + name, Data([0x00, 0x05, 0x16, 0x07, 0, 2, 0, 0]))
        #expect(try ask(table, ["--allow", "filtered"]).status == 0)
    }

    /// The ledger has met its bytes, and they were sent nowhere.
    @Test func aPictureThatARuleLeftOutHasNoCopy() throws {
        let table = try table(), picture = Data([0xFF, 0xD8, 0xFF, 0xE0, 9, 0xFF, 0xD9])
        #expect(try table.importing().status == 0)
        try table.write("CARD/DCIM/100CANON/IMG_0099.JPG", picture)
        let rule = try table.write(
            "p.yaml",
            """
            version: 1
            stages: [ { exif: {} }, { select: { min_rating: 5, unrated: drop } }, { dedupe: {} }, { upload: { to: [a] } } ]
            targets: { a: { folder: { path: "\(table.archive)", verify: size } } }
            """)
        let run = try table.run(["import", table.card, "--pipeline", rule])
        #expect(run.count("filtered") == 1, "\(run.summary)")
        let hidden = table.card + "/DCIM/100CANON/._IMG_0099.JPG"
        try FileManager.default.moveItem(atPath: table.card + "/DCIM/100CANON/IMG_0099.JPG", toPath: hidden)
        let answer = try ask(table, ["--allow", "filtered"])
        #expect(answer.status == 8 && reasons(answer, "not_proven").contains("no copy now"), "\(answer.output)")
    }

    /// Where all that is wrong is that the copies lie on the same disk, that is what is told and can be lifted.
    @Test func theCopyOfAHiddenPictureMayLieOnItsDisk() throws {
        let table = try table()
        #expect(try table.importing().status == 0)
        let frame = try #require(table.files(table.card).values.first)
        try table.write("CARD/DCIM/100CANON/._IMG_0099.JPG", frame)
        let said = try Program.run(["safe-to-format", table.card, "--state", table.state])
        #expect(said.status == 8 && said.output.contains("→ `--allow same-device`"), "\(said.output)")
        #expect(try ask(table).status == 0)
    }

    enum Doubt: CaseIterable, Sendable { case overwritten, inMemory, unconfirmed }

    /// Its only copy is another file by now, lies in memory, or is at a target that never said that it has it: that is
    /// none, as of any file.
    @Test(arguments: Doubt.allCases) func aHiddenPictureNeedsAProvenCopy(_ doubt: Doubt) throws {
        let table = try table(), folder = "CARD/DCIM/100CANON/", memory = "/dev/shm/filmgate-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: memory) }
        if doubt == .inMemory, !FileManager.default.isWritableFile(atPath: "/dev/shm") { return }
        let server = try FaultServer { _, _ in .answer(201) }
        defer { server.stop() }
        let far = try table.write(
            "far.yaml",
            """
            version: 1
            stages: [{ upload: { to: [far] } }]
            targets: { far: { http: { url: "\(server.url)/up", method: POST, body: raw } } }
            """)
        #expect(try table.importing().status == 0)
        let picture = try table.write(folder + "IMG_0099.JPG", Data([0xFF, 0xD8, 0xFF, 0xE0, 9, 0xFF, 0xD9]))
        let target =
            switch doubt {
            case .overwritten: ["--to", table.path("copies")]
            case .inMemory: ["--to", memory]
            case .unconfirmed: ["--pipeline", far]
            }
        #expect(try table.run(["import", picture] + target).count("delivered") == 1)
        try FileManager.default.moveItem(atPath: picture, toPath: table.path(folder + "._IMG_0099.JPG"))
        if doubt == .overwritten {
            #expect(try ask(table).status == 0)
            let copy = try #require(table.files(table.path("copies")).keys.first { $0.hasSuffix(".JPG") })
            try table.write("copies/" + copy, Data([0xFF, 0xD8, 0xFF, 0xE0, 8, 0xFF, 0xD9]))
        }
        let answer = try ask(table), why = reasons(answer, "not_proven")
        #expect(answer.status == 8 && answer.count("not_proven") == 1, "\(answer.output)")
        #expect(why.contains("._IMG_0099.JPG") && why.contains("no copy now ("), "\(why)")
    }

    @Test func liftingRulesStillNamesWhatLiesInATrash() throws {
        let table = try table()
        #expect(try table.importing().status == 0)
        try table.write("CARD/.Trashes/501/IMG_7.JPG", Data([0xFF, 0xD8, 0xFF, 0xE0, 9, 0xFF, 0xD9]))
        let answer = try ask(table, ["--allow", "filtered"])
        #expect(
            answer.status == 0 && reasons(answer, "exempt").contains("never ingested: 501/IMG_7.JPG"),
            "\(answer.output)")
    }

    /// The one moment when the rest of the frame can still be recovered is before the card is formatted.
    @Test func aDamagedFrameIsToldAtTheImportInStatusAndBesideTheYes() throws {
        let table = try table(), first = table.card + "/" + (try #require(table.files(table.card).keys.sorted().first))
        let whole = try #require(FileManager.default.contents(atPath: first))
        try table.write("CARD/DCIM/100CANON/IMG_0009.JPG", whole.prefix(whole.count / 2))
        let run = try Program.run(["import", table.card, "--to", table.archive, "--state", table.state])
        #expect(run.status == 0 && run.output.contains(" seen, 1 of them damaged: "), "\(run.output)")
        #expect(run.errors.contains("damaged: DCIM/100CANON/IMG_0009.JPG"), "\(run.errors)")
        #expect(try table.run(["status"]).items("status").first?["damaged"] as? Int == 1)
        let status = try Program.run(["status", "--state", table.state]).output
        #expect(status.contains("assets (1 of them damaged): "), "\(status)")
        let answer = try ask(table)
        #expect(answer.status == 0 && answer.count("damaged") == 1)
        #expect(try words(table).contains("1 file damaged: DCIM/100CANON/IMG_0009.JPG"))
    }

    /// A bad reader gave other bytes once: whoever follows the advice gets out.
    @Test func aMisreadFileNamesTheWayOut() throws {
        let table = try table()
        #expect(try table.importing().status == 0)
        let file = table.card + "/" + (try #require(table.files(table.card).keys.sorted().first))
        // What was read then were other bytes.
        let other = String(repeating: "0", count: 64)
        try table.editLedger(
            "UPDATE content SET key = '\(other)' WHERE id = (SELECT content_id FROM asset ORDER BY path LIMIT 1)")
        let answer = try ask(table)
        #expect(
            answer.status == 8 && reasons(answer, "not_proven").contains("import --again"), "\(file): \(answer.output)")
        #expect(try table.importing(["--again"]).status == 0)
        #expect(try ask(table).status == 0)
    }

    /// A folder in memory is gone with the machine's power.
    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")))
    func aCopyInMemoryIsNoBackup() throws {
        let table = try table(), memory = "/dev/shm/filmgate-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: memory) }
        #expect(try table.importing(to: memory).status == 0)
        for allowed in [[], ["--allow", "same-device"]] {
            let answer = try table.run(["safe-to-format", table.card] + allowed)
            #expect(answer.status == 8 && reasons(answer, "not_proven").contains("lies in memory"), "\(answer.output)")
            #expect(answer.output.contains("makes a copy that lasts"), "\(answer.output)")
        }
        // It is there as ordered, and one on a disk is what counts.
        #expect(try table.importing().status == 0)
        #expect(try ask(table).status == 0)
        #expect(try ask(table, ["--copies", "2"]).status == 8)
    }

    /// Two folders on one disk are one place; a folder and a gallery are two.
    @Test func twoCopiesAreOnTwoPlaces() throws {
        let table = try table(), gallery = try Gallery(table), file = try table.pipeline(gallery)
        #expect(try table.importing(["--to", table.path("second")]).status == 0)
        #expect(try ask(table).status == 0)
        let one = try ask(table, ["--copies", "2"])
        #expect(one.status == 8 && reasons(one, "not_proven").contains("on 1 device"), "\(one.output)")
        // Whoever allows the one device hears at once that this is not all.
        let both = try table.run(["safe-to-format", table.card, "--copies", "2"]).output
        #expect(both.contains("own device") && both.contains("has to be on another disk than the card"), "\(both)")
        #expect(try !table.run(["safe-to-format", table.card]).output.contains("has to be on another disk"))
        #expect(try table.deliver(file).status == 0)
        #expect(try ask(table, ["--copies", "2"]).status == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let two = try table.write("two.yaml", text + "\ncopies: 3\n")
        let three = try table.run(
            ["safe-to-format", table.card, "--allow", "same-device", "--pipeline", two],
            environment: Gallery.environment)
        #expect(three.status == 8 && reasons(three, "not_proven").contains("3 copies are asked for"), "\(three.output)")
        gallery.stop()
    }

    /// What no card could ever reach is said by `check` already.
    @Test func checkCountsThePlacesOfAPipeline() throws {
        let table = try Table()
        func warned(_ copies: Int, _ extra: String = "", to: String = "[a, b]") throws -> [[String: Any]] {
            let file = try table.write(
                "p.yaml",
                """
                version: 1
                copies: \(copies)
                stages: [{ upload: { to: \(to) } }]
                targets:
                  a: { folder: { path: "\(table.path("a"))" } }
                  b: { folder: { path: "\(table.path("b"))" } }
                  \(extra)
                """)
            let check = try table.run(["check", file])
            #expect(check.status == 0, "\(check.output)")
            return check.items("diagnostic").filter { $0["code"] as? String == "too-few-places" }
        }
        let found = try warned(2)
        #expect(
            found.count == 1 && found.first?["line"] as? Int == 2 && found.first?["severity"] as? String == "warning")
        #expect((found.first?["message"] as? String)?.contains("on 1 device") == true)
        #expect(try warned(1).isEmpty)
        // A target elsewhere is one more place, but only where it is delivered to; a second one adds none.
        let c = "c: { http: { url: \"http://127.0.0.1:9/{name}\" } }"
        let d = "d: { http: { url: \"http://127.0.0.1:9/d/{name}\" } }"
        #expect(try warned(2, c, to: "[a, c]").isEmpty)
        #expect(try warned(2, c).count == 1)
        #expect(try warned(3, c + "\n  " + d, to: "[a, b, c, d]").count == 1)
        // The machine's memory is another device than its disk.
        let memory = "c: { folder: { path: /dev/shm/\(UUID().uuidString) } }"
        #expect(try warned(2, memory, to: "[a, b, c]").isEmpty)
    }

    /// Known files are not read again, but whether their copies are still there is looked at.
    @Test func removedCopiesAreToldByTheImport() throws {
        let table = try table()
        #expect(try table.importing().status == 0)
        let copy = table.archive + "/" + (try #require(table.files(table.archive).keys.sorted().first))
        try FileManager.default.removeItem(atPath: copy)
        let again = try Program.run(["import", table.card, "--to", table.archive, "--state", table.state])
        #expect(again.status == 0 && again.errors.contains("1 copy of known files not at"), "\(again.errors)")
        #expect(try table.importing().count("removed") == 1)
        #expect(try words(table).contains("import --again"))
    }

    /// Another import's copies are not asked for, and their loss is told all the same.
    @Test func aLossElsewhereIsToldBesideTheYes() throws {
        let table = try table()
        #expect(try table.importing().status == 0)
        #expect(try table.importing(["--again"], to: table.path("other")).status == 0)
        let copy = table.archive + "/" + (try #require(table.files(table.archive).keys.sorted().first))
        try FileManager.default.removeItem(atPath: copy)
        let answer = try ask(table)
        #expect(answer.status == 0 && answer.count("lost") == 1, "\(answer.output)")
        #expect(try words(table).contains("is missing or changed now"))
    }

    @Test func anEmptyFolderIsToldAndNothingIsKeptBelowTheKernelsOwn() throws {
        let table = try Table()
        try FileManager.default.createDirectory(atPath: table.card, withIntermediateDirectories: true)
        let empty = try Program.run(["import", table.card, "--to", table.archive, "--state", table.state])
        #expect(empty.status == 0 && empty.errors.contains("nothing was found to import"), "\(empty.errors)")
        try table.frames("CARD", count: 1, from: 1)
        let kernel = try table.importing(to: "/proc/filmgate")
        #expect(kernel.status == 2 && kernel.output.contains("keeps no files"), "\(kernel.output)")
    }
}

extension Table {
    /// Changes what the ledger says behind the program's back, as a disk or a run that was killed may.
    func editLedger(_ sql: String) throws {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        shell.arguments = [
            "python3", "-c", "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()",
            state + "/ledger.sqlite", sql,
        ]
        try shell.run()
        shell.waitUntilExit()
        try #require(shell.terminationStatus == 0)
    }
}
