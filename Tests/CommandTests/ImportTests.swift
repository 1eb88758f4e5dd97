import Foundation
import TestThreads
import Testing

@Suite(.ownThreads) struct ImportTests {
    @Test func everyFileOfTheSampleCardArrivesOnceAndWhole() throws {
        let table = try Table()
        try table.sampleCard()
        let run = try table.importing()
        #expect(run.status == 0)
        let buckets = ["delivered", "duplicate", "alreadySeen", "filtered", "setAside", "pending"].map(run.count)
        #expect(buckets.reduce(0, +) == run.count("seen"))
        #expect(run.items().count == run.count("seen"))
        let card = Set(
            table.files(table.card).filter {
                !$0.key.contains(".Trashes") && !$0.key.contains("._") && !$0.key.hasSuffix("Thumbs.db")
            }
            .values)
        let archive = table.files(table.archive)
        #expect(Set(archive.values) == card)
        #expect(archive.count == run.count("delivered"))
        #expect(!archive.keys.contains { $0.contains(".filmgate") || $0.hasSuffix(".part") })
    }

    @Test func theSecondTimeNothingIsRead() throws {
        let table = try Table()
        try table.sampleCard()
        let first = try table.importing(), second = try table.importing()
        #expect(second.status == 0)
        #expect(second.count("bytes_read") == 0)
        #expect(second.count("alreadySeen") == first.count("delivered") + first.count("duplicate"))
        #expect(
            second.items().filter { $0["ending"] as? String == "alreadySeen" }.allSatisfy {
                $0["twin"] as? String != nil
            })
        #expect(try table.importing(["--error-on-empty"]).status == 9)
    }

    /// They are told in lots, each while the next one is found.
    @Test func ofManyKnownFilesEachIsToldOnceBeforeTheSummary() throws {
        let table = try Table(), names = (0..<260).map { "IMG_\(1000 + $0).JPG" }
        for name in names { try table.write("CARD/DCIM/100TEST/" + name, name) }
        #expect(try table.importing().count("delivered") == names.count)
        for verb in ["import", "plan"] {
            let second = try table.run([verb, table.card, "--to", table.archive])
            let items = second.items(verb == "plan" ? "plan" : "item")
            let told = items.compactMap { $0["path"] as? String }
            #expect(told == names.map { "DCIM/100TEST/" + $0 })
            #expect(second.objects.count == names.count + 1 && second.objects.last?["type"] as? String == "summary")
            let twins = items.compactMap { $0["twin"] as? String }
            let receipts = items.compactMap { $0["receipts"] as? [String: [String: Any]] }
            #expect(twins.map { String($0.suffix(12)) } == names)
            #expect(receipts.compactMap { $0["to"]?["path"] as? String } == twins)
        }
    }

    @Test func aSecondFolderGetsEverythingAndTheFirstNothingAgain() throws {
        let table = try Table()
        try table.sampleCard()
        _ = try table.importing()
        let before = table.files(table.archive).keys.sorted()
        let backup = table.path("backup")
        let both = try table.importing(["--to", backup])
        #expect(both.status == 0)
        #expect(table.files(table.archive).keys.sorted() == before)
        #expect(table.files(backup).keys.sorted() == before)
        #expect(both.count("delivered") == before.count)
    }

    @Test func planSaysWhatTheRunThenDoes() throws {
        let table = try Table()
        try table.sampleCard()
        for _ in 0..<2 {
            let plan = try table.run(["plan", table.card, "--to", table.archive])
            let run = try table.importing()
            let planned = plan.items("plan").map(Self.row), done = run.items().map(Self.row)
            #expect(planned.sorted() == done.sorted())
            #expect(plan.status == 0)
        }
    }

    private static func row(_ item: [String: Any]) -> String {
        let receipts = item["receipts"] as? [String: [String: Any]] ?? [:]
        let places = receipts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value["path"] as? String ?? "")" }
        let ending = item["would"] as? String ?? item["ending"] as? String ?? ""
        return "\(item["path"] ?? "") \(ending) \(item["twin"] as? String ?? "") \(places)"
    }

    @Test func planWritesNothing() throws {
        let table = try Table()
        try table.sampleCard()
        _ = try table.run(["plan", table.card, "--to", table.archive])
        #expect(!FileManager.default.fileExists(atPath: table.archive))
        #expect(!FileManager.default.fileExists(atPath: table.state))
    }

    @Test func twinBodiesWithEqualNamesTimesAndSizesBothLive() throws {
        let table = try Table()
        for (folder, byte) in [("A", UInt8(1)), ("B", UInt8(2))] {
            try table.write(
                "CARD/DCIM/100\(folder)AAAA/IMG_0001.JPG",
                Data([0xFF, 0xD8] + [UInt8](repeating: byte, count: 500) + [0xFF, 0xD9]))
        }
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        for path in table.files(table.card).keys {
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: table.card + "/" + path)
        }
        let run = try table.importing()
        #expect(run.count("delivered") == 2)
        #expect(
            table.files(table.archive).keys.map { ($0 as NSString).lastPathComponent }.sorted() == [
                "IMG_0001-2.JPG", "IMG_0001.JPG",
            ])
    }

    @Test func aFormattedCardWithAResetCounterLosesNothing() throws {
        let table = try Table()
        let name = "CARD/DCIM/100AAAAA/IMG_0001.JPG"
        try table.write(name, Data([0xFF, 0xD8, 1, 0xFF, 0xD9]))
        #expect(try table.importing().count("delivered") == 1)
        try FileManager.default.removeItem(atPath: table.card)
        try table.write(name, Data([0xFF, 0xD8, 2, 0xFF, 0xD9]))
        let second = try table.importing()
        #expect(second.count("delivered") == 1)
        #expect(table.files(table.archive).count == 2)
    }

    @Test func usageMistakesEndWithTwo() throws {
        let table = try Table()
        #expect(try table.run(["import"]).status == 2)
        #expect(try table.run(["import", table.card]).status == 2)
        #expect(try table.run(["import", table.card, "--to", table.archive]).status == 5)
        try table.sampleCard()
        #expect(try table.run(["import", table.card, "--to", table.card + "/inside"]).status == 2)
        #expect(try table.run(["import", table.card, "--to", table.root.path]).status == 2)
        #expect(try table.run(["nonsense"]).status == 2)
    }

    @Test func aSecondWriterIsRefusedWithTen() throws {
        let table = try Table()
        try table.sampleCard()
        try FileManager.default.createDirectory(
            atPath: table.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        _ = try table.importing()
        let lock = open(table.state + "/lock", O_RDWR)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        #expect(try table.importing().status == 10)
        #expect(try table.run(["status"]).status == 0)
    }
}
