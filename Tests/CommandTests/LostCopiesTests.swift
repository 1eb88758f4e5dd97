import Foundation
import TestThreads
import Testing

/// Copies that are gone are told of, however the file was recognised; those that were brought back are not.
@Suite(.ownThreads) struct LostCopiesTests {
    private let files = FileManager.default

    private func removeCopies(_ table: Table) throws {
        for name in try files.contentsOfDirectory(atPath: table.archive) {
            try files.removeItem(atPath: table.archive + "/" + name)
        }
    }

    private func removed(_ outcome: Program.Outcome) throws -> Int? {
        try #require(outcome.items("summary").last)["removed"] as? Int
    }

    /// The same frames on another card are read, found to be known, and looked for like those of the first card.
    @Test func aFileThatIsReadAndKnownIsLookedForToo() throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.importing().status == 0)
        try removeCopies(table)
        try files.copyItem(atPath: table.card, toPath: table.path("CARD2"))
        let words = ["import", table.path("CARD2"), "--to", table.archive]
        let plan = try table.run(words + ["--dry-run"])
        let second = try table.run(words), third = try table.run(words)
        #expect(
            second.count("duplicate") >= 16 && second.count("delivered") == 0 && second.status == 0, "\(second.output)")
        // By their bytes, and then by the listing: one look, one count.
        #expect(
            try removed(third) == 16 && third.count("duplicate") == 0 && third.status == second.status,
            "\(third.output)")
        #expect(try removed(second) == 16, "\(second.errors)")
        #expect(try removed(plan) == 16, "\(plan.errors)")
        #expect(try Program.run(words + ["--state", table.state]).errors.contains("--again"))
        // What this run itself delivers is there, though its folder is looked into.
        try files.copyItem(atPath: table.card, toPath: table.path("CARD3"))
        let again = try table.run(["import", table.path("CARD3"), table.card, "--to", table.archive, "--again"])
        #expect(again.status == 0 && table.files(table.archive).count == 16)
        try files.copyItem(atPath: table.card, toPath: table.path("CARD4"))
        let last = try table.run(["import", table.path("CARD4"), "--to", table.archive])
        #expect(try removed(last) == 0, "\(last.errors)")
    }

    /// "Nothing to take back" would pass for done where the folder's name is a slip.
    @Test func aMistypedFolderIsAskedAbout() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        #expect(try table.importing().status == 0)
        let run = try table.run(["cancel", "--yes", "--gone", table.path("archiv")])
        #expect(run.status == 2 && run.errors.contains("Did you mean `\(table.archive)`?"), "\(run.errors)")
    }

    /// A remark on one delivery is no remark on the file: whoever imports it later finds a copy that is there.
    @Test(arguments: [false, true]) func aCopyThatIsThereAgainIsNotSaidToBeGone(isDamaged: Bool) throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        #expect(try table.importing().status == 0)
        let name = try #require(table.files(table.archive).keys.sorted().first), path = table.archive + "/" + name
        if isDamaged {
            try Data("edited".utf8).write(to: URL(fileURLWithPath: path))
        } else {
            try files.removeItem(atPath: path)
        }
        let again = try table.importing(["--again"])
        #expect(again.items().contains { "\($0["reason"] ?? "")".contains("the copy ") }, "\(again.output)")
        try files.copyItem(atPath: table.card, toPath: table.path("CARD2"))
        let later = try table.run(["import", table.path("CARD2"), "--to", table.archive])
        #expect(later.count("duplicate") == 2 && !later.output.contains("the copy "), "\(later.output)")
    }
}
