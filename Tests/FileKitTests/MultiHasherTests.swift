import FileKit
import FilmgateCore
import Testing

@Suite struct MultiHasherTests {
    @Test func knownAnswers() {
        var hasher = MultiHasher([.sha1, .md5, .xxh128])
        hasher.update([UInt8]("abc".utf8).span.bytes)
        let digests = hasher.finish()
        #expect(digests.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(digests[.sha1] == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(digests[.md5] == "900150983cd24fb0d6963f7d28e17f72")
        #expect(digests[.xxh128] == "06b05ab6733a618578af5f94892f3950")
    }

    @Test func nothingHasDigestsToo() {
        let digests = MultiHasher([.xxh128]).finish()
        #expect(digests.sha256 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(digests[.xxh128] == "99aa06d3014798d86001c324468d497f")
        #expect(digests[.md5] == nil)
    }

    @Test(arguments: [1, 7, 64, 4096, 100_000])
    func piecesDoNotMatter(step: Int) {
        let data = noise(300_001)
        var whole = MultiHasher([.xxh128, .sha1]), parts = MultiHasher([.xxh128, .sha1])
        whole.update(data.span.bytes)
        for start in stride(from: 0, to: data.count, by: step) {
            parts.update(data[start..<min(start + step, data.count)].span.bytes)
        }
        let (first, second) = (whole.finish(), parts.finish())
        #expect(first == second)
    }
}

@Suite struct C4Tests {
    @Test func knownAnswers() {
        #expect(
            C4.id(of: [])
                == "c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hBXmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1sFT")
        #expect(
            C4.id(of: Array("abc".utf8))
                == "c45S4rnaTNWonxss1u8LzsaJdEph1AJhWUF4sh2waXKMsutyfAxg4ybUeuXVWS9HdNcEypmeXn8FZGonD4w1rj9DZp")
    }
}
