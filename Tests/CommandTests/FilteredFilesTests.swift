import Foundation
import TestThreads
import Testing

/// What no target takes is read once, and again only when the rules have changed.
@Suite(.ownThreads) struct FilteredFilesTests {
    private func pipeline(_ table: Table, select: String = "", profile: String = "") throws -> String {
        try table.write(
            "p.yaml",
            """
            version: 1
            profiles:
              - match: {}
            \(profile)
            stages:
              - exif: {}
            \(select)
              - dedupe: {}
              - upload: { to: [one] }
            targets:
              one: { folder: { path: "\(table.archive)/{kind}" } }
            """)
    }

    @Test(arguments: [
        ("  - select: { accept: [jpeg] }", "    photographer: Ann"), ("", "    accept: [jpeg]"),
        ("", "    deliver: { one: [jpeg] }"),
    ]) func theyAreNotReadTwice(select: String, profile: String) throws {
        let table = try Table()
        for (index, name) in ["IMG_1.JPG", "IMG_2.JPG", "IMG_3.MP4", "IMG_4.HEIC"].enumerated() {
            try table.write("CARD/DCIM/100AAAAA/\(name)", Data(repeating: UInt8(index), count: 5000 + index))
        }
        let rules = try pipeline(table, select: select, profile: profile)
        let arguments = ["import", table.card, "--pipeline", rules]
        let first = try table.run(arguments), second = try table.run(arguments)
        #expect(first.status == 0 && first.count("delivered") == 2 && first.count("filtered") == 2)
        #expect(second.status == 0 && second.count("alreadySeen") == 2 && second.count("filtered") == 2)
        func reasons(_ run: Program.Outcome) -> [String] {
            run.items().filter { $0["ending"] as? String == "filtered" }.map {
                "\($0["path"] ?? "") \($0["reason"] ?? "")"
            }.sorted()
        }
        #expect(reasons(first) == reasons(second))
        #expect(second.count("bytes_read") == 0)
        _ = try pipeline(table, profile: "    photographer: Ann")
        let third = try table.run(arguments)
        #expect(third.count("delivered") == 2 && third.count("alreadySeen") == 2)
    }

    /// A picture that nobody takes because of its name is lost when the card is formatted: the import says so, and how
    /// it is taken.
    @Test(arguments: [true, false]) func picturesUnderNamesOfJunkAreTold(isPlan: Bool) throws {
        let table = try Table(), picture = Data([0xFF, 0xD8, 0xFF, 0xE0, 9, 0xFF, 0xD9])
        try table.frames("CARD", count: 1, from: 1)
        for name in ["DCIM/100TEST/._IMG_0099.JPG", "DCIM/100TEST/A.CTG", ".Trashes/501/IMG_7.JPG"] {
            try table.write("CARD/" + name, picture + Data(name.utf8))
        }
        // What these names stand for.
        try table.write("CARD/DCIM/100TEST/._IMG_0001.JPG", Data([0, 5, 0x16, 7, 0, 2, 0, 0]))
        try table.write("CARD/DCIM/100TEST/B.CTG", "catalogue")
        try table.write("CARD/.Trashes/501/notes.txt", "words")
        let words = [isPlan ? "plan" : "import", table.card, "--to", table.archive, "--state", table.state]
        let run = try Program.run(words), said = isPlan ? run.output : run.errors
        let names = "DCIM/100TEST/._IMG_0099.JPG, DCIM/100TEST/A.CTG"
        #expect(said.contains("left: 2 pictures under names of junk: \(names). Rename them (`mv`)"), "\(said)")
        let trash = "left: 1 picture, 29 B, in folders that are not looked into: .Trashes/501/IMG_7.JPG. Move"
        #expect(said.contains(trash), "\(said)")
        guard !isPlan else { return }
        for (old, new) in [("._IMG_0099.JPG", "IMG_0099.JPG"), ("A.CTG", "IMG_0098.JPG")] {
            let folder = table.card + "/DCIM/100TEST/"
            try FileManager.default.moveItem(atPath: folder + old, toPath: folder + new)
        }
        try FileManager.default.removeItem(atPath: table.card + "/.Trashes/501/IMG_7.JPG")
        let again = try Program.run(words)
        #expect(again.output.contains("2 delivered"), "\(again.output)")
        #expect(!again.errors.contains("left: "), "\(again.errors)")
        // Programs read what people do elsewhere.
        #expect(try table.importing().output.split(separator: "\n").allSatisfy { $0.hasPrefix("{") })
    }
}
