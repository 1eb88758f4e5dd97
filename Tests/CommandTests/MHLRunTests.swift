import Foundation
import Synchronization
import TestThreads
import Testing

/// An ASC MHL history over runs that were killed.
@Suite(.ownThreads) struct MHLRunTests {
    private func history(_ table: Table) -> String {
        table.files(table.archive + "/ascmhl").filter { $0.key.hasSuffix(".mhl") }.map {
            String(decoding: $0.value, as: UTF8.self)
        }
        .joined()
    }

    @Test func whatTheLedgerKnowsIsInTheHistoryAfterTheNextRun() throws {
        let table = try Table()
        try table.sampleCard()
        let other = table.path("other")
        #expect(try table.run(["import", table.card, "--to", other]).status == 0)
        // Killed after the first file had its name: it stands there, and nobody knows of it.
        let placed = try #require(table.files(other).keys.sorted().first { $0.hasSuffix(".JPG") })
        let place = URL(fileURLWithPath: table.archive + "/" + placed)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: other + "/" + placed, toPath: place.path)
        try FileManager.default.removeItem(atPath: table.state)
        // Killed with all in the ledger, and no manifest: it cannot be written behind a link that leads nowhere.
        let link = table.archive + "/ascmhl"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: table.path("nowhere/at/all"))
        let killed = try table.importing(["--mhl"])
        #expect(killed.items("error").count == 1 && killed.count("delivered") > 3 && killed.count("duplicate") >= 1)
        try FileManager.default.removeItem(atPath: link)
        let next = try table.importing(["--mhl"])
        #expect(next.status == 0 && next.count("delivered") == 0 && next.count("bytes_read") == 0)
        let said = history(table)
        let files = table.files(table.archive).keys.filter { !$0.hasPrefix("ascmhl/") && !$0.contains(".filmgate") }
        #expect(files.count > 5 && files.contains(placed))
        for file in files { #expect(said.contains(">\(file)</path>"), "\(file)") }
    }

    /// Two machines' worth of runs, each with a state of its own, into one folder.
    @Test func twoRunsAtOnceKeepOneHistory() throws {
        let table = try Table(), cards = ["A", "B", "C"]
        for (number, card) in cards.enumerated() {
            for index in 1...40 {
                let picture = Data(
                    [0xFF, 0xD8, UInt8(number), UInt8(index)] + [UInt8](repeating: 5, count: 40) + [0xFF, 0xD9])
                try table.write("\(card)/DCIM/100AAAAA/IMG_\(index).JPG", picture)
            }
        }
        let ended = Mutex<[Int32]>([]), archive = table.archive
        let words = cards.map { [table.path($0), "--state", table.path("state" + $0)] }
        DispatchQueue.concurrentPerform(iterations: cards.count) { number in
            let run = try? Program.run(
                ["import", "--to", archive, "--mhl", "--verify", "size", "--json"] + words[number])
            ended.withLock { $0.append(run?.status ?? -1) }
        }
        #expect(ended.withLock { $0 } == [0, 0, 0])
        let files = table.files(table.archive).keys.filter { !$0.hasPrefix("ascmhl/") }
        let said = history(table)
        #expect(files.count == 120 && !files.contains { $0.contains(".filmgate") })
        for file in files { #expect(said.contains(">\(file)</path>"), "\(file)") }
        let check = try Program.run(["verify", table.archive, "--json", "--state", table.path("none")])
        #expect(check.status == 0, "\(check.output.suffix(600))")
    }
}
