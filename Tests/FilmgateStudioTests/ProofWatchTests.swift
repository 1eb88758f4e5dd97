import FilmgateCore
import Foundation
import Testing

@testable import FilmgateStudio

/// What is heard of a card and of copies, with real files.
@Suite struct ProofWatchTests {
    private func with(_ body: (_ card: String, _ copies: String, ProofWatch) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/filmgate-heard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let card = folder + "/card", copies = folder + "/copies"
        for path in [card + "/DCIM/100CANON", copies] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        for path in [card + "/DCIM/100CANON/IMG_1.JPG", copies + "/IMG_1.JPG"] { try write("one", path) }
        var named = NamedCopies()
        named.hear(try #require(JSONValue(Array(#"{"copies":["\#(copies)/IMG_1.JPG"]}"#.utf8))))
        try body(card, copies, ProofWatch(card, named))
    }

    private func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test func whatMayEndAProofIsHeardOnce() throws {
        try with { card, copies, watch in
            let frame = card + "/DCIM/100CANON/IMG_1.JPG"
            #expect(!watch.hasHeard(), "nothing happened")
            let changes: [(String, () throws -> Void)] = [
                ("a file on the card", { try write("new", card + "/DCIM/100CANON/IMG_2.JPG") }),
                ("a changed one", { try write("two", frame) }),
                ("one that went", { try FileManager.default.removeItem(atPath: frame) }),
                (
                    "a new folder",
                    {
                        try FileManager.default.createDirectory(
                            atPath: card + "/PRIVATE", withIntermediateDirectories: false)
                    }
                ),
                ("a changed copy", { try write("two", copies + "/IMG_1.JPG") }),
                ("a copy that went", { try FileManager.default.removeItem(atPath: copies + "/IMG_1.JPG") }),
            ]
            for (what, change) in changes {
                try change()
                #expect(watch.hasHeard(), "\(what)")
                #expect(!watch.hasHeard(), "\(what), for the second time")
            }
        }
    }

    /// A run that goes on filling the same folder makes nobody look.
    @Test func otherFilesBesideTheCopiesAreNobodysBusiness() throws {
        try with { card, copies, watch in
            for number in 2..<50 { try write("x", copies + "/IMG_\(number).JPG") }
            _ = try Data(contentsOf: URL(fileURLWithPath: card + "/DCIM/100CANON/IMG_1.JPG"))
            _ = try Data(contentsOf: URL(fileURLWithPath: copies + "/IMG_1.JPG"))
            #expect(!watch.hasHeard())
        }
    }

    @Test func aCardThatIsGoneIsNotHeardAndHurtsNobody() {
        #expect(!ProofWatch("/nonexistent/card", NamedCopies()).hasHeard())
    }
}
