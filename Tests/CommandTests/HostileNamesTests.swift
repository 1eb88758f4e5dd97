import Foundation
import TestThreads
import Testing

@Suite(.ownThreads) struct HostileNamesTests {
    private static func jpeg(_ byte: UInt8) -> Data {
        Data([0xFF, 0xD8] + [UInt8](repeating: byte, count: 40) + [0xFF, 0xD9])
    }

    @Test func oddNamesArriveInsideTheArchive() throws {
        let table = try Table()
        let long = String(repeating: "å", count: 125) + ".JPG"
        let names = [
            "new\nline.JPG", "😀.JPG", long, "a..JPG", "a:b?.JPG", " spaced .JPG", "CON.JPG", "-rf.JPG", "IMG_1.JPG",
            "img_1.jpg",
        ]
        for (index, name) in names.enumerated() {
            try table.write("CARD/DCIM/100AAAAA/\(name)", Self.jpeg(UInt8(index)))
        }
        let run = try table.importing()
        #expect(run.status == 0)
        #expect(run.count("delivered") == names.count)
        #expect(Set(table.files(table.archive).values) == Set(table.files(table.card).values))
    }

    /// A name that turns the direction of writing would show another extension than it has, and forge what stands
    /// beside it.
    @Test func namesThatTurnTheDirectionOfWritingAreShownAndNotObeyed() throws {
        let table = try Table()
        try table.write("CARD/DCIM/100AAAAA/\u{202E}gpj.IMG.JPG", Self.jpeg(1))
        let told = try Program.run(["inspect", table.card])
        #expect(told.output.contains("gpj.IMG.JPG") && told.output.contains("\\u{202E}"), "\(told.output)")
        #expect(!told.output.unicodeScalars.contains("\u{202E}"))
    }

    @Test func linksPipesAndUnreadableFilesAreNamedAndTheRestGoesOn() throws {
        let table = try Table()
        try table.write("CARD/DCIM/100AAAAA/IMG_1.JPG", Self.jpeg(1))
        let folder = table.card + "/DCIM/100AAAAA"
        try FileManager.default.createSymbolicLink(atPath: folder + "/loop", withDestinationPath: folder)
        try FileManager.default.createSymbolicLink(atPath: folder + "/IMG_2.JPG", withDestinationPath: "/etc/hostname")
        #expect(mkfifo(folder + "/IMG_3.JPG", 0o600) == 0)
        try table.write("CARD/DCIM/100AAAAA/IMG_4.JPG", Data())
        let run = try table.importing()
        #expect(run.status == 0)
        #expect(run.count("filtered") == 3)
        #expect(run.count("delivered") == 2)
        #expect(
            run.items().filter { $0["ending"] as? String == "filtered" }.allSatisfy { $0["reason"] as? String != nil })
    }

    @Test func namesThatAreNotUTF8Survive() throws {
        let table = try Table()
        try table.write("CARD/DCIM/100AAAAA/IMG_1.JPG", Self.jpeg(1))
        let folder = table.card + "/DCIM/100AAAAA/"
        let odd =
            Array(folder.utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), CChar(bitPattern: 0xE5)]
            + ".JPG".utf8CString
        #expect(rename(folder + "IMG_1.JPG", odd) == 0)
        let run = try table.importing()
        #expect(run.status == 0)
        #expect(run.count("delivered") == 1)
        #expect(try table.importing().count("alreadySeen") == 1)
    }
}
