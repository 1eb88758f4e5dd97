import Foundation
import TestThreads
import Testing

@Suite(.ownThreads) struct VerifyTests {
    /// The disk that a folder lies on is not mounted: neither is everything known, nor does anything go below its mount
    /// point.
    @Test func aFolderThatIsGoneWithAllThatWasDeliveredIsNoEmptyFolder() throws {
        let table = try Table()
        try table.frames("CARD", count: 2, from: 1)
        #expect(try table.importing().status == 0)
        try FileManager.default.moveItem(atPath: table.archive, toPath: table.path("unmounted"))
        for verb in ["import", "plan"] {
            let away = try table.run([verb, table.card, "--to", table.archive])
            #expect(away.status == 2 && away.output.contains("2 files were delivered there"), "\(away.output)")
        }
        #expect(!FileManager.default.fileExists(atPath: table.archive))
        try FileManager.default.moveItem(atPath: table.path("unmounted"), toPath: table.archive)
        #expect(try table.importing().count("alreadySeen") == 2)
        try FileManager.default.removeItem(atPath: table.archive)
        try FileManager.default.createDirectory(atPath: table.archive, withIntermediateDirectories: true)
        #expect(try table.importing(["--again"]).count("delivered") == 2)
    }

    /// A script reads the last line, and it says what the program ends with.
    @Test func whatNothingIsKnownOfEndsWithASummaryThatSaysSo() throws {
        let table = try Table()
        try table.frames("CARD", count: 1, from: 1)
        #expect(try table.importing().status == 0)
        let unknown = try table.run(["verify", table.card])
        #expect(unknown.status == 5 && unknown.items("summary").count == 1)
        #expect(
            unknown.objects.last?["type"] as? String == "summary" && unknown.count("exit") == 5, "\(unknown.output)")
    }

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
        #expect(
            changed.items().contains {
                ($0["path"] as? String)?.hasSuffix(name) == true && $0["verification"] as? String == "differs"
            })
    }

    /// A gallery is asked by its targets of earlier runs, whatever the event; what cannot be asked is no yes.
    @Test func remoteCopiesAreAskedAbout() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        let gallery = try Gallery(table), file = try table.pipeline(gallery)
        #expect(try table.deliver(file, ["--event", "gala"]).status == 0)
        let equal = try table.run(["verify"], environment: Gallery.environment)
        #expect(
            equal.status == 0 && equal.count("equal") == 6 && equal.count("unknown") == 0,
            "\(equal.output)\(equal.errors)")
        #expect(equal.items().count { $0["target"] as? String == "gallery" && $0["event"] as? String == "gala" } == 3)
        #expect(try table.run(["verify", "--pipeline", file], environment: Gallery.environment).count("equal") == 6)
        gallery.stop()
        let away = try table.run(["verify"], environment: Gallery.environment)
        #expect(away.status == 8 && away.count("equal") == 3 && away.count("unknown") == 3, "\(away.output)")
        #expect(away.items("error").count == 1)
        let empty = try Gallery(table, in: "empty", at: gallery.address)
        let lost = try table.run(["verify"], environment: Gallery.environment)
        #expect(lost.status == 6 && lost.count("missing") == 3)
        withExtendedLifetime(empty) {}
        #expect(try table.run(["verify", table.archive]).status == 0)
    }
}
