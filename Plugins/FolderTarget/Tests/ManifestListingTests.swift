import FileKit
import FilmgateCore
import Testing

@testable import FolderTarget

@Suite struct ManifestListingTests {
    let fixture: Fixture
    init() throws { fixture = try Fixture() }

    private func write(_ path: String, _ text: String) throws {
        try DurableFile.makeDirectories(Paths.folder(Paths.join(fixture.root, path)))
        try DurableFile.atomicWrite(Array(text.utf8).span.bytes, to: Paths.join(fixture.root, path))
    }

    private func hash(_ path: String, _ body: String) -> String {
        "<hash><path size=\"3\">\(path)</path>\(body)</hash>"
    }

    private func manifest(_ hashes: String) -> String {
        "<?xml version=\"1.0\"?><hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\"><hashes>\(hashes)</hashes></hashlist>"
    }

    @Test func everyFormatOfTheStandardIsUnderstood() throws {
        let formats: [(String, DigestAlgorithm)] = [
            ("xxh128", .xxh128), ("xxh3", .xxh3), ("xxh64", .xxh64), ("sha1", .sha1), ("md5", .md5), ("c4", .c4),
        ]
        let hashes = formats.map { name, algorithm in
            hash(
                "\(name).jpg",
                "<\(name) action=\"original\">\(MultiHasher.digest(of: Array("abc".utf8), algorithm))</\(name)>")
        }
        try write("ascmhl/0001_x_2026-01-01_000000Z.mhl", manifest(hashes.joined()))
        let files = try ManifestListing.below(fixture.root).files
        #expect(files.map(\.algorithm) == formats.map(\.1))
        #expect(
            files.allSatisfy { $0.size == 3 && MultiHasher.digest(of: Array("abc".utf8), $0.algorithm) == $0.digest })
    }

    @Test func digestsAreThoseOfThePublishedVectors() {
        let abc = Array("abc".utf8)
        #expect(MultiHasher.digest(of: abc, .xxh64) == "44bc2cf5ad770999")
        #expect(MultiHasher.digest(of: abc, .xxh3) == "78af5f94892f3950")
        #expect(MultiHasher.digest(of: abc, .xxh128) == "06b05ab6733a618578af5f94892f3950")
        #expect(MultiHasher.digest(of: abc, .md5) == "900150983cd24fb0d6963f7d28e17f72")
        #expect(MultiHasher.digest(of: abc, .c4) == C4.id(of: abc))
    }

    @Test func aRenamedFileIsExpectedUnderItsNewNameWithItsFirstHash() throws {
        try write("ascmhl/0001_x_2026-01-01_000000Z.mhl", manifest(hash("old.jpg", "<md5>aa</md5>")))
        let second = "<hash><path size=\"3\">new.jpg</path><previousPath>old.jpg</previousPath><md5>bb</md5></hash>"
        try write("ascmhl/0002_x_2026-01-02_000000Z.mhl", manifest(second))
        // Without a chain only one manifest may be unsealed.
        #expect(throws: IngestError.self) { try ManifestListing.below(fixture.root) }
        let sealed = try ["0001_x_2026-01-01_000000Z.mhl", "0002_x_2026-01-02_000000Z.mhl"].enumerated().map {
            index, name in
            let bytes = try FileSystem.contents(of: fixture.root + "/ascmhl/" + name) ?? []
            return History.Generation(number: index + 1, name: name, c4: C4.id(of: bytes))
        }
        try write("ascmhl/ascmhl_chain.xml", Chain.text(sealed))
        let files = try ManifestListing.below(fixture.root).files
        #expect(files.map { $0.path } == [fixture.root + "/new.jpg"])
        #expect(files.first?.digest == "aa")
    }

    @Test func oldManifestsNestedHistoriesAndAPathInsideAreRead() throws {
        let old =
            "<hashlist version=\"1.1\"><hash><file>a/b.mov</file><size>3</size><xxhash64be>44BC2CF5AD770999</xxhash64be></hash></hashlist>"
        try write("CARD.mhl", old)
        try write(
            "a/ascmhl/0001_a_2026-01-01_000000Z.mhl",
            manifest(hash("c.mov", "<sha1>cc</sha1>") + hash("../out.mov", "<sha1>cc</sha1>")))
        let all = try ManifestListing.below(fixture.root).files.map { Paths.relative($0.path, to: fixture.root) }
        #expect(all == ["a/b.mov", "a/c.mov"])
        #expect(try ManifestListing.below(fixture.root + "/a").files.count == 2)
        #expect(try ManifestListing.below(fixture.root + "/a/b.mov").files.map(\.algorithm) == [.xxh64])
    }
}
