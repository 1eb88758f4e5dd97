import FilmgateCore
import Testing

/// Known files are kept small; what they say stays the same.
@Suite struct KnownFileTests {
    private func known(
        _ path: String, _ content: ContentKey? = nil, shot: String = "DCIM/100/img", beside neighbour: KnownFile? = nil
    ) -> KnownFile {
        let mark = Fingerprint(path: path, size: 7, modified: -1, born: 2, inode: .max, changed: 3)
        return KnownFile(mark, content, .raw, .delivered, nil, nil, shot: shot, beside: neighbour)
    }

    @Test(arguments: [
        "", "a", "/", "/a", "a/", "DCIM/100/IMG_0001.CR3", "a//b", "é/e\u{301}",
        "DCIM/100/a name that is longer than fifteen",
    ])
    func aPathComesOutAsItWentIn(_ path: String) {
        for neighbour in [nil, known(path), known("DCIM/100/other"), known("DCIM/1000/x"), known("")] {
            let file = known(path, shot: path, beside: neighbour)
            #expect(Array(file.fingerprint.path.utf8) == Array(path.utf8) && Array(file.shot.utf8) == Array(path.utf8))
            #expect(file == known(path, shot: path) && file.liesWhere(file.fingerprint))
            #expect(file.placeHash == KnownFile.placeHash(file.fingerprint))
        }
    }

    @Test func whereAnotherFileLiesItDoesNot() {
        let file = known("DCIM/100/A.CR3")
        var other = file.fingerprint
        other.size += 1
        #expect(!file.liesWhere(other) && file.fingerprint == known("DCIM/100/A.CR3").fingerprint)
        for path in ["DCIM/100/B.CR3", "DCIM/101/A.CR3", "DCIM/100/A.CR", "DCIM/100A.CR3", "A.CR3"] {
            #expect(!file.liesWhere(known(path).fingerprint) && file != known(path))
        }
        // Swift holds both spellings for equal; on a disk they are two files.
        #expect(
            !known("caf\u{E9}").liesWhere(known("cafe\u{301}").fingerprint)
                && known("caf\u{E9}") != known("cafe\u{301}"))
    }

    private static let digits = "0123456789abcdef"
    private static let keys = [
        String(repeating: digits, count: 4), String(repeating: "f", count: 64), String(repeating: "0", count: 64), "",
        String(repeating: "F", count: 64), String(repeating: "g", count: 64), "content 7",
        String(repeating: digits, count: 5),
        String(repeating: digits, count: 4) + ":" + String(repeating: "a", count: 64),
    ]

    @Test(arguments: keys) func aContentComesOutAsItWentIn(_ key: String) {
        let file = known("a", ContentKey(rawValue: key))
        #expect(file.content?.rawValue == key && file.hasContent)
        #expect(Self.keys.filter { known("a", ContentKey(rawValue: $0)) == file } == [key])
        #expect(known("a").content == nil && !known("a").hasContent)
    }

    @Test func numbersComeOutAsTheyWentIn() {
        var file = known("a")
        #expect(file.rating == nil && file.width == nil && file.height == nil)
        (file.rating, file.width, file.height) = (-1, 0, 100_000)
        #expect((file.rating, file.width, file.height) == (-1, 0, 100_000))
        (file.rating, file.width) = (.min, .max)
        #expect(file.rating == -Int(Int32.max) && file.width == Int(Int32.max))
    }

    /// A card of 30,000 files is in memory as a whole.
    @Test func itStaysSmall() {
        #expect(MemoryLayout<KnownFile>.stride <= 208)
        #expect(MemoryLayout<CivilTime>.size <= 16)
    }
}
