import Testing

@testable import CardKit
@testable import CardSource

@Suite struct NamePatternTests {
    @Test(arguments: [
        ("GX++####", "gx020001", true), ("GX++####", "gx02001", false), ("GX++####", "gx0200011", false),
        ("*.CTG", "m0100.ctg", true), ("*.CTG", ".ctg", true), ("*.CTG", "m.ctgx", false), ("*_+++", "a_b_001", true),
        ("*_+++", "a_b_0011", false), ("PXL_*.~", "pxl_1.raw.cover", true), ("PXL_*.~", "pxl_1", false), ("", "", true),
        ("", "a", false), ("*", "", true), ("*a*b*c", "xxaxxbxxcx", false),
    ])
    func namesMatch(_ pattern: String, _ name: String, _ expected: Bool) {
        #expect(NamePattern(pattern).matches(Array(name.utf8)) == expected)
    }

    @Test func gapsAreCarriedOver() throws {
        let captured = try #require(NamePattern("GL++####").captured(Array("gl020123".utf8)))
        #expect(NamePattern("GX01####").filled(captured) == "gx010123")
        let text = try #require(NamePattern("*_+++").captured(Array("a_é_002".utf8)))
        #expect(NamePattern("*_001").filled(text) == "a_é_001")
    }

    @Test func longNamesEndSoon() {
        #expect(!NamePattern("*_+++").matches(Array(repeating: 0x5F, count: 4096)))
    }

    @Test func rulesAreConsistent() {
        for rule in NameRule.all {
            #expect(!rule.shots.isEmpty && !(rule.kinds.isEmpty && rule.extensions.isEmpty))
            #expect(rule.extensions.allSatisfy { $0 == $0.lowercased() })
        }
    }
}
