import FilmgateCore
import Testing

@Suite struct SafeNameTests {
    @Test(arguments: [
        "IMG_0001.JPG", "a b", "Ünïcödé.jpg", "📷", "(1) [2] {3} #4 %5 &6 +7 =8 @9", "caf\u{10FFE9}.jpg", ".hidden",
        "a.b.c", "CONAN", "COM", "COM0", "COM10", "LPTX", "console.txt", "写真",
        String(repeating: "a", count: 251) + ".jpg",
    ]) func safeNamesComeBackUnchanged(_ name: String) {
        #expect(Array(SafeName.component(name).utf8) == Array(name.utf8))
    }

    @Test(arguments: [
        ("a/b", "a_b"), ("a\\b", "a_b"), ("a:b*c?d\"e<f>g|h", "a_b_c_d_e_f_g_h"),
        ("a\nb\u{0}c\u{7F}d\u{85}", "a_b_c_d_"), (" a ", "a"), ("a.", "a"), ("a. . ", "a"), ("..", "_"), (".", "_"),
        ("", "_"), ("   ", "_"), ("...", "_"), ("x\u{202E}gpj.exe", "x_gpj.exe"), ("x\u{2066}y", "x_y"),
        ("/\u{301}", "_\u{301}"),
    ]) func unsafePartsAreReplaced(_ name: String, _ safe: String) { #expect(SafeName.component(name) == safe) }

    /// Windows takes these for devices, whatever extensions follow.
    @Test(arguments: ["CON", "con", "Nul.txt", "aux.tar.gz", "PRN .txt", "COM1", "com9.jpg", "LPT1.x.y", "COM¹.txt"])
    func deviceNames(_ name: String) { #expect(SafeName.component(name) == "_" + name) }

    /// Whatever a camera calls itself: nothing is delivered to where unfinished copies wait.
    @Test(arguments: [".filmgate", ".FilmGate", ".FILMGATE", " .filmgate. ", ".ﬁlmgate"]) func filmgatesOwnFolder(
        _ name: String
    ) throws {
        let safe = try #require(Template("{make}/{name}")).rendered(
            with: TemplateValues(text: ["make": name, "name": "IMG_1.JPG"]))
        #expect(
            safe.hasPrefix("_.") && safe.hasSuffix("/IMG_1.JPG") && !SafeName.isOwnFolder(SafeName.component(name)),
            "\(safe)")
        #expect(SafeName.path("a/\(name)/b").hasPrefix("a/_."))
        #expect([".filmgate2", "filmgate", ".film gate"].allSatisfy { SafeName.component($0) == $0 })
    }

    @Test func longNamesKeepTheirExtension() {
        let name = SafeName.component(String(repeating: "a", count: 400) + ".JPG")
        #expect(name == String(repeating: "a", count: 251) + ".JPG")
        let umlauts = SafeName.component(String(repeating: "ü", count: 200) + ".jpeg")
        #expect(umlauts == String(repeating: "ü", count: 125) + ".jpeg")
        let families = SafeName.component(String(repeating: "👨‍👩‍👧‍👦", count: 20) + ".png")
        #expect(families == String(repeating: "👨‍👩‍👧‍👦", count: 10) + ".png")
    }

    @Test func whatLooksLikeAnEndlessExtensionIsNone() {
        let name = SafeName.component("a." + String(repeating: "x", count: 400))
        #expect(name == "a." + String(repeating: "x", count: 253))
    }

    /// One character of hundreds of bytes must not leave an empty name behind.
    @Test func aCharacterLongerThanANameIsCut() {
        let giant = "e" + String(repeating: "\u{301}", count: 300)
        for name in [giant, giant + ".JPG"] {
            let safe = SafeName.component(name)
            #expect(safe.unicodeScalars.first == "e")
            #expect((250...255).contains(safe.utf8.count))
            #expect(safe.hasSuffix(".JPG") == name.hasSuffix(".JPG"))
        }
    }

    /// Cutting must not uncover what was not allowed at the end.
    @Test(arguments: [" ", "."]) func cutNamesEndSafely(_ end: String) {
        let name = SafeName.component(
            String(repeating: "a", count: 254) + end + String(repeating: "b", count: 40) + "."
                + String(repeating: "c", count: 40))
        #expect(name == String(repeating: "a", count: 254))
    }

    @Test func everySafeNameIsSafe() {
        var generator = SplitMix(state: 7)
        let pieces = [
            "a", ".", " ", "/", "\u{0}", "CON", "\u{301}", "é", "📷", "..", "\u{10FFFF}", "\\", ".JPG", "\u{202E}",
            String(repeating: "x", count: 130),
        ]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
            let safe = SafeName.component(text)
            #expect(!safe.isEmpty && safe.utf8.count <= 255 && safe != "." && safe != "..", "\(text.debugDescription)")
            #expect(!safe.utf8.contains { $0 == 0x2F || $0 < 0x20 }, "\(text.debugDescription)")
            #expect(
                safe.unicodeScalars.first != " " && safe.unicodeScalars.last != " " && safe.unicodeScalars.last != ".")
            #expect(SafeName.component(safe) == safe, "\(text.debugDescription)")
        }
    }

    @Test(arguments: [
        ("a/b", "a/b"), ("/etc/passwd", "etc/passwd"), ("../../x", "x"), ("a//./b/", "a/b"), ("a/../b", "a/b"),
        ("", ""), ("/", ""), ("..", ""), ("a/ .. /b", "a/_/b"), ("CON/x", "_CON/x"), ("a/\u{301}b", "a/\u{301}b"),
    ]) func pathsStayBelowTheirRoot(_ path: String, _ safe: String) {
        #expect(Array(SafeName.path(path).utf8) == Array(safe.utf8))
    }

    @Test(arguments: [
        ("IMG_1.JPG", "img_1.jpg"), ("\u{C9}", "e\u{301}"), ("STRASSE", "straße"), ("ΟΔΟΣ", "οδος"), ("ΟΔΟΣ", "οδοσ"),
        ("\u{212A}", "k"), ("ﬁ", "FI"), ("ſ", "S"), ("\u{1E9E}", "ß"),
    ]) func namesThatClash(_ a: String, _ b: String) { #expect(SafeName.folded(a) == SafeName.folded(b)) }

    @Test(arguments: [("a", "b"), ("e", "é"), ("a/b", "a_b"), ("\u{10FF80}", "\u{10FF81}"), ("1", "１")])
    func namesThatDoNot(_ a: String, _ b: String) { #expect(SafeName.folded(a) != SafeName.folded(b)) }

    @Test func shorteningToLess() {
        #expect(SafeName.shortened("abcdef.jpg", to: 8) == "abcd.jpg")
        #expect(SafeName.shortened("abc", to: 3) == "abc")
        #expect(SafeName.shortened("ab.jpg", to: 4) == ".jpg")
    }
}

/// Numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
