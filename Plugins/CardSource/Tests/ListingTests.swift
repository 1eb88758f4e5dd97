import FilmgateCore
import Foundation
import Glibc
import Testing

@testable import CardKit
@testable import CardSource
@testable import FileKit

@Suite struct ListingTests {
    @Test func tenThousandFilesComeOnceEachInCardOrder() async throws {
        let card = ScratchCard()
        var expected: [String] = []
        for folder in 100..<110 {
            for number in 1...500 {
                for ext in ["CR3", "JPG"] { expected.append("DCIM/\(folder)CANON/IMG_\(number).\(ext)") }
            }
        }
        card.add(expected.shuffled())
        #expect(try await card.entries().paths == expected)
    }

    @Test func oddNamesAllSurvive() async throws {
        let card = ScratchCard()
        let names: [[UInt8]] = [
            Array("new\nline.jpg".utf8), Array("📷🎞.jpg".utf8), [0x49, 0xFF, 0xFE] + Array(".JPG".utf8),
            [0xE9] + Array(".JPG".utf8), Array(repeating: 0x78, count: 251) + Array(".jpg".utf8), Array(" .jpg".utf8),
            Array("\u{E9}.cr3".utf8), Array("e\u{301}.jpg".utf8), Array("..jpg".utf8.dropFirst()) + [0x20],
            Array("a.b.c.jpg".utf8), Array("IMG_1.".utf8), Array("\u{10FFE9}.jpg".utf8), Array("%s%n.jpg".utf8),
        ]
        for name in names { card.file(name, [1]) }
        let session = try await card.session(hidden: true)
        let entries = try await session.entries()
        #expect(Set(entries.map { PathText.bytes(of: $0.origin.path) }) == Set(names))
        #expect(entries.count == names.count)
        for entry in entries {
            let path = try #require(session.localPath(entry.origin))
            #expect(try FileFacts.of(path)?.size == 1, "\(entry.origin.path)")
        }
    }

    @Test(arguments: [1, 2, 3]) func everyEntryOfARandomTreeComesExactlyOnce(_ seed: UInt64) async throws {
        var random = Seeded(state: seed)
        let card = ScratchCard()
        let words = [
            "DCIM", "100A", "PRIVATE", "M4ROOT", "CLIP", "SUB", "CONTENTS", "VIDEO", "IMG_1", "C0001", "GX010001", "a",
            ".x", "MISC",
        ]
        let exts = ["", ".JPG", ".jpg", ".CR3", ".MP4", ".XML", ".cr3.xmp", ".WAV", ".BDM", ".bin"]
        var names: Set<String> = []
        for _ in 0..<400 {
            let depth = Int.random(in: 0...4, using: &random)
            let folders = (0..<depth).map { _ in (words.randomElement(using: &random) ?? "") + "/" }.joined()
            names.insert(
                folders + (words.randomElement(using: &random) ?? "") + "0" + (exts.randomElement(using: &random) ?? "")
            )
        }
        card.add(names.sorted())
        let entries = try await card.entries(hidden: true)
        #expect(entries.count == names.count && Set(entries.paths) == names)
        #expect(Set(entries.map(\.origin.id)).count == names.count)
        var closed: Set<String> = [], last = ""
        for entry in entries where entry.shot.key != last {
            #expect(closed.insert(entry.shot.key).inserted, "the files of \(entry.shot.key) follow each other")
            last = entry.shot.key
        }
    }

    @Test func aDumpsFilesAreKnownByPathInodeAndChange() async throws {
        let card = ScratchCard()
        card.file(Array("DCIM/IMG_1.JPG".utf8), [1, 2, 3])
        let session = try await card.session()
        let origin = try #require(try await session.entries().first?.origin)
        let facts = try #require(try FileFacts.of(card.path + "/DCIM/IMG_1.JPG"))
        #expect(origin.volumePath == card.path + "/DCIM/IMG_1.JPG" && origin.absolutePath == origin.volumePath)
        #expect(
            (origin.size, origin.modified, origin.inode, origin.changed) == (
                3, facts.modified, facts.inode, facts.changed
            ))
        #expect(origin.volume == session.volume && origin.source == "card" && origin.born == 0)
    }

    @Test func aMountedCardsFilesAreKnownWhereverItIsMounted() {
        func origin(_ point: String, _ root: String, _ path: String) -> Origin {
            let mount = Mount(id: 1, device: "8:1", root: "/", point: point, type: "exfat", source: "/dev/sdb1")
            let card = Card(
                root: root, volume: Volume(identity: "1234-ABCD-9", label: "", mount: mount, isRemovable: true),
                source: "card")
            var entry = ScanEntry(path: path, name: "x", depth: 0, type: .file)
            (entry.inode, entry.changed, entry.born, entry.size, entry.modified) = (UInt64(root.count), 6, 7, 8, 9)
            return card.origin(of: entry)
        }
        let first = origin("/media/a", "/media/a", "DCIM/x"), second = origin("/mnt/b", "/mnt/b/DCIM", "x")
        #expect(first.id == second.id && first.fingerprint == second.fingerprint)
        #expect(first.fingerprint == Fingerprint(path: "DCIM/x", size: 8, modified: 9, born: 7, inode: 0, changed: 0))
    }

    @Test func aCancelledListingEnds() async throws {
        let session = try await ScratchCard("a").session()
        let task = Task {
            await Result { () async throws(IngestError) in
                withUnsafeCurrentTask { $0?.cancel() }
                return try await session.entries()
            }
        }
        let outcome = await task.value
        #expect { try outcome.get() } throws: { ($0 as? IngestError)?.code == .cancelled }
    }

    @Test(.enabled(if: Mounting.works, "needs root")) func anotherFileSystemBelowTheCardIsNamedAndLeftAlone()
        async throws
    {
        let card = ScratchCard("DCIM/IMG_1.JPG", "mnt/")
        try Mounting.run("mount", "-t", "tmpfs", "none", card.path + "/mnt")
        defer { try? Mounting.run("umount", card.path + "/mnt") }
        card.add(["mnt/DCIM/IMG_2.JPG"])
        let entries = try await card.entries()
        #expect(entries.paths == ["DCIM/IMG_1.JPG", "mnt"])
        #expect(entries[1].fate == .filtered("another file system is mounted here; name it as a path of its own"))
        let inside = try await card.session("mnt")
        #expect(try await inside.entries().paths == ["DCIM/IMG_2.JPG"])
        #expect(try await inside.volume != card.session().volume)
        let both = try await ScratchCard.source([card.path, card.path + "/mnt"]).places()
        #expect(both.count == 2)
    }
}

struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}

enum Mounting {
    struct Refused: Error {}

    /// Whether this process may mount a memory disk.
    static let works: Bool = {
        let card = ScratchCard()
        guard geteuid() == 0, (try? run("mount", "-t", "tmpfs", "none", card.path)) != nil else { return false }
        return (try? run("umount", card.path)) != nil
    }()

    static func run(_ command: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw Refused() }
    }
}
