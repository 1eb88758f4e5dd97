import Foundation
import TestThreads
import Testing

/// A source inside a destination, or around it, would take what it delivered.
@Suite(.ownThreads) struct OverlapTests {
    private static let jpeg = Data([0xFF, 0xD8] + [UInt8](repeating: 7, count: 40) + [0xFF, 0xD9])

    private func pipeline(_ table: Table, _ source: String, to target: String) throws -> String {
        try table.write(
            "p.yaml",
            """
            version: 1
            sources:
              - \(source)
            stages: [{ dedupe: {} }, { upload: { to: [a] } }]
            targets:
              a: { folder: { path: "\(target)", name: "{name}" } }
            """)
    }

    @Test func checkShowsWhereTheFileSaysBoth() throws {
        let table = try Table(), card = table.path("CARD")
        try table.write("CARD/DCIM/100AAAAA/IMG_1.JPG", Self.jpeg)
        try FileManager.default.createSymbolicLink(atPath: table.path("way"), withDestinationPath: card)
        let cases: [(source: String, target: String, column: Int?)] = [
            ("card: { paths: [/nowhere/at/all, \(card)] }", "\(card)/out/{event}", 38),
            ("folder: { path: \(card) }", "\(card)/out", 21), ("folder: { path: \(card)/hot }", card, 21),
            ("folder: { path: \(card), take: inplace }", card, 21),
            ("folder: { path: \(table.path("way")) }", "\(card)/out", 21),
            ("folder: { path: \(card) }", table.path("way") + "/new/{event}", 21),
            ("folder: { path: \(table.path("x")) }", table.path("x") + "/y", 21),
            ("folder: { path: \(card) }", card + "-copies", nil),
            ("card: { paths: [\(table.root.path)/C*] }", "\(card)/out", nil), ("card: {}", card, nil),
        ]
        for (source, target, column) in cases {
            let check = try table.run(["check", try pipeline(table, source, to: target)])
            let found = check.items("diagnostic").filter { $0["code"] as? String == "overlap" }
            #expect(
                found.count == (column == nil ? 0 : 1) && check.status == (column == nil ? 0 : 78),
                "\(source) \(target)")
            #expect(
                found.first?["line"] as? Int == (column == nil ? nil : 3) && found.first?["column"] as? Int == column,
                "\(source)")
        }
    }

    @Test func nothingIsReadOrWritten() throws {
        let table = try Table()
        try table.write("CARD/DCIM/100AAAAA/IMG_1.JPG", Self.jpeg)
        try FileManager.default.createSymbolicLink(atPath: table.path("way"), withDestinationPath: table.card)
        for verb in ["import", "plan"] {
            for (card, to) in [
                (table.card, table.card + "/out"), (table.path("way"), table.card + "/out"),
                (table.card, table.path("way") + "/out"), (table.card + "/DCIM", table.card), (table.card, table.card),
                (table.card + "/DCIM/100AAAAA/IMG_1.JPG", table.card),
            ] {
                let outcome = try table.run([verb, card, "--to", to])
                #expect(outcome.status == 2 && outcome.count("seen") == 0, "\(verb) \(card) \(to)")
                #expect(outcome.items("error").first?["code"] as? String == "misconfigured")
            }
        }
        for verb in [
            ["run", "--once"], ["watch", table.card, "--once", "--pipeline"], ["import", table.card, "--pipeline"],
        ] {
            let file = try pipeline(table, "folder: { path: \(table.card) }", to: table.card + "/out")
            #expect(try table.run(verb + [file]).status == 2, "\(verb)")
        }
        #expect(Set(table.files(table.card).keys) == ["DCIM/100AAAAA/IMG_1.JPG"])
    }

    /// Two copies of which one is a part of the other.
    @Test func aDestinationInsideAnotherIsRefused() throws {
        let table = try Table()
        try table.write("CARD/DCIM/100AAAAA/IMG_1.JPG", Self.jpeg)
        try table.write("T/keep.txt", "x")
        try FileManager.default.createSymbolicLink(atPath: table.path("way"), withDestinationPath: table.path("T"))
        for (one, other) in [("T", "T/sub"), ("T/sub", "T"), ("way/sub", "T"), ("new", "new/sub")] {
            let run = try table.run(["import", table.card, "--to", table.path(one), "--to", table.path(other)])
            let message = run.items("error").first?["message"] as? String ?? ""
            #expect(
                run.status == 2 && run.count("seen") == 0 && message.contains("/sub lies inside --to "),
                "\(one) \(other): \(message)")
        }
        #expect(table.files(table.path("T")).keys.sorted() == ["keep.txt"] && table.files(table.path("new")).isEmpty)
        let beside = try table.run(["import", table.card, "--to", table.path("T"), "--to", table.path("T-2")])
        #expect(beside.status == 0 && beside.count("delivered") == 1)
    }

    /// One picture of a folder is not the folder.
    @Test func aSingleFileIsTakenFromAroundItsDestination() throws {
        let table = try Table()
        let file = try table.write("home/IMG_1.JPG", Self.jpeg)
        try table.write("home/IMG_2.JPG", Self.jpeg + [1])
        let run = try table.run(["import", file, "--to", table.path("home/Pictures")])
        #expect(run.status == 0 && run.count("delivered") == 1 && run.count("seen") == 1)
    }

    /// `/media/*/*` finds the disk of the copies too.
    @Test(arguments: [["import"], ["plan"], ["run", "--once"]])
    func aDiskThatAPatternFindsAndThatHoldsTheTargetIsLeftOut(
        _ verb: [String]
    ) throws {
        let table = try Table()
        try table.write("media/CARD/DCIM/100AAAAA/IMG_1.JPG", Self.jpeg)
        try table.write("media/BACKUP/DCIM/100AAAAA/IMG_2.JPG", Self.jpeg + [1])
        let file = try pipeline(
            table, "card: { paths: [\"\(table.path("media"))/*\"] }", to: table.path("media/BACKUP/out"))
        let run = try table.run(verb == ["run", "--once"] ? verb + [file] : verb + ["--pipeline", file])
        #expect(run.status == 0 && run.count("seen") == 1 && run.count("delivered") == 1, "\(run.output)")
        #expect(
            run.items("error").count == 1
                && (run.items("error").first?["message"] as? String)?.contains("BACKUP") == true)
        // One that lies around the cards is a mistake.
        let wrong = try pipeline(table, "card: { paths: [\"\(table.path("media"))/*\"] }", to: table.path("media"))
        #expect(try table.run(verb == ["run", "--once"] ? verb + [wrong] : verb + ["--pipeline", wrong]).status == 2)
    }
}
