import Foundation
import TestThreads
import Testing

/// Clip trees and shots below a folder for each day.
@Suite(.ownThreads) struct ClipTreeRunTests {
    private func clip(_ table: Table, _ path: String, day: Int, _ bytes: String = "") throws {
        let file = try table.write(path, path + bytes)
        let date = Date(timeIntervalSince1970: 1_772_366_400 + Double(day) * 86_400)  // 2026-03-01 12:00 UTC
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
    }

    private func card(_ table: Table, _ card: String, from day: Int, _ bytes: String = "") throws {
        let tree = card + "/PRIVATE/M4ROOT"
        try clip(table, card + "/PRIVATE/AVCHD/BDMV/INDEX.BDM", day: 20, bytes)
        for (index, name) in ["C0001", "C0002"].enumerated() {
            try clip(table, "\(tree)/CLIP/\(name).MP4", day: day + index, bytes)
            try clip(table, "\(tree)/CLIP/\(name)M01.XML", day: day + index, bytes)
            try clip(table, "\(tree)/THMBNL/\(name)T01.JPG", day: day + index, bytes)
        }
        try clip(table, "\(tree)/MEDIAPRO.XML", day: 21, bytes)
    }

    private func rows(_ items: [[String: Any]]) -> [String] {
        items.map { item in
            let receipts = item["receipts"] as? [String: [String: Any]] ?? [:]
            return
                "\(item["path"] ?? "") \(item["would"] ?? item["ending"] ?? "") \(receipts.values.map { $0["path"] as? String ?? "" })"
        }.sorted()
    }

    private func importing(_ table: Table, _ card: String) throws -> Program.Outcome {
        let words = [table.path(card), "--to", table.archive, "--verify", "size"], zone = ["TZ": "UTC"]
        let plan = try table.run(["plan"] + words, environment: zone)
        let run = try table.run(["import"] + words, environment: zone)
        #expect(run.status == 0 && rows(plan.items("plan")) == rows(run.items()))
        return run
    }

    @Test func aTreeLiesInTheFolderOfItsFirstClip() throws {
        let table = try Table()
        try card(table, "one/CARD", from: 0)
        try clip(table, "one/CARD/DCIM/100AAAAA/IMG_1.JPG", day: 3)
        #expect(try importing(table, "one/CARD").count("delivered") == 9)
        let first = "2026/2026-03-01/CARD/", inner = ["AVCHD/BDMV/INDEX.BDM", "M4ROOT/MEDIAPRO.XML"]
        let clips = [
            "CLIP/C0001.MP4", "CLIP/C0002.MP4", "CLIP/C0001M01.XML", "CLIP/C0002M01.XML", "THMBNL/C0001T01.JPG",
            "THMBNL/C0002T01.JPG",
        ]
        var expected = Set((inner + clips.map { "M4ROOT/" + $0 }).map { first + $0 } + ["2026/2026-03-04/IMG_1.JPG"])
        #expect(Set(table.files(table.archive).keys) == expected)

        // The card goes on being filled: new clips join, and the index that was written again gets a folder beside.
        try clip(table, "one/CARD/PRIVATE/M4ROOT/CLIP/C0003.MP4", day: 5)
        try clip(table, "one/CARD/PRIVATE/M4ROOT/CLIP/C0002M01.XML", day: 6, "edited")
        try clip(table, "one/CARD/PRIVATE/M4ROOT/MEDIAPRO.XML", day: 22, "longer")
        let again = try importing(table, "one/CARD")
        #expect(again.count("delivered") == 3 && again.count("alreadySeen") == 7)
        expected.insert(first + "M4ROOT/CLIP/C0003.MP4")
        for name in ["MEDIAPRO.XML", "CLIP/C0002M01.XML"] { expected.insert("2026/2026-03-01/CARD-2/M4ROOT/" + name) }
        #expect(Set(table.files(table.archive).keys) == expected)
        #expect(try importing(table, "one/CARD").count("alreadySeen") == 10)
    }

    @Test func twoCardsOfOneNameAreNotMixed() throws {
        let table = try Table()
        try card(table, "one/CARD", from: 0)
        try card(table, "two/CARD", from: 0, "two")
        try clip(table, "two/CARD/PRIVATE/M4ROOT/CLIP/C0009.MP4", day: 1)
        _ = try importing(table, "one/CARD")
        #expect(try importing(table, "two/CARD").count("delivered") == 9)
        let second = table.files(table.archive).keys.filter { $0.hasPrefix("2026/2026-03-01/CARD-2/") }
        #expect(second.count == 9 && table.files(table.archive).count == 17)
        try clip(table, "two/CARD/PRIVATE/M4ROOT/CLIP/C0010.MP4", day: 9)
        _ = try importing(table, "two/CARD")
        #expect(table.files(table.archive).keys.contains("2026/2026-03-01/CARD-2/M4ROOT/CLIP/C0010.MP4"))
    }

    /// Indexes that a camera formatted both cards with, some of them empty, and clips of their own but for one.
    private func alike(_ table: Table, _ card: String, _ own: String) throws {
        let tree = card + "/PRIVATE/M4ROOT"
        try clip(table, tree + "/CLIP/C0001.MP4", day: 0, own)
        try clip(table, tree + "/CLIP/C0002.MP4", day: 0, own)
        for name in ["MEDIAPRO.XML", "STATUS.BIN", "GENERAL/A.DAT", "GENERAL/B.DAT"] {
            try table.write("\(tree)/\(name)", name.hasSuffix("DAT") ? "" : "index")
        }
        try table.write(tree + "/CLIP/C0007.MP4", "slate")
    }

    private func trees(_ table: Table) -> [String: Int] {
        Dictionary(grouping: table.files(table.archive).keys) { String($0.split(separator: "/")[2]) }.mapValues(\.count)
    }

    @Test func everyTreeHasItsIndexesThoughTheirBytesAreEqual() throws {
        let table = try Table()
        for (card, own) in [("one/CARD", "one"), ("two/CARD", "two"), ("three/OTHER", "three")] {
            try alike(table, card, own)
        }
        #expect(try importing(table, "one/CARD").count("delivered") == 7)
        // Equal clips are duplicates, here as anywhere.
        for card in ["two/CARD", "three/OTHER"] {
            let run = try importing(table, card)
            #expect(run.count("delivered") == 6 && run.count("duplicate") == 1, "\(run.output)")
        }
        #expect(trees(table) == ["CARD": 7, "CARD-2": 6, "OTHER": 6])
        for card in ["one/CARD", "two/CARD", "three/OTHER"] {
            #expect(try importing(table, card).count("alreadySeen") == 7)
            #expect(try table.run(["safe-to-format", table.path(card), "--allow", "same-device"]).status == 0)
        }

        // A dump of the first, and a card whose camera wrote its index again and whose first clip was deleted on it:
        // nothing new.
        try FileManager.default.createDirectory(atPath: table.path("dump"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: table.path("one/CARD"), toPath: table.path("dump/CARD"))
        #expect(try importing(table, "dump/CARD").count("duplicate") == 7)
        let tree = "two/CARD/PRIVATE/M4ROOT"
        try clip(table, tree + "/EXTRA.DAT", day: 0)
        try FileManager.default.removeItem(atPath: table.path(tree + "/CLIP/C0001.MP4"))
        for name in ["MEDIAPRO.XML", "STATUS.BIN"] { try table.write("\(tree)/\(name)", "index") }
        let again = try importing(table, "two/CARD")
        #expect(
            again.count("delivered") == 1 && again.count("duplicate") == 2 && again.count("alreadySeen") == 4,
            "\(again.output)")
        #expect(trees(table) == ["CARD": 7, "CARD-2": 7, "OTHER": 6])
    }

    /// Two at once, one after the other on the same day, and the order in which they are named.
    @Test func twoCardsOfOneRunHaveWholeTrees() throws {
        let table = try Table()
        try alike(table, "one/CARD", "one")
        try alike(table, "two/CARD", "two")
        let words = [
            "import", table.path("one/CARD"), table.path("two/CARD"), "--to", table.archive, "--verify", "size",
        ]
        let run = try table.run(words, environment: ["TZ": "UTC"])
        #expect(run.count("delivered") == 13 && run.count("duplicate") == 1)
        #expect(trees(table) == ["CARD": 7, "CARD-2": 6])
        #expect(try table.run(words, environment: ["TZ": "UTC"]).count("alreadySeen") == 14)
    }

    /// Nothing but a header with its time, which counts UTC.
    private func movie(at seconds: UInt32) -> Data {
        func box(_ name: String, _ body: [UInt8]) -> [UInt8] { bytes(UInt32(body.count + 8)) + Array(name.utf8) + body }
        func bytes(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        let time = bytes(seconds + 2_082_844_800)
        let header = bytes(0) + time + time + bytes(1000) + bytes(1000) + [UInt8](repeating: 0, count: 80)
        return Data(
            box("ftyp", Array("isom".utf8) + bytes(0)) + box("moov", box("mvhd", header)) + box("mdat", [1, 2, 3]))
    }

    /// Movies count UTC; what the ledger remembers of one is read the same way as the movie itself.
    @Test func aSidecarThatComesLaterLiesBesideItsMovie() throws {
        let table = try Table()
        try table.write("CARD/DCIM/100AAAAA/CLIP_1.MP4", movie(at: 1_772_366_400))
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            stages: [{ exif: {} }, { dedupe: {} }, { upload: { to: [one] } }]
            targets: { one: { folder: { path: "\(table.archive)/{captured:yyyy-MM-dd-HHmm}", verify: size } } }
            """)
        let words = ["import", table.card, "--pipeline", pipeline], zone = ["TZ": "Asia/Tokyo"]
        #expect(try table.run(words, environment: zone).items().first?["flags"] as? [String] == ["zone-assumed"])
        try table.write("CARD/DCIM/100AAAAA/CLIP_1.XMP", "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>")
        #expect(try table.run(words, environment: zone).count("delivered") == 1)
        #expect(Set(table.files(table.archive).keys) == ["2026-03-01-2100/CLIP_1.MP4", "2026-03-01-2100/CLIP_1.XMP"])
    }
}
