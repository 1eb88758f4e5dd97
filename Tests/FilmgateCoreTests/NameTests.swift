import Testing

@testable import FilmgateCore

/// Names, kinds, identities: small values that much hangs on.
@Suite struct NameTests {
    @Test(arguments: [
        ("IMG_1.CR3", "IMG_1", "CR3"), ("IMG_1.CR3.xmp", "IMG_1.CR3", "xmp"), ("noext", "noext", ""),
        (".hidden", ".hidden", ""), (".a.b", ".a", "b"), ("a.", "a", ""), ("", "", ""), (".", ".", ""), ("..", ".", ""),
        ("é.\u{301}x", "é", "\u{301}x"),
    ]) func fileNamesAreCutAtTheLastDot(_ name: String, _ stem: String, _ ext: String) {
        let cut = FileName(name)
        #expect((Array(cut.stem.utf8), Array(cut.ext.utf8)) == (Array(stem.utf8), Array(ext.utf8)))
    }

    @Test(
        arguments: [
            ("a.JPG", .jpeg), ("a.cr3", .raw), ("a.HIF", .heif), ("a.tiff", .image), ("a.MOV", .video),
            ("a.wav", .audio), ("a.CR3.XMP", .sidecar), ("a.txt", .other), ("jpg", .other), (".jpg", .other),
            ("a.jpg ", .other), ("", .other), ("a.MTS", .video),
        ] as [(String, MediaKind)]) func kinds(_ name: String, _ kind: MediaKind)
    { #expect(MediaKind(fileName: name) == kind) }

    @Test func everyExtensionHasOneKindInLowerCase() {
        #expect(MediaKind.byExtension.count > 100)
        for ext in MediaKind.byExtension.keys { #expect(ext == ext.lowercased() && !ext.isEmpty && !ext.contains(".")) }
        #expect(Set(MediaKind.allCases.map(\.rank)).count == MediaKind.allCases.count)
    }

    @Test func originsNameTheirParts() {
        var origin = Origin(source: "card", volume: "v", root: "/media/c", path: "DCIM/100/a.jpg", size: 1, modified: 2)
        #expect((origin.name, origin.folder, origin.absolutePath) == ("a.jpg", "DCIM/100", "/media/c/DCIM/100/a.jpg"))
        (origin.root, origin.path) = ("/", "a.jpg")
        #expect((origin.name, origin.folder, origin.absolutePath) == ("a.jpg", "", "/a.jpg"))
        origin.path = "x/\u{301}a"
        #expect(Array(origin.name.utf8) == Array("\u{301}a".utf8))
    }

    /// A disk may hold both spellings of a name, of the same size and second: a known one must not stand for the new
    /// one.
    @Test func spellingsOfANameAreTwoFiles() {
        let names = ["caf\u{E9}.jpg", "cafe\u{301}.jpg"]
        let origins = names.map { Origin(source: "card", volume: "v", root: "/r", path: $0, size: 1, modified: 2) }
        #expect(names[0] == names[1])
        #expect(origins[0].fingerprint != origins[1].fingerprint)
        #expect(origins[0].id != origins[1].id)
        #expect(!(origins[0].id == origins[1].id))
        #expect(Set(origins.map(\.fingerprint)).count == 2)
        #expect(Set(origins.map(\.id)).count == 2)
        #expect(origins[0].id == AssetID(rawValue: origins[0].id.rawValue))
        #expect(!names[0].isSpelled(as: names[1]) && names[0].isSpelled(as: "caf\u{E9}.jpg"))
        #expect(!"a\u{323}\u{307}".isSpelled(as: "a\u{307}\u{323}"))
    }

    @Test func everyPartOfAnOriginIsInItsIdentity() {
        let base = Origin(
            source: "card", volume: "v", root: "/r", path: "p", size: 1, modified: 2, born: 3, inode: 4, changed: 5)
        let changes: [(inout Origin) -> Void] = [
            { $0.volume = "w" }, { $0.volumePath = "q" }, { $0.size = 9 }, { $0.modified = 9 }, { $0.born = 9 },
            { $0.inode = 9 }, { $0.changed = 9 },
        ]
        for change in changes {
            var other = base
            change(&other)
            #expect(other.id != base.id)
        }
        var moved = base
        (moved.root, moved.path, moved.source) = ("/elsewhere", "x/p", "folder")
        #expect(moved.id == base.id)
    }

    @Test func contentKeys() {
        let sha = String(repeating: "a", count: 64), primary = String(repeating: "b", count: 64)
        #expect(ContentKey(sha256: sha).sha256 == sha)
        #expect(ContentKey(sha256: sha, beside: primary).sha256 == sha)
        #expect(ContentKey(sha256: sha, beside: primary) != ContentKey(sha256: sha))
        #expect(ContentKey(rawValue: "short").sha256 == "short")
        let digests = Digests(sha256: sha, others: [.md5: "m"])
        #expect((digests[.sha256], digests[.md5], digests[.sha1]) == (sha, "m", nil))
    }

    @Test(arguments: [
        ("paralel", "parallel"), ("stages", "stage"), ("Strem", "stream"), ("recieve", "receive"),
        ("parallel", "parallel"), ("srteam", "stream"),
    ]) func slipsOfTheFingersAreGuessed(_ word: String, _ meant: String) {
        #expect(nearest(word, among: ["parallel", "stage", "stream", "receive", "x"]) == meant)
    }

    @Test func whatIsFarAwayIsNotGuessed() {
        #expect(nearest("banana", among: ["parallel", "stage"]) == nil)
        #expect(nearest("", among: []) == nil)
        #expect(nearest("url", among: ["password"]) == nil)
    }

    /// A key may be as long as the file that it stands in.
    @Test(.timeLimit(.minutes(5))) func endlessWordsCostNothing() {
        let word = String(repeating: "ab", count: 500_000)
        #expect(nearest(word, among: Array(repeating: "parallel", count: 200)) == nil)
    }

    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ])
    func distances(_ a: String, _ b: String, _ distance: Int) {
        #expect(editDistance(Array(a.utf8), Array(b.utf8)) == distance)
        #expect(editDistance(Array(b.utf8), Array(a.utf8)) == distance)
    }

    /// Each code has one disposition.
    @Test func dispositions() {
        let retried = IngestError.Code.allCases.filter { $0.disposition == .retry }
        #expect(Set(retried) == [.deviceBusy, .rateLimited, .network, .unavailable])
        #expect(IngestError.Code.unauthorized.disposition == .renewThenHold)
        #expect(IngestError.Code.storageFull.disposition == .pauseTarget)
        #expect(IngestError.Code.corruptData.disposition == .setAside)
        #expect(IngestError.Code.cancelled.disposition == .unwind)
        #expect(IngestError(.network, "Lost.", advice: "Wait.").description == "Lost. Wait.")
    }

    @Test func rationals() {
        #expect((Rational(1, 200).value, Rational(1, 0).value) == (0.005, nil))
        #expect((Rational(28, 10).description, Rational(50, 1).description) == ("28/10", "50"))
    }
}
