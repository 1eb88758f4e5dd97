import FilmgateCore
import Foundation
import Glibc
import Testing

@testable import FileKit

@Suite struct StagingAreaTests {
    let scratch: Scratch
    init() throws { scratch = try Scratch() }

    @Test func isPrivateAndNamesAreUnique() throws {
        let area = try StagingArea(scratch.path + "/staging")
        #expect(try FileFacts.of(area.directory)?.mode == 0o700)
        let names = Set((0..<100).map { _ in area.newPart() })
        #expect(names.count == 100)
        #expect(names.allSatisfy { $0.hasSuffix(".part") })
    }

    @Test func leftoversOfTheDeadGoAndOfTheLivingStay() throws {
        let path = scratch.path + "/staging", owner = StagingArea.Owner.state("a:/s")
        let living = try StagingArea(path, of: owner)
        let mine = living.newPart()
        try write([1], mine)
        try write([1], path + "/\(String(repeating: "a", count: 16))-1.part")
        try write([1], path + "/note.part")
        var dead: StagingArea? = try StagingArea(path, of: owner)
        let theirs = try #require(dead?.newPart())
        try write([1], theirs)
        let whole = try #require(dead?.newPart())
        try write([7], whole)
        let kept = try StagingArea.keep(whole)
        let other = try StagingArea(path, of: owner)
        #expect(other.removeLeftovers() == 1)
        dead = nil
        #expect(other.removeLeftovers() == 1)
        for path in [mine, kept, scratch.path + "/staging/note.part"] {
            #expect(FileManager.default.fileExists(atPath: path))
        }
        #expect(!FileManager.default.fileExists(atPath: theirs))
    }

    @Test func nobodyRemovesWhatAnotherOwnerLeft() throws {
        let path = scratch.path + "/staging", owners = [StagingArea.Owner.target, .state("a:/s"), .state("b:/s")]
        let left = try owners.map { owner in
            let part = try StagingArea(path, of: owner).newPart()
            try write([1], part)
            return part
        }
        for (owner, mine) in zip(owners, left) {
            let next = try StagingArea(path, of: owner)
            #expect(next.removeLeftovers() == 1 && next.removeLeftovers() == 0)
            #expect(try FileFacts.of(mine) == nil)
        }
        for (index, part) in left.enumerated() { try write([UInt8(index)], part) }
        let told = try StagingArea.left(in: path)
        #expect(told.map(\.path).sorted() == left[1...].sorted() && !told.contains(where: \.isWhole))
        #expect(told.map { $0.isOf(owners[1]) } == told.map { $0.path == left[1] })
    }

    /// Older builds named areas by 16 hexadecimal digits.
    @Test func whatAnOlderBuildLeftIsAStatesToRemove() throws {
        let path = scratch.path + "/staging", old = path + "/0123456789abcdef-1.part"
        let target = try StagingArea(path), state = try StagingArea(path, of: .state("a:/s"))
        try write([1], old)
        #expect(target.removeLeftovers() == 0)
        #expect(state.removeLeftovers(but: ["0123456789abcdef-1.part"]) == 0)
        #expect(state.removeLeftovers() == 1)
    }

    @Test func aKilledRunLeavesNoLockBehind() throws {
        let path = scratch.path + "/staging"
        let living = try StagingArea(path)
        try write([], path + "/\(String(repeating: "b", count: 16)).lock")
        let next = try StagingArea(path)
        next.removeLeftovers()
        #expect(try FileSystem.names(in: path).count == 2)
        withExtendedLifetime(living) {}
    }

    /// On a share where locks are each machine's own, another one's look free, though it writes there now.
    @Test func whatAnotherMachineHasStays() throws {
        let path = scratch.path + "/staging", areas = ["t0000000cccccccc", "s1234567cccccccc"]
        let own = try [StagingArea(path), StagingArea(path, of: .state("a:/s"))]
        var theirs: [String] = []
        for area in areas {
            theirs += ["\(path)/\(area).lock", "\(path)/\(area)-1.part"]
            try write(Array("of another one".utf8), "\(path)/\(area).lock")
            try write([1], "\(path)/\(area)-1.part")
        }
        #expect(own.map { $0.removeLeftovers() } == [0, 0])
        #expect(try theirs.allSatisfy { try FileFacts.of($0) != nil } && StagingArea.left(in: path).isEmpty)
        // A machine that never comes back leaves nothing for good; what states left is theirs.
        let later = WallClock.nanoseconds + 31 * 86_400_000_000_000
        #expect(own.map { $0.removeLeftovers(but: [], at: later) } == [1, 0])
        #expect(try theirs.map { try FileFacts.of($0) != nil } == [false, false, true, true])
    }

    @Test func goesAwayOnlyWhenEmpty() throws {
        let area = try StagingArea(scratch.path + "/staging")
        let part = area.newPart()
        try write([1], part)
        area.removeIfEmpty()
        #expect(FileManager.default.fileExists(atPath: part))
        unlink(part)
        area.removeIfEmpty()
        #expect(try scratch.names().isEmpty)
    }

    @Test func leavesNoTraceInAFolderThatPeopleLookInto() throws {
        let root = scratch.path + "/pictures"
        let area = try StagingArea(StagingArea.directory(below: root))
        let other = try StagingArea(StagingArea.directory(below: root))
        #expect(try FileFacts.of(root)?.mode != 0o700)
        area.removeIfEmpty()
        #expect(try FileFacts.of(area.directory) != nil)
        withExtendedLifetime(other) {}
        let last = try StagingArea(StagingArea.directory(below: scratch.path + "/empty"))
        last.removeIfEmpty()
        #expect(try FileSystem.names(in: scratch.path + "/empty").isEmpty)
    }

    @Test func writerHashesAsItGoes() throws {
        let area = try StagingArea(scratch.path)
        let part = area.newPart(), data = noise(500_000)
        let writer = try PartWriter(part, algorithms: [.md5])
        try writer.write(data.span.bytes.extracting(0..<1000))
        #expect(writer.count == 1000)
        try writer.write(data.span.bytes.extracting(1000..<500_000))
        let found = try writer.finish(modified: -1_500_000_000)
        #expect(try FileCopy.hash(path: part, algorithms: [.md5]).digests == found.digests)
        #expect(found.size == 500_000)
        #expect(try bytes(part) == data)
        #expect(try FileFacts.of(part)?.modified == -1_500_000_000)
    }

    @Test func questionsAboutPathsThatDoNotExistYet() throws {
        let deep = scratch.path + "/a/b/c"
        #expect(FileSystem.existing(deep) == scratch.path)
        #expect(FileSystem.same(deep, scratch.path))
        #expect(!FileSystem.same(deep, "/proc/self"))
        #expect(try FileSystem.freeBytes(deep) > 0)
        #expect(FileSystem.isWritable(deep))
        try FileManager.default.createDirectory(atPath: scratch.path + "/real", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: scratch.path + "/link", withDestinationPath: "real")
        let real = FileSystem.canonical(scratch.path + "/real")
        #expect(FileSystem.canonical(scratch.path + "//link/./new/../x/") == real + "/x")
        #expect(FileSystem.canonical("/") == "/")
        // A link to what is made only later is the same place before and after.
        for (name, end) in [("to", "later"), ("on", "to/x"), ("round", "round")] {
            try FileManager.default.createSymbolicLink(
                atPath: scratch.path + "/" + name, withDestinationPath: end == "later" ? scratch.path + "/later" : end)
        }
        let later = FileSystem.canonical(scratch.path) + "/later"
        for name in ["to", "to/", "on/../", "to/."] {
            #expect(FileSystem.canonical(scratch.path + "/" + name) == later)
        }
        #expect(FileSystem.canonical(scratch.path + "/on") == later + "/x")
        #expect(FileSystem.canonical(scratch.path + "/round").hasSuffix("/round"))
        #expect(FileSystem.canonical("/../nothing-here") == "/nothing-here")
    }
}
