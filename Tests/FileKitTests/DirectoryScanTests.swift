import FileKit
import FilmgateCore
import Glibc
import Testing

@Suite struct DirectoryScanTests {
    private func list(
        _ root: String, limits: DirectoryScan.Limits = .init(), _ step: (ScanEntry) -> ScanStep = { _ in .proceed }
    ) throws
        -> [ScanEntry]
    {
        var found: [ScanEntry] = []
        try DirectoryScan(root: root, limits: limits).run { entry in
            found.append(entry)
            return step(entry)
        }
        return found
    }

    @Test func goesThroughATreeInCardOrder() throws {
        let scratch = ScratchFolder()
        for name in ["DCIM/101A/IMG_1.JPG", "DCIM/100A/IMG_10.JPG", "DCIM/100A/IMG_9.JPG", "MISC/x", "a"] {
            scratch.file(name, "12")
        }
        let found = try list(scratch.path)
        let expected = [
            "a", "DCIM", "DCIM/100A", "DCIM/100A/IMG_9.JPG", "DCIM/100A/IMG_10.JPG", "DCIM/101A", "DCIM/101A/IMG_1.JPG",
            "MISC", "MISC/x",
        ]
        #expect(found.map(\.path) == expected)
        #expect(found.map(\.depth) == [0, 0, 1, 2, 2, 1, 2, 0, 1])
        #expect(found[3].size == 2 && found[3].type == .file && found[3].modified > 0 && found[3].inode > 0)
        #expect(found[1].type == .folder)
    }

    /// Two threads ask about them, some names ahead: each answer belongs to its name, wherever the scan ends.
    @Test func manyNamesKeepTheirFacts() throws {
        let scratch = ScratchFolder()
        let sizes: [UInt64] = (0..<2500).map { number in UInt64(number % 7 + number / 1000) }
        for (number, size) in sizes.enumerated() {
            scratch.file("IMG_\(number).JPG", String(repeating: "x", count: Int(size)))
        }
        let found = try list(scratch.path), names: [String] = (0..<2500).map { number in "IMG_\(number).JPG" }
        #expect(found.map(\.name) == names && found.map(\.size) == sizes)
        #expect(Set(found.map(\.inode)).count == 2500)
        var count = 0
        let part = try list(scratch.path) { _ in
            count += 1
            return count == 777 ? .stop : .proceed
        }
        #expect(part.map(\.name) == found.prefix(777).map(\.name))
    }

    @Test func skipsAndStops() throws {
        let scratch = ScratchFolder()
        for name in ["a/1", "b/1", "c/1"] { scratch.file(name) }
        #expect(
            try list(scratch.path) { $0.name == "b" ? .skip : .proceed }.map(\.path) == ["a", "a/1", "b", "c", "c/1"])
        #expect(try list(scratch.path) { $0.path == "b/1" ? .stop : .proceed }.map(\.path) == ["a", "a/1", "b", "b/1"])
    }

    @Test func namesWhatIsNeitherFileNorFolderAndFollowsNothing() throws {
        let scratch = ScratchFolder()
        scratch.folder("d")
        scratch.link("d/loop", to: "..")
        scratch.link("gone", to: "nowhere")
        mkfifo("\(scratch.path)/pipe", 0o600)
        let found = try list(scratch.path)
        #expect(found.map(\.path) == ["d", "d/loop", "gone", "pipe"])
        #expect(found.map(\.type) == [.folder, .link, .link, .fifo])
    }

    @Test func oddNamesKeepTheirBytes() throws {
        let scratch = ScratchFolder()
        let names: [[UInt8]] = [
            Array("new\nline".utf8), Array("📷".utf8), [0x61, 0xFF, 0xE9], Array(repeating: 0x78, count: 255),
            Array(" ".utf8),
        ]
        for name in names { scratch.file(bytes: name) }
        #expect(Set(try list(scratch.path).map { PathText.bytes(of: $0.path) }) == Set(names))
    }

    @Test func depthIsBoundedAndSaysSo() throws {
        let scratch = ScratchFolder()
        scratch.file("1/2/3/4/x")
        let found = try list(scratch.path, limits: .init(depth: 2))
        #expect(found.map(\.path) == ["1", "1/2", "1/2/3", "1/2/3"])
        #expect(found.last?.problem == "more than 2 folders below each other")
    }

    @Test func entriesAreBoundedAndTheRestIsNamed() throws {
        let scratch = ScratchFolder()
        for name in ["a/1", "a/2", "a/3", "b/1"] { scratch.file(name) }
        let found = try list(scratch.path, limits: .init(entries: 4))
        #expect(found.filter { $0.problem != nil }.map(\.path) == ["a", "b"])
        #expect(found.filter { $0.type == .file }.count == 2)
    }

    @Test func aMissingRootIsNotFound() {
        #expect { try DirectoryScan(root: "/nowhere/at/all").run { _ in .proceed } } throws: {
            ($0 as? IngestError)?.code == .notFound
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root reads everything")) func aFolderThatIsClosedToUsIsNamed() throws {
        let scratch = ScratchFolder()
        scratch.file("a/x")
        chmod("\(scratch.path)/a", 0)
        defer { chmod("\(scratch.path)/a", 0o755) }
        let found = try list(scratch.path)
        #expect(found.map(\.path) == ["a", "a"])
        #expect(found.last?.problem == "Permission denied")
    }

    @Test func anotherFileSystemIsEnteredOnlyWhenAsked() throws {
        let found = try list("/proc/self") { $0.name == "fd" ? .proceed : .skip }
        #expect(found.contains { $0.path.hasPrefix("fd/") && !$0.isBoundary })
        let root = try list("/", limits: .init(depth: 1)) { $0.path == "proc" ? .proceed : .skip }
        #expect(root.first { $0.path == "proc" }?.isBoundary == true)
        #expect(!root.contains { $0.path.hasPrefix("proc/") })
        let crossed = try list("/", limits: .init(depth: 1)) {
            $0.path == "proc" ? .cross : $0.path == "proc/self" ? .stop : .skip
        }
        #expect(crossed.contains { $0.path == "proc/self" && $0.type == .link })
    }
}
