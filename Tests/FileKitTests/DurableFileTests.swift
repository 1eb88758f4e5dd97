import FilmgateCore
import Foundation
import Glibc
import Testing

@testable import FileKit

@Suite struct DurableFileTests {
    let scratch: Scratch
    init() throws { scratch = try Scratch() }

    @Test func publishGivesTheName() throws {
        let part = try scratch.file("a.part", [1, 2])
        try DurableFile.publish(part: part, as: scratch.path + "/a.jpg")
        #expect(try scratch.names() == ["a.jpg"])
    }

    @Test func publishNeverReplaces() throws {
        let part = try scratch.file("a.part", [1, 2])
        let taken = try scratch.file("a.jpg", [9])
        #expect(code { try DurableFile.publish(part: part, as: taken) } == .nameTaken)
        try FileManager.default.createSymbolicLink(atPath: scratch.path + "/dangling", withDestinationPath: "/nowhere")
        try FileManager.default.createDirectory(atPath: scratch.path + "/folder", withIntermediateDirectories: true)
        for name in ["dangling", "folder"] {
            #expect(code { try DurableFile.publish(part: part, as: scratch.path + "/" + name) } == .nameTaken)
        }
        #expect(try bytes(taken) == [9])
        #expect(try bytes(part) == [1, 2])
    }

    /// Named, and its folder could not be flushed: whoever reads it by its earlier name still can.
    @Test func whatWasNamedInVainGetsItsNameAgain() throws {
        let part = try scratch.file("a.part", [1, 2]), final = scratch.path + "/a.jpg"
        let facts = try #require(try FileFacts.of(part))
        try FileManager.default.moveItem(atPath: part, toPath: final)
        DurableFile.takeBack(final, to: part, facts)
        #expect(try bytes(part) == [1, 2] && FileFacts.of(final) == nil)
        // Somebody else's file of that name is none of ours, whether ours is still there or gone.
        _ = try scratch.file("a.jpg", [9])
        DurableFile.takeBack(final, to: part, facts)
        try FileManager.default.removeItem(atPath: part)
        DurableFile.takeBack(final, to: part, facts)
        #expect(try bytes(final) == [9] && FileFacts.of(part) == nil)
    }

    @Test func publishTellsWhichSideIsMissing() throws {
        #expect(
            code { try DurableFile.publish(part: scratch.path + "/no.part", as: scratch.path + "/a.jpg") } == .notFound)
        let part = try scratch.file("a.part", [1])
        #expect(code { try DurableFile.publish(part: part, as: scratch.path + "/gone/a.jpg") } == .unavailable)
    }

    @Test func directoriesAreMadeFromTheTop() async throws {
        let path = scratch.path + "/2026/2026-05-01/x"
        await withTaskGroup(of: IngestError.Code?.self) { group in
            for _ in 0..<8 { group.addTask { code { try DurableFile.makeDirectories(path) } } }
            for await failure in group { #expect(failure == nil) }
        }
        #expect(try FileFacts.of(path)?.kind == .directory)
        try DurableFile.makeDirectories(path + "/")
        try scratch.file("file", [])
        #expect(code { try DurableFile.makeDirectories(scratch.path + "/file") } == .rejected)
        #expect(code { try DurableFile.makeDirectories(scratch.path + "/file/below") } == .rejected)
    }

    /// The system says that the parent is missing, and it is there.
    @Test func whereNothingCanBeMadeThatIsSaid() throws {
        #expect(code { try DurableFile.makeDirectories("/proc/self/made/below") } == .unavailable)
    }

    @Test func atomicWriteReplacesWhole() throws {
        let path = try scratch.file("manifest", [1, 2, 3])
        try DurableFile.atomicWrite([UInt8]("new".utf8).span.bytes, to: path, mode: 0o600)
        #expect(try bytes(path) == [UInt8]("new".utf8))
        #expect(try FileFacts.of(path)?.mode == 0o600)
        #expect(try scratch.names() == ["manifest"])
        #expect(code { try DurableFile.atomicWrite([UInt8]("x".utf8).span.bytes, to: scratch.path) } != nil)
        #expect(try scratch.names() == ["manifest"])
    }

    @Test func rereadEqualsTheCopy() throws {
        for size in [0, 1, 4096, 3_333_333] {
            let path = try scratch.file("a", noise(size))
            let read = try FileCopy.hash(path: path, algorithms: [.xxh128])
            for algorithm in [DigestAlgorithm.sha256, .xxh128] {
                let found = try Reread.digest(of: path, algorithm)
                #expect(found.digest == read.digests[algorithm])
                #expect(found.size == UInt64(size))
            }
        }
        #expect(code { try Reread.digest(of: scratch.path + "/none", .sha256) } == .notFound)
        #expect(code { try Reread.digest(of: scratch.path, .sha256) } == .unreadable)
    }

    /// What memory still holds and the disk cannot take would be read from memory, and count as proof.
    @Test(arguments: [EIO, ENOSPC, EBADF, EROFS, 0])
    func aDiskThatFailsToTakeACopyProvesNothing(_ answer: Int32) throws {
        let file = try OpenFile.reading(try scratch.file("a", [1])).file
        var answers = [EINTR, answer]
        let failure = code { try Reread.flush(file) { _ in answers.removeFirst() } }
        #expect(failure == (answer == EIO ? .unavailable : answer == ENOSPC ? .storageFull : nil))
    }

    @Test func appendsAndReadsBack() throws {
        let path = scratch.path + "/new/journal"
        #expect(try FileSystem.contents(of: path) == nil)
        try DurableFile.append([1, 2], to: path)
        try DurableFile.append([3], to: path)
        #expect(try FileSystem.contents(of: path) == [1, 2, 3])
        #expect(try FileFacts.of(path)?.mode == 0o600)
        #expect(code { try FileSystem.contents(of: path, limit: 2) } == .unreadable)
        #expect(try FileSystem.names(in: scratch.path + "/new") == ["journal"])
        #expect(try FileSystem.names(in: scratch.path + "/none").isEmpty)
        FileSystem.remove(path)
        FileSystem.remove(path)
        #expect(try FileSystem.contents(of: path) == nil)
    }

    @Test func namesThatAreNotTextAreBytes() throws {
        let folder = scratch.path
        let odd = String(pathBytes: [UInt8]("\(folder)/IMG_".utf8) + [0xFF, 0xFE] + [UInt8](".JPG".utf8))
        let part = try scratch.file("x.part", [1, 2, 3])
        try DurableFile.publish(part: part, as: odd)
        #expect(try FileCopy.hash(path: odd).size == 3)
        #expect(try Reread.digest(of: odd, .xxh128).size == 3)
        #expect(FileSystem.canonical(odd).hasSuffix(String(odd.suffix(6))))
        #expect(try FileSystem.names(in: folder).map { PathText.bytes(of: $0).count } == [10])
    }

    @Test func aLockHasOneOwner() async throws {
        let folder = scratch.path
        let counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let lock = try FolderLock(folder)
                    let before = counter.next()
                    #expect(counter.next() == before + 1)
                    withExtendedLifetime(lock) {}
                }
            }
            try await group.waitForAll()
        }
    }

    /// The next one may hold the file that the one before removes.
    @Test func aLockFileHasOneOwnerAndLeavesNothing() async throws {
        let path = scratch.path + "/.own/x.lock", counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<20 {
                        let lock = try LockFile(path), before = counter.next()
                        #expect(counter.next() == before + 1)
                        withExtendedLifetime(lock) {}
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try scratch.names().isEmpty)
    }

    @Test func createNeverReplaces() throws {
        let taken = try scratch.file("manifest", [1, 2, 3])
        #expect(code { try DurableFile.create([UInt8]("x".utf8).span.bytes, at: taken) } == .nameTaken)
        #expect(try bytes(taken) == [1, 2, 3])
        try DurableFile.create([UInt8]("x".utf8).span.bytes, at: taken + ".2")
        #expect(try bytes(taken + ".2") == [UInt8]("x".utf8) && scratch.names() == ["manifest", "manifest.2"])
        #expect(
            DurableFile.isPart(".1f.part") && ![".01.part", "1f.part", ".x.part"].contains(where: DurableFile.isPart))
    }
}
