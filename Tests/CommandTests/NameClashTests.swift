import Foundation
import TestThreads
import Testing

/// Names that clash, or only would where the copies end up.
@Suite(.ownThreads) struct NameClashTests {
    private static func jpeg(_ byte: UInt8) -> Data {
        Data([0xFF, 0xD8] + [UInt8](repeating: byte, count: 40) + [0xFF, 0xD9])
    }

    private func rows(_ items: [[String: Any]]) -> [String] {
        items.map { item in
            let receipts = item["receipts"] as? [String: [String: Any]] ?? [:]
            let places = receipts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value["path"] as? String ?? "")" }
            return "\(item["path"] ?? "") \(item["would"] as? String ?? item["ending"] as? String ?? "") \(places)"
        }.sorted()
    }

    /// All files have one date, and so one folder.
    private func date(_ table: Table, _ folder: String) throws {
        for path in table.files(table.path(folder)).keys {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)],
                ofItemAtPath: table.path(folder) + "/" + path)
        }
    }

    @Test func caseTwinsOfTwoCardsAreNotOneFileOnAnyDisk() throws {
        let table = try Table()
        try table.write("A/DCIM/100AAAAA/img_7.jpg", Self.jpeg(1))
        try table.write("B/DCIM/100AAAAA/IMG_7.JPG", Self.jpeg(2))
        for card in ["A", "B"] {
            try date(table, card)
            let plan = try table.run(["plan", table.path(card), "--to", table.archive])
            let run = try table.run(["import", table.path(card), "--to", table.archive])
            #expect(run.status == 0 && run.count("delivered") == 1)
            #expect(rows(plan.items("plan")) == rows(run.items()))
        }
        let names = table.files(table.archive).keys.map { ($0 as NSString).lastPathComponent }
        #expect(names.sorted() == ["IMG_7-2.JPG", "img_7.jpg"])
        // The same bytes at their name are the same file still, also for a ledger that has never seen them.
        let again = try table.run(["import", table.path("B"), "--to", table.archive])
        #expect(again.count("alreadySeen") == 1)
    }

    @Test func caseTwinsOfOneCardAreNamedAsThePlanSaid() throws {
        let table = try Table()
        try table.write("CARD/DCIM/100AAAAA/img_7.jpg", Self.jpeg(1))
        try table.write("CARD/DCIM/200AAAAA/IMG_7.JPG", Self.jpeg(2))
        for index in 10..<90 { try table.write("CARD/DCIM/100AAAAA/IMG_\(index).JPG", Self.jpeg(UInt8(index))) }
        try date(table, "CARD")
        let plan = try table.run(["plan", table.card, "--to", table.archive]), run = try table.importing()
        #expect(rows(plan.items("plan")) == rows(run.items()))
        let names = table.files(table.archive).keys.map { $0.lowercased() }
        #expect(Set(names).count == 82)
    }

    /// Two programs wrote the same words beside one picture, each under its own form of name.
    @Test func equalSidecarsUnderBothFormsOfNameAreNotLost() throws {
        let table = try Table(), words = "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>"
        try table.write("CARD/DCIM/100AAAAA/IMG_1.NEF", Self.jpeg(1))
        for name in ["IMG_1.xmp", "IMG_1.NEF.xmp"] { try table.write("CARD/DCIM/100AAAAA/\(name)", Data(words.utf8)) }
        try date(table, "CARD")
        let run = try table.importing()
        #expect(run.status == 0 && run.count("seen") == 3, "\(run.output)")
        let names = table.files(table.archive).keys.map { ($0 as NSString).lastPathComponent }.sorted()
        let duplicates = run.items().filter { $0["ending"] as? String == "duplicate" }.compactMap {
            $0["path"] as? String
        }
        // Each is there under its own name, or said to be the other's twin.
        #expect(names.count + duplicates.count == 3 && names.contains("IMG_1.NEF"), "\(names) \(duplicates)")
        #expect(try table.run(["safe-to-format", table.card, "--allow", "same-device"]).status == 0)
        // Nothing new for a second import.
        #expect(try table.importing().count("delivered") == 0)
    }

    @Test func takenNamesOf255BytesGetASuffixToo() throws {
        let table = try Table()
        let long = String(repeating: "a", count: 251) + ".JPG", cased = String(repeating: "A", count: 251) + ".jpg"
        for (index, name) in ["1/\(long)", "2/\(long)", "3/\(cased)", "4/IMG_1.JPG"].enumerated() {
            try table.write("CARD/DCIM/\(name)", Self.jpeg(UInt8(index + 1)))
        }
        try date(table, "CARD")
        let plan = try table.run(["plan", table.card, "--to", table.archive]), run = try table.importing()
        #expect(run.status == 0 && run.count("delivered") == 4)
        #expect(rows(plan.items("plan")) == rows(run.items()))
        let names = table.files(table.archive).keys.map { ($0 as NSString).lastPathComponent }.sorted()
        let cut = String(repeating: "a", count: 249)
        #expect(names == [String(repeating: "A", count: 249) + "-3.jpg", "IMG_1.JPG", long, cut + "-2.JPG"].sorted())
    }

    private func taking(_ table: Table, name: String) throws -> Program.Outcome {
        for index in 1...9 { try table.write("CARD/DCIM/\(index)00AAAAA/IMG_\(index).JPG", Self.jpeg(UInt8(index))) }
        try date(table, "CARD")
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            stages:
              - dedupe: {}
              - upload: { to: [one] }
            targets:
              one: { folder: { path: "\(table.archive)/{kind}", name: "\(name)" } }
            """)
        let plan = try table.run(["plan", table.card, "--pipeline", pipeline])
        let run = try table.run(["import", table.card, "--pipeline", pipeline])
        #expect(rows(plan.items("plan")) == rows(run.items()))
        return run
    }

    @Test func aFileThatNoNameIsFreeForIsSetAsideByItself() throws {
        let run = try taking(try Table(), name: String(repeating: "x", count: 255) + "{name}")
        #expect(run.status == 3 && run.count("delivered") == 1 && run.count("setAside") == 8)
        #expect(run.items().allSatisfy { ($0["reason"] as? String)?.contains("free name") != false })
    }

    /// Nine frames of one second, named by the time.
    @Test func namesByTimeAreSuffixedToo() throws {
        let table = try Table()
        let run = try taking(table, name: "{captured:yyyyMMdd-HHmmss}.{ext}")
        #expect(run.status == 0 && run.count("delivered") == 9)
        let names = table.files(table.archive).keys.map { ($0 as NSString).lastPathComponent }
        #expect(
            Set(names.map { $0.split(separator: "-").count }) == [2, 3]
                && names.filter { $0.hasSuffix("-9.JPG") }.count == 1, "\(names)")
    }

    /// The same folder, mounted a second time: one copy would count as two.
    @Test(.enabled(if: Mounting.works), arguments: ["", "/new"]) func oneFolderIsNamedOnceByAnyWay(
        _ below: String
    ) throws {
        let table = try Table()
        try table.write("CARD/DCIM/100AAAAA/IMG_1.JPG", Self.jpeg(1))
        let twin = table.path("twin")
        for folder in [table.archive, twin] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try #require(Mounting.run("/usr/bin/mount", ["--bind", table.archive, twin]) == 0)
        defer { Mounting.run("/usr/bin/umount", [twin]) }
        let run = try table.importing(["--to", twin + below], to: table.archive + below)
        #expect(run.status == 2 && run.items("error").first?["message"] as? String != nil)
        #expect(table.files(table.archive).isEmpty)
        #expect(try table.importing(["--to", twin + "/other"], to: table.archive + "/one").status == 0)
    }

    @Test func oneFolderIsNamedOnce() throws {
        let table = try Table()
        try table.write("CARD/DCIM/100AAAAA/IMG_1.JPG", Self.jpeg(1))
        let link = table.path("link")
        try FileManager.default.createDirectory(atPath: table.archive, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: table.archive)
        for twin in [table.archive, table.archive + "/.", link] {
            let run = try table.importing(["--to", twin])
            #expect(run.status == 2 && run.items("error").first?["message"] as? String != nil, "\(twin)")
        }
        #expect(table.files(table.archive).isEmpty)
        func pipeline(_ second: String, _ rules: String = "") throws -> String {
            try table.write(
                "p.yaml",
                """
                version: 1
                sources: [{ card: {} }]
                stages: [{ dedupe: {} }, { upload: { to: [a, b]\(rules) } }]
                targets:
                  a: { folder: { path: "\(table.archive)/{kind}" } }
                  b: { folder: { path: "\(second)" } }
                """)
        }
        let check = try table.run(["check", try pipeline(link + "/{kind}")])
        #expect(check.status == 78)
        #expect(
            check.items("diagnostic").contains { $0["code"] as? String == "same-folder" && $0["line"] as? Int == 6 })
        // Two trees that differ only behind a variable are one target: the second would get nothing.
        let other = try pipeline(link + "/{stem}"), run = try table.run(["import", table.card, "--pipeline", other])
        #expect(try table.run(["check", other]).status == 78 && run.status == 2)
        #expect(run.output.contains("differ only behind the first variable"), "\(run.output)")
        for rules in ["a: [raw], b: [jpeg]", "a: { formats: [cr2] }, b: { formats: [jpg, tif] }"] {
            #expect(try table.run(["check", try pipeline(link + "/{stem}", ", deliver: { \(rules) }")]).status == 0)
        }
        // What waits goes on: what a run keeps of a pipeline does not hold its rules.
        let apart = try pipeline(link + "/{stem}", ", deliver: { a: [jpeg], b: [raw] }")
        #expect(try table.run(["import", table.card, "--pipeline", apart]).status == 0)
        #expect(try table.run(["retry"]).status == 0)
        let same = try pipeline(link + "/{stem}", ", deliver: { a: { formats: [jpeg] }, b: { formats: [jpg] } }")
        #expect(try table.run(["check", same]).status == 78)
        #expect(try table.run(["check", try pipeline(link + "/b/{stem}")]).status == 0)
    }

    /// Last year lies on another disk: what cannot have its name there can be sent, or taken back, afterwards.
    @Test(arguments: [true, false]) func whatCannotHaveItsNameWaitsForRetryOrCancel(_ retries: Bool) throws {
        let table = try Table()
        for number in 1...3 { try table.write("CARD/DCIM/100AAAAA/IMG_\(number).JPG", Self.jpeg(UInt8(number))) }
        let (second, elsewhere) = (table.path("second"), table.path("elsewhere"))
        for folder in [second, elsewhere] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(atPath: second + "/x", withDestinationPath: elsewhere)
        let pipeline = try table.write(
            "p.yaml",
            """
            version: 1
            stages: [{ dedupe: {} }, { upload: { to: [a, b] } }]
            targets:
              a: { folder: { path: "\(table.archive)" } }
              b: { folder: { path: "\(second)/{event}" } }
            """)
        let words = ["import", table.card, "--pipeline", pipeline, "--event", "x"]
        #expect(try table.run(words + ["--dry-run"]).count("setAside") == 3)
        let run = try table.run(words)
        #expect(run.status == 3 && run.count("setAside") == 3, "\(run.output)")
        try FileManager.default.removeItem(atPath: second + "/x")
        if retries {
            #expect(try table.run(["retry", "--failed", "--pipeline", pipeline]).count("delivered") == 3)
            #expect(table.files(second + "/x").keys.sorted() == ["IMG_1.JPG", "IMG_2.JPG", "IMG_3.JPG"])
        } else {
            #expect(try table.run(["cancel", "--yes", "--target", "b"]).status == 0)
        }
        let proof = try table.run(["safe-to-format", table.card, "--allow", "same-device"])
        #expect(proof.status == 0, "\(proof.output)")
    }
}
