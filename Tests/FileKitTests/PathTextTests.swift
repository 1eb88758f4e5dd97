import FileKit
import Glibc
import Testing

@Suite struct PathTextTests {
    static let names: [[UInt8]] = [
        Array("IMG_0001.CR3".utf8), Array("été 📷.jpg".utf8), Array("e\u{301}".utf8), [], [0x41, 0xFF, 0x42], [0x80],
        [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
        [0xFE, 0xFF], [0xC0, 0xAF], [0xF4], Array("\u{10FF80}\u{10FFFF}\u{10FF7F}\u{10FFFD}".utf8),
        Array("\u{100000}".utf8), [UInt8](repeating: 0xE9, count: 255),
    ]

    @Test(arguments: names) func everyNameComesBackByteForByte(_ bytes: [UInt8]) {
        let text = String(pathBytes: bytes)
        #expect(PathText.bytes(of: text) == bytes)
        withCPath(text) { #expect(strlen($0) == bytes.count && memcmp($0, bytes, bytes.count) == 0) }
    }

    @Test func allPairsOfBytesComeBackAndStayApart() {
        var seen: Set<[UInt8]> = []
        for a in UInt8(1)...255 {
            for b in UInt8(1)...255 {
                let text = String(pathBytes: [a, b])
                #expect(PathText.bytes(of: text) == [a, b])
                seen.insert(Array(text.utf8))
            }
        }
        #expect(seen.count == 255 * 255)
    }

    @Test func validNamesStayAsTheyAre() {
        #expect(String(pathBytes: Array("DSC_1 é.NEF".utf8)) == "DSC_1 é.NEF")
        #expect(Array(String(pathBytes: [0x61, 0xE9]).unicodeScalars.map(\.value)) == [0x61, 0x10FFE9])
    }

    @Test func aPathWithNULNamesNothing() {
        withCPath("/etc/passwd\0.jpg") { #expect(strlen($0) == 0) }
        withCPath("/etc\0\u{10FFE9}") { #expect(strlen($0) == 0) }
    }

    @Test func typedErrorsPass() {
        struct Refused: Error {}
        #expect(throws: Refused.self) { try withCPath("x") { _ throws(Refused) in throw Refused() } }
        #expect(throws: Refused.self) { try withCPath("\u{10FFE9}") { _ throws(Refused) in throw Refused() } }
    }

    @Test func messagesSpellOutWhatCouldForgeALine() {
        #expect(PathText.shown("a\nb\u{10FFE9}") == "`a\\u{a}b\\u{10ffe9}`")
    }

    @Test func canonicalPathsKeepTheBytes() {
        let scratch = ScratchFolder()
        scratch.file(bytes: Array("a/".utf8) + [0xE9])
        scratch.link("b", to: "a")
        let escaped = String(pathBytes: [0xE9])
        #expect(FileSystem.canonical("\(scratch.path)/b/../b/\(escaped)") == "\(scratch.path)/a/\(escaped)")
    }
}
