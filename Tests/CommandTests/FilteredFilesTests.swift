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
}
