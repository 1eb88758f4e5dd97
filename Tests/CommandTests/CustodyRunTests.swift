import Foundation
import TestThreads
import Testing

/// An ASC MHL history over runs that were killed.
@Suite(.ownThreads) struct CustodyRunTests {
    private func history(_ table: Table) -> String {
        table.files(table.archive + "/ascmhl").filter { $0.key.hasSuffix(".mhl") }.map { String(decoding: $0.value, as: UTF8.self) }
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
        try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
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
        let said = history(table), files = table.files(table.archive).keys.filter { !$0.hasPrefix("ascmhl/") && !$0.contains(".filmgate") }
        #expect(files.count > 5 && files.contains(placed))
        for file in files { #expect(said.contains(">\(file)</path>"), "\(file)") }
    }
}
