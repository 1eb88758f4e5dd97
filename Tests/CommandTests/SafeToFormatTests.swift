import Foundation
import TestThreads
import Testing

@Suite(.ownThreads) struct SafeToFormatTests {
    /// A card that has been imported; its copy lies on the card's device, which tests must allow.
    private func imported() throws -> Table {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.importing().status == 0)
        return table
    }

    private func ask(_ table: Table, _ more: [String] = ["--allow", "same-device"]) throws -> Program.Outcome {
        try table.run(["safe-to-format", table.card] + more)
    }

    private func firstCopy(_ table: Table) throws -> String {
        table.archive + "/"
            + (try #require(table.files(table.archive).keys.filter { $0.hasSuffix(".JPG") }.sorted().first))
    }

    @Test func yesWhenEveryFileIsProven() throws {
        let answer = try ask(try imported())
        #expect(answer.status == 0)
        #expect(answer.summary["safe"] as? Bool == true)
        // The page watches these.
        let proven = answer.items().filter { $0["proof"] as? String == "proven" }
        #expect(!proven.isEmpty && proven.allSatisfy { ($0["copies"] as? [String])?.count == 1 })
    }

    /// The picture beside a sidecar is replaced: the new one's copy needs the sidecar as the old one's did.
    @Test(arguments: [false, true]) func aSidecarIsProvenBesideItsOwnPicture(isLate: Bool) throws {
        let table = try Table(), sidecar = "<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"
        #expect(try Program.run(["sample", "card", table.path("SAMPLE")]).status == 0)
        let taken = table.files(table.path("SAMPLE")).filter { $0.key.hasSuffix(".JPG") && $0.value.count > 10_000 }
            .sorted { $0.key < $1.key }.map(\.value)
        let frame = try table.write("CARD/DCIM/100TEST/IMG_0001.JPG", try #require(taken.first))
        try table.write("CARD/DCIM/100TEST/IMG_0001.xmp", sidecar)
        #expect(try table.importing().status == 0)
        #expect(try ask(table).status == 0)
        try FileManager.default.removeItem(atPath: frame)
        try table.write("CARD/DCIM/100TEST/IMG_0001.JPG", try #require(taken.last))
        // Some come later than their picture.
        let late = table.card + "/DCIM/100TEST/IMG_0001.xmp", away = table.path("late.xmp")
        if isLate {
            try FileManager.default.moveItem(atPath: late, toPath: away)
            #expect(try table.importing().status == 0)
            try FileManager.default.moveItem(atPath: away, toPath: late)
        }
        #expect(try ask(table).status == 8)
        #expect(try table.importing().status == 0)
        #expect(table.files(table.archive).keys.count { $0.hasSuffix(".xmp") } == 2)
        #expect(try ask(table).status == 0)
        let again = try table.importing()
        #expect(again.count("delivered") == 0 && again.count("bytes_read") == 0, "\(again.summary)")
    }

    @Test func noOnTheCardsOwnDevice() throws {
        let answer = try ask(try imported(), [])
        #expect(answer.status == 8)
        #expect(answer.items().contains { ($0["reason"] as? String ?? "").contains("own device") })
    }

    /// The card's own folder, mounted over another part of it: what lies below is on the card and cannot be seen.
    @Test(.enabled(if: Mounting.works)) func noForAPartThatIsMountedOver() throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.importing().status == 0)
        let hidden = table.card + "/DCIM/999HIDDN", shown = table.card + "/DCIM"
        let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: shown).sorted().first)
        try FileManager.default.createDirectory(atPath: hidden, withIntermediateDirectories: true)
        try Data("never ingested".utf8).write(to: URL(fileURLWithPath: hidden + "/IMG_9999.JPG"))
        try #require(Mounting.run("/usr/bin/mount", ["--bind", shown + "/" + folder, hidden]) == 0)
        defer { Mounting.run("/usr/bin/umount", [hidden]) }
        // All that can be seen is known.
        #expect(try table.importing().status == 0)
        let said = try table.run(["safe-to-format", table.card, "--allow", "same-device"])
        #expect(said.status == 8 && said.output.contains("something is mounted over this part"), "\(said.output)")
    }

    /// What was imported is the file that is mounted over the card's own.
    @Test(.enabled(if: Mounting.works)) func noForAFileThatIsMountedOver() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        let hidden = table.card + "/DCIM/100TEST/IMG_0001.JPG"
        let other = try table.write("other", "other bytes, of no picture")
        try #require(Mounting.run("/usr/bin/mount", ["--bind", other, hidden]) == 0)
        defer { Mounting.run("/usr/bin/umount", [hidden]) }
        #expect(try table.importing().status == 0)
        let said = try table.run(["safe-to-format", table.card, "--allow", "same-device"])
        #expect(said.status == 8 && said.output.contains("something is mounted over this part"), "\(said.output)")
    }

    @Test func noForAFlippedBit() throws {
        let table = try imported(), copy = try firstCopy(table)
        var data = try Data(contentsOf: URL(fileURLWithPath: copy))
        data[data.count / 2] ^= 1
        try data.write(to: URL(fileURLWithPath: copy))
        try expectNo(table, naming: (copy as NSString).lastPathComponent)
        #expect(try table.run(["verify", table.archive]).status == 6)
    }

    @Test func noForADeletedCopyWhichStaysDeletedUntilAskedFor() throws {
        let table = try imported(), copy = try firstCopy(table)
        try FileManager.default.removeItem(atPath: copy)
        try expectNo(table, naming: (copy as NSString).lastPathComponent)
        #expect(try ask(table).summary["removed"] as? Int == 1)
        #expect(try table.importing().count("delivered") == 0)
        #expect(!FileManager.default.fileExists(atPath: copy))
        #expect(try table.importing(["--again"]).count("delivered") == 1)
        #expect(FileManager.default.fileExists(atPath: copy))
        #expect(try ask(table).status == 0)
    }

    @Test func noForAFileThatNobodyKnows() throws {
        let table = try imported()
        try table.write("CARD/DCIM/100CANON/NOTES.QQQ", "unknown")
        try expectNo(table, naming: "NOTES.QQQ")
        try FileManager.default.removeItem(atPath: table.card + "/DCIM/100CANON/NOTES.QQQ")
        try table.write("CARD/DCIM/100CANON/.IMG_7777.JPG", Data([0xFF, 0xD8, 7, 0xFF, 0xD9]))
        try expectNo(table, naming: ".IMG_7777.JPG")
        try FileManager.default.removeItem(atPath: table.card + "/DCIM/100CANON/.IMG_7777.JPG")
        try table.write("CARD/DCIM/100CANON/IMG_9999.JPG", Data([0xFF, 0xD8, 9, 0xFF, 0xD9]))
        try expectNo(table, naming: "IMG_9999.JPG")
    }

    /// What waits in Filmgate's own staging on a disk that is used as a card may be nowhere else.
    @Test func noForWhatWaitsInOurOwnStaging() throws {
        let table = try imported()
        try table.write("CARD/.filmgate/staging/1a2b", Data([0xFF, 0xD8, 8, 0xFF, 0xD9]))
        try expectNo(table, naming: ".filmgate")
    }

    @Test func noForACardThatWasNeverImported() throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try ask(table).status == 8)
    }

    /// What one import ordered and could not do yet is not done because another one asked for less, or read another
    /// card.
    @Test func noForWhatAnEarlierImportLeftOpen() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        let gallery = try Gallery(table)
        let pipeline = try table.pipeline(gallery)
        gallery.stop()
        #expect(try table.deliver(pipeline, wait: "1s").status == 8)
        try expectNo(table, naming: "gallery: ")
        try FileManager.default.copyItem(atPath: table.card, toPath: table.path("SECOND"))
        #expect(try table.run(["import", table.path("SECOND"), "--to", table.path("other")]).status == 0)
        try expectNo(table, naming: "gallery: ")
        #expect(try table.importing(["--again"], to: table.path("other")).status == 0)
        try expectNo(table, naming: "gallery: ")
    }

    @Test func noForATargetOfThePipelineThatNeverGotIt() throws {
        let table = try imported()
        let more = try table.write(
            "two.yaml",
            """
            version: 1
            stages: [{ exif: {} }, { dedupe: {} }, { upload: { to: [archive, second] } }]
            targets:
              archive: { folder: { path: "\(table.archive)/{captured:yyyy}/{captured:yyyy-MM-dd}" } }
              second: { folder: { path: "\(table.path("second"))" } }
            """)
        let answer = try ask(table, ["--allow", "same-device", "--pipeline", more])
        #expect(answer.status == 8)
        #expect(answer.items().contains { ($0["reason"] as? String ?? "").contains("second: never delivered") })
        #expect(try ask(table).status == 0)
    }

    @Test func noForAFileThatAppearsMeanwhile() throws {
        let table = try imported(), clip = table.card + "/DCIM/100CANON/MVI_9000.MOV"
        // Takes a while to read and no room.
        #expect(FileManager.default.createFile(atPath: clip, contents: nil))
        try FileHandle(forWritingTo: URL(fileURLWithPath: clip)).truncate(atOffset: 3 << 30)
        let program = try Background([
            "safe-to-format", table.card, "--allow", "same-device", "--state", table.state, "--json",
        ])
        let files = "/proc/\(program.process.processIdentifier)/fd"
        let isReading = Background.within(seconds: 60) {
            let all = (try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []
            return all.contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\($0)")) == clip
            }
        }
        #expect(isReading)
        try table.write("CARD/DCIM/100CANON/IMG_7000.JPG", Data([0xFF, 0xD8, 7, 0xFF, 0xD9]))
        program.process.waitUntilExit()
        let answer = program.kill(0)
        #expect(answer.status == 8)
        #expect(answer.items().contains { ($0["reason"] as? String ?? "").contains("since reading began") })
    }

    @Test func emptyFilesAreExemptButNamed() throws {
        let table = try imported()
        try table.write("CARD/DCIM/100CANON/IMG_8888.JPG", Data())
        let answer = try ask(table)
        #expect(answer.status == 0)
        #expect(
            answer.items().contains {
                $0["proof"] as? String == "exempt" && ($0["path"] as? String ?? "").hasSuffix("IMG_8888.JPG")
            })
    }

    private func expectNo(_ table: Table, naming name: String) throws {
        let answer = try ask(table)
        #expect(answer.status == 8)
        let named = answer.items().filter { ["not_proven", "removed"].contains($0["proof"] as? String) }
        #expect(named.contains { "\($0["path"] ?? "") \($0["reason"] ?? "")".contains(name) })
    }
}
