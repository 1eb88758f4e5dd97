import FilmgateCore
import Testing

@testable import FilmgateEngine

/// Names are made of their parts, never of numbers that are read out of them.
@Suite struct PathPatternTests {
    @Test(arguments: [
        ("a/2026-05-12.JPG", "a/2026-05-12-2.JPG"), ("IMG-0123.JPG", "IMG-0123-2.JPG"),
        ("x.y/Ann-002", "x.y/Ann-002-2"),
    ]) func allOfAPathThatNobodyKnowsThePartsOfIsItsOwn(_ path: String, _ next: String) {
        let pattern = PathPattern(path: path, of: ShotPlace(key: path, stem: path))
        #expect(pattern.path(event: "e", counter: 0, suffix: 1) == path)
        #expect(pattern.path(event: "e", counter: 0, suffix: 2) == next)
    }

    @Test func sidecarsAndTreesKeepWhatTheyBelongTo() {
        let sidecar = PathPattern(path: "IMG_1.CR3.xmp", of: ShotPlace(key: "1", stem: "IMG_1", sidecarOf: "CR3"))
        #expect(sidecar.path(event: nil, counter: 0, suffix: 3) == "IMG_1-3.CR3.xmp")
        let tree = PathPattern(
            path: "d/EOS/M4ROOT/C1.MP4", of: ShotPlace(key: "1", stem: "C1", innerPath: "M4ROOT/C1.MP4"))
        #expect(tree.path(event: nil, counter: 0, suffix: 2) == "d/EOS-2/M4ROOT/C1.MP4")
    }

    @Test func eventNumberAndSuffixAreFilledInWhenTheyAreKnown() throws {
        let namer = Namer(layout: try #require(Template("{event}/{counter:4}-{name}")), rename: nil)
        let origin = Origin(source: "card", volume: "v", root: "/card", path: "A.JPG", size: 1, modified: 0)
        let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "A"))
        let text = ["name": "A.JPG", "stem": "A", "ext": "JPG", "event": NameSlot.event, "counter": NameSlot.counter]
        let pattern = namer.pattern(of: asset, values: TemplateValues(text: text), lead: nil)
        #expect(pattern.usesCounter)
        #expect(pattern.path(event: "e/1", counter: 12, suffix: 1) == "e_1/0012-A.JPG")
        #expect(pattern.path(event: "e", counter: 12345, suffix: 2) == "e/12345-A-2.JPG")
        #expect(pattern.stem(event: "e", counter: 7, suffix: 2) == "e/0007-A-2")
    }

    @Test func aLongNameIsCutBeforeItsSuffix() {
        let pattern = PathPattern(String(repeating: "a", count: 250) + NameSlot.suffix + ".JPG")
        #expect(pattern.path(event: nil, counter: 0, suffix: 12) == String(repeating: "a", count: 248) + "-12.JPG")
    }

    @Test func namesFromOutsideCarryNoPlaces() {
        #expect(NameSlot.removed(from: "a\u{F0000}b\u{F0002}\u{F0003}") == "a_b_\u{F0003}")
    }
}
