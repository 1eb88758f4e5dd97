import FileKit
import FilmgateCore
import Foundation
import Glibc
import Testing
import XMLKit

@testable import FolderTarget

@Suite struct MHLHistoryWriterTests {
    let fixture: Fixture
    init() throws { fixture = try Fixture() }

    var folder: String { fixture.root + "/ascmhl" }

    /// One run: delivers `files`, and ends it properly unless told otherwise.
    func run(_ files: [String: [UInt8]], finish: Bool = true) async throws {
        let target = try fixture.target { $0.mhl = true }
        try await target.check()
        var done: [DeliveredFile] = []
        for (path, bytes) in files {
            let job = try fixture.job(path, bytes)
            done.append(try delivered(try await target.upload(job), job))
        }
        if finish { try await target.finishRun(done) }
    }

    func manifests() throws -> [String] { try FileSystem.names(in: folder).filter { $0.hasSuffix(".mhl") }.sorted() }

    /// Path and action of each file in a manifest.
    func actions(_ manifest: String) throws -> [String: String] {
        var found: [String: String] = [:], path = "", action: String?
        try MHLDocument.read(try bytes(folder + "/" + manifest)) { event in
            switch event {
            case .begin("hash", _): action = nil
            case .end("path", let text): path = text
            case .begin("xxh128", let attributes): action = attributes["action"]
            case .end("hash", _): found[path] = action
            default: break
            }
        }
        return found
    }

    @Test func everyRunAddsOneSealedGeneration() async throws {
        try await run(["w/a.jpg": [1], "w/b.jpg": [2, 2]])
        let first = try manifests()
        #expect(first.count == 1)
        let one = try bytes(folder + "/" + first[0])
        #expect(first[0].hasPrefix("0001_pictures_") && first[0].hasSuffix("Z.mhl"))
        #expect(try actions(first[0]) == ["w/a.jpg": "original", "w/b.jpg": "original"])
        try await run(["w/c.jpg": [3]])
        let both = try manifests()
        #expect(both.count == 2 && both[0] == first[0])
        #expect(try bytes(folder + "/" + both[0]) == one)
        #expect(try actions(both[1]) == ["w/c.jpg": "original"])
        let chain = try Chain.parse(try bytes(folder + "/ascmhl_chain.xml"))
        #expect(chain.map(\.number) == [1, 2])
        #expect(chain.map(\.name) == both)
        #expect(try chain.map(\.c4) == both.map { C4.id(of: try bytes(folder + "/" + $0)) })
        try await run([:])
        #expect(try manifests() == both)
        #expect(try fixture.tree().filter { $0.contains(".part") || $0.contains(".filmgate") }.isEmpty)
    }

    @Test func theSameFileProvenAgainIsVerified() async throws {
        try await run(["w/a.jpg": [1]])
        try await run(["w/a.jpg": [1]])
        #expect(try actions(try #require(try manifests().last)) == ["w/a.jpg": "verified"])
    }

    @Test func whatACrashedRunDeliveredIsInTheNextGeneration() async throws {
        try await run(["w/a.jpg": [1], "w/gone.jpg": [9], "w/odd\\n\n.jpg": [4]], finish: false)
        #expect(try manifests().isEmpty)
        unlink(fixture.root + "/w/gone.jpg")
        try await run(["w/b.jpg": [2]])
        #expect(
            try actions(try #require(try manifests().last)).keys.sorted() == ["w/a.jpg", "w/b.jpg", "w/odd\\n\n.jpg"])
        #expect(try FileSystem.names(in: fixture.state).isEmpty)
    }

    @Test func aRunWithNothingNewClosesWhatAKilledOneLeft() async throws {
        try await run(["w/a.jpg": [1]], finish: false)
        try await run([:])
        #expect(try actions(try #require(try manifests().last)) == ["w/a.jpg": "original"])
        // Killed between the manifest and the chain: what was noted stands in the manifest already.
        try await run(["w/b.jpg": [2]])
        let chain = try bytes(folder + "/ascmhl_chain.xml")
        unlink(folder + "/ascmhl_chain.xml")
        try write(Array(Chain.text(Array(try Chain.parse(chain).dropLast())).utf8), folder + "/ascmhl_chain.xml")
        try await run(["w/b.jpg": [2]], finish: false)
        try await run([:])
        #expect(try bytes(folder + "/ascmhl_chain.xml") == chain)
        #expect(try manifests().count == 2)
    }

    @Test func aTornLineTakesNoOtherWithIt() async throws {
        try await run(["w/a.jpg": [1]], finish: false)
        let journal = try #require(try FileSystem.names(in: fixture.state).first { $0.hasSuffix(".journal") })
        try DurableFile.append(Array("1\t17000".utf8), to: fixture.state + "/" + journal)
        try await run(["w/b.jpg": [2]])
        #expect(try actions(try #require(try manifests().last)) == ["w/a.jpg": "original", "w/b.jpg": "original"])
        try await run(["w/c.jpg": [3]], finish: false)
        rename(fixture.root, fixture.root + ".away")
        try await run([:])
        rename(fixture.root + ".away", fixture.root)
        try await run([:])
        #expect(try actions(try #require(try manifests().last)) == ["w/c.jpg": "original"])
    }

    /// A job that runs beside a living run has a target of its own, and both note into one journal.
    @Test func whatIsNotedWhileAnotherWritesStaysNoted() throws {
        func entry(_ path: String) -> Journal.Entry {
            Journal.Entry(path: path, size: 1, modified: 2, xxh128: nil, at: 3)
        }
        let one = Journal(path: fixture.state + "/mhl-1.journal"), other = Journal(path: one.path)
        try one.append(entry("a"))
        let first = try one.take()
        try other.append(entry("b"))
        let second = try other.take()
        #expect(first.entries == [entry("a")] && second.entries == [entry("b")])
        one.done(first)
        try other.append(entry("c"))
        other.giveBack(second)
        let last = try one.take()
        #expect(Set(last.entries) == [entry("b"), entry("c")])
        one.done(last)
        #expect(try one.take().entries.isEmpty)
        #expect(try FileSystem.names(in: fixture.state).isEmpty)
    }

    @Test func aManifestThatWasNotSealedInTimeIsTakenIn() async throws {
        try await run(["w/a.jpg": [1]])
        unlink(folder + "/ascmhl_chain.xml")
        try write([0], folder + "/.1234.part")
        try await run(["w/b.jpg": [2]])
        #expect(try Chain.parse(try bytes(folder + "/ascmhl_chain.xml")).map(\.number) == [1, 2])
        #expect(try actions(try #require(try manifests().last)) == ["w/b.jpg": "original"])
        #expect(try !FileSystem.names(in: folder).contains(".1234.part"))
    }

    /// Another machine on a share, where no lock holds, adds a generation between ours and its seal.
    @Test func whatAnotherMachineAddsMeanwhileStays() async throws {
        try await run(["w/a.jpg": [1]])
        let chain = folder + "/ascmhl_chain.xml", hash = String(repeating: "a", count: 32)
        let file = MHLManifest.File(path: "w/b.jpg", size: 1, modified: 0, hashed: 0, xxh128: hash, action: "original")
        let theirs = MHLManifest(files: [file], folders: [], references: [], ignore: History.ignored, created: 0)
        var isFirst = true
        let tree = HistoryTree(root: fixture.root) {
            guard isFirst else { return }
            isFirst = false
            do {
                let text = Array(theirs.text.utf8)
                try write(text, folder + "/0002_theirs.mhl")
                var all = try Chain.parse(try bytes(chain))
                all.append(History.Generation(number: 2, name: "0002_theirs.mhl", c4: C4.id(of: text)))
                try DurableFile.atomicWrite(Array(Chain.text(all).utf8).span.bytes, to: chain)
            } catch { Issue.record(error) }
        }
        try tree.record([Journal.Entry(path: "w/c.jpg", size: 1, modified: 0, xxh128: hash, at: 0)], fresh: [])
        let sealed = try Chain.parse(try bytes(chain))
        #expect(sealed.map(\.number) == [1, 2, 3] && sealed[1].name == "0002_theirs.mhl")
        #expect(try manifests() == sealed.map(\.name))
        #expect(try actions(sealed[2].name) == ["w/c.jpg": "original"])
        #expect(try History.load(fixture.root).known.keys.sorted() == ["w/a.jpg", "w/b.jpg", "w/c.jpg"])
    }

    @Test func onlyWhatWeLeftUnfinishedGoes() async throws {
        try await run(["w/a.jpg": [1]])
        for name in [".1f.part", ".notes.part", "._0001.part"] { try write([0], folder + "/" + name) }
        try await run(["w/b.jpg": [2]])
        let hidden = try FileSystem.names(in: folder).filter { $0.hasPrefix(".") }
        #expect(hidden.sorted() == ["._0001.part", ".notes.part"])
    }

    @Test(arguments: ["change", "remove", "unseal", "tear"]) func aBrokenHistoryIsNeverContinued(
        how: String
    ) async throws {
        try await run(["w/a.jpg": [1]])
        try await run(["w/b.jpg": [2]])
        let before = try manifests(), first = folder + "/" + before[0], chain = folder + "/ascmhl_chain.xml"
        switch how {
        case "change": try Data((try text(first) + " ").utf8).write(to: URL(fileURLWithPath: first))
        case "remove": unlink(first)
        case "unseal": unlink(chain)
        default: truncate(chain, 100)
        }
        let target = try fixture.target { $0.mhl = true }, job = try fixture.job("w/c.jpg", [3])
        #expect(await code { try await target.check() } == .misconfigured)
        let receipt = try await target.upload(job)
        #expect(receipt.state == .done)
        #expect(await code { try await target.finishRun([try delivered(receipt, job)]) } == .corruptData)
        #expect(try manifests() == before.filter { how != "remove" || $0 != before[0] })
        try FileManager.default.moveItem(atPath: folder, toPath: fixture.path + "/away")
        try await fixture.target { $0.mhl = true }.finishRun([])
        #expect(try actions(try #require(try manifests().last)) == ["w/c.jpg": "original"])
    }

    @Test func aNameIsNotGivenToOtherBytesAfterItsFileWasRemoved() async throws {
        try await run(["w/a.jpg": [1]])
        unlink(fixture.root + "/w/a.jpg")
        let target = try fixture.target { $0.mhl = true }
        let other = try fixture.job("w/a.jpg", [2]), same = try fixture.job("w/a.jpg", [1])
        #expect(try await target.occupancy(of: other.path, for: other) == .other)
        #expect(try await target.occupancy(of: same.path, for: same) == .free)
        let plain = try fixture.target()
        #expect(try await plain.occupancy(of: other.path, for: other) == .free)
    }

    @Test func namesThatXMLCannotHoldStayOut() async throws {
        try await run(["w/a\u{1B}.jpg": [1], String(pathBytes: [0x77, 0x2F, 0xFF]): [2], "w/a&b <c>\".jpg": [3]])
        #expect(try actions(try #require(try manifests().last)) == ["w/a&b <c>\".jpg": "original"])
    }

    @Test func folderHashesAreThoseOfTheReference() throws {
        let root = fixture.path + "/card"
        try FileManager.default.createDirectory(atPath: root + "/a", withIntermediateDirectories: true)
        try write(Array("1\n".utf8), root + "/a/x.txt")
        try write(Array("2\n".utf8), root + "/y.txt")
        var files: [String: String] = [:]
        for name in ["a/x.txt", "y.txt"] {
            files[name] = try FileCopy.hash(path: root + "/" + name, algorithms: [.xxh128]).digests[.xxh128]
        }
        let found = FolderHashes.of(root, files)
        #expect(
            found == [
                FolderHash(
                    path: "a", content: "66c72f51ac91bdaaa3a694d13a6abfde",
                    structure: "4feac289ce15affa099af44e55db37c5"),
                FolderHash(
                    path: "", content: "0ff54aeeb6dbfa8eba39af5e69e84b4b", structure: "77d7344346d64f6dca841c224f592995"
                ),
            ])
        try write([0], root + "/stranger")
        #expect(FolderHashes.of(root, files).map(\.path) == ["a"])
    }

    @Test func historiesBelowAreContinuedAndReferredTo() async throws {
        let inner = try fixture.target { ($0.mhl, $0.path) = (true, Template(fixture.root + "/w")) }
        let job = try fixture.job("a.jpg", [1])
        try await inner.finishRun([try delivered(try await inner.upload(job), job)])
        try await run(["w/b.jpg": [2], "v/c.jpg": [3]])
        #expect(try FileSystem.names(in: fixture.root + "/w/ascmhl").count == 3)
        let outer = try text(folder + "/" + (try #require(try manifests().last)))
        #expect(!outer.contains("b.jpg") && outer.contains("v/c.jpg") && outer.contains("<path>w/ascmhl/0002_w_"))
    }
}
