import Foundation
import Testing

@Suite struct VerifyTests {
    @Test func changedAndMissingCopiesEndWithSix() throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.importing().status == 0)
        #expect(try table.run(["verify", table.archive]).status == 0)
        let names = table.files(table.archive).keys.sorted().map { table.archive + "/" + $0 }
        var data = try #require(FileManager.default.contents(atPath: names[0]))
        data[data.count / 2] ^= 1
        try data.write(to: URL(fileURLWithPath: names[0]))
        try FileManager.default.removeItem(atPath: names[1])
        let verified = try table.run(["verify"])
        #expect(verified.status == 6)
        #expect(verified.count("differs") == 1 && verified.count("missing") == 1)
    }

    @Test func aManifestThatOthersWroteIsEnough() throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.importing(["--mhl"]).status == 0)
        // Another machine, without this ledger, has nothing but the manifest.
        let other = try Program.run(["verify", table.archive, "--json", "--state", table.path("other")])
        #expect(other.status == 0, "\(other.errors)")
        #expect(other.count("equal") == table.files(table.archive).keys.filter { !$0.hasPrefix("ascmhl/") }.count)
        let name = try #require(table.files(table.archive).keys.sorted().first { $0.hasSuffix(".JPG") })
        try Data("other".utf8).write(to: URL(fileURLWithPath: table.archive + "/" + name))
        let changed = try Program.run(["verify", table.archive, "--json", "--state", table.path("other")])
        #expect(changed.status == 6)
        #expect(changed.items().contains { ($0["path"] as? String)?.hasSuffix(name) == true && $0["verification"] as? String == "differs" })
    }
}
