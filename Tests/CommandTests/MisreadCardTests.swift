import Foundation
import TestThreads
import Testing

/// A card in a file, mounted: what it holds can be changed below the kernel, as a bad reader does.
private final class LoopCard {
    let image: String, point: String
    /// Removed once nothing is mounted in it.
    private let table: Table

    /// Some mkfs is there, and loop devices can be mounted.
    static let works = Mounting.works && ((try? LoopCard(Table())) != nil)

    init(_ table: Table) throws {
        self.table = table
        (image, point) = (table.path("card.img"), table.card)
        try FileManager.default.createDirectory(atPath: point, withIntermediateDirectories: true)
        try #require(FileManager.default.createFile(atPath: image, contents: nil))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: image))
        try file.truncate(atOffset: 32 << 20)
        try file.close()
        let makers = [["/usr/sbin/mkfs.vfat"], ["/usr/sbin/mke2fs", "-q", "-F", "-t", "ext4"]]
        for maker in makers where Mounting.run(maker[0], maker.dropFirst() + [image]) == 0 {
            if Mounting.run("/usr/bin/mount", ["-o", "loop", image, point]) == 0 { return }
        }
        throw CocoaError(.featureUnsupported)
    }

    deinit { Mounting.run("/usr/bin/umount", [point]) }

    /// Written to the image, and not in memory any more.
    func mountAnew() throws {
        try #require(Mounting.run("/usr/bin/umount", [point]) == 0)
        try #require(Mounting.run("/usr/bin/mount", ["-o", "loop", image, point]) == 0)
    }

    /// Other bytes in the image than memory holds of the file.
    func change(_ old: Data, to new: Data) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: image))
        let place = try #require(bytes.range(of: old)?.lowerBound)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: image))
        try file.seek(toOffset: UInt64(place))
        try file.write(contentsOf: new)
        try file.synchronize()
        try file.close()
    }
}

/// A bad reader gave other bytes than the card has: its copies are no proof, and memory is no witness.
@Suite(.ownThreads, .serialized, .enabled(if: LoopCard.works)) struct MisreadCardTests {
    private func ask(_ table: Table) throws -> Program.Outcome {
        try table.run(["safe-to-format", table.card, "--allow", "same-device"])
    }

    /// Import and question without taking the card out: the kernel still holds what was misread, the copies are equal
    /// to that, and only the card knows better.
    @Test func whatMemoryHoldsOfTheCardProvesNothing() throws {
        let table = try Table(), card = try LoopCard(table)
        try table.frames("CARD", count: 3, from: 1)
        try card.mountAnew()
        #expect(try table.importing().status == 0)
        #expect(try ask(table).status == 0)
        // Into memory once more, and then other bytes below it.
        #expect(table.files(table.card).count >= 3)
        try card.change(Data("frame CARD 2 xxxx".utf8), to: Data("frame CARD 2 xxxy".utf8))
        #expect(try table.importing(["--again"]).count("delivered") == 0, "memory does not hold the file")
        let answer = try ask(table)
        let reasons = answer.items().filter { $0["proof"] as? String == "not_proven" }.map { "\($0["reason"] ?? "")" }
        #expect(answer.status == 8 && reasons.count == 1 && reasons[0].contains("misread"), "\(answer.output)")
        // What it advises reads the card, and no longer memory.
        let again = try table.importing(["--again"])
        #expect(again.status == 0 && again.count("delivered") == 1, "\(again.output)")
        #expect(try ask(table).status == 0)
    }

    /// The same for a picture that a name of junk hides, and for the look whether there is one.
    @Test func whatMemoryHoldsExemptsNoHiddenPicture() throws {
        let table = try Table(), card = try LoopCard(table), name = "CARD/DCIM/100TEST/._IMG_0001.JPG"
        try table.frames("CARD", count: 2, from: 1)
        let picture = try #require(FileManager.default.contents(atPath: table.path("CARD/DCIM/100TEST/IMG_0001.JPG")))
        try table.write(name, picture)
        let head = Data([0x00, 0x05, 0x16, 0x07, 0, 2, 0, 0]) + Data("attributes, not a picture".utf8)
        try table.write("CARD/DCIM/100TEST/._IMG_0002.JPG", head + Data(repeating: 0x7A, count: 500))
        try card.mountAnew()
        #expect(try table.importing().status == 0)
        #expect(try ask(table).status == 0)
        _ = table.files(table.card)
        try card.change(head, to: Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46]) + head.dropFirst(8))
        let answer = try ask(table)
        let named = answer.items().filter { $0["proof"] as? String == "not_proven" }.map { "\($0["path"] ?? "")" }
        #expect(answer.status == 8 && named == ["DCIM/100TEST/._IMG_0002.JPG"], "\(answer.output)")
    }
}
