import FilmgateCore
import Foundation
import Synchronization
import Testing

@testable import FileKit

/// What comes from a camera on its way to the disk: gathered in blocks, hashed and written behind the one who brings
/// it.
@Suite struct PartWriterTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: [0, 1, 4096, 1 << 20, (1 << 20) + 1, (7 << 20) + 4097], [1000, 70_001, 1 << 20, 3 << 20])
    func bytesOfAnySizeInPiecesOfAnySizeArrive(size: Int, piece: Int) throws {
        let path = scratch.path + "/a.part", data = noise(size)
        let writer = try PartWriter(path, algorithms: [.md5], size: UInt64(size))
        for start in stride(from: 0, to: size, by: piece) {
            try writer.write(data.span.bytes.extracting(start..<min(size, start + piece)))
        }
        #expect(writer.count == UInt64(size))
        let found = try writer.finish(modified: nil)
        #expect(found.size == UInt64(size))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(data))
        #expect(try FileCopy.hash(path: path, algorithms: [.md5]).digests == found.digests)
    }

    @Test(arguments: [0, 5 << 20, 20 << 20])
    func aSizeThatWasWronglyExpectedDoesNoHarm(expected: Int) throws {
        let path = scratch.path + "/a.part", data = noise((9 << 20) + 5)
        let writer = try PartWriter(path, size: UInt64(expected))
        try writer.write(data.span.bytes)
        #expect(try writer.finish(modified: nil).size == UInt64(data.count))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(data))
    }

    /// While it is written past the cache: a camera that comes back is asked for the same bytes at any place.
    @Test func whatHasComeCanBeReadAtOddPlaces() throws {
        let bytes = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 16) }
        let part = scratch.path + "/a.part", writer = try PartWriter(part, size: UInt64(2 * bytes.count))
        try writer.write(bytes.span.bytes)
        _ = try writer.settled()
        for start in [5, (1 << 20) + 5, (6 << 20) - 3] {
            #expect(try writer.bytes(in: UInt64(start)..<UInt64(start + 1001)) == Array(bytes[start..<(start + 1001)]))
        }
    }

    /// What a crashed run left there, and is longer (case 23).
    @Test func aPartLeftByACrashIsReplaced() throws {
        let path = scratch.path + "/a.part"
        try Data(noise(50_000)).write(to: URL(fileURLWithPath: path))
        let writer = try PartWriter(path)
        try writer.write(noise(10).span.bytes)
        _ = try writer.finish(modified: nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(noise(10)))
    }

    @Test func aFileThatIsGivenUpHalfWayEnds() throws {
        let writer = try PartWriter(scratch.path + "/a.part", size: 90 << 20)
        for _ in 0..<9 { try writer.write(noise(1 << 20).span.bytes) }
        #expect(writer.count == 9 << 20)
    }

    /// The reader must hear of it before it has fetched much more.
    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/full")))
    func aFullDiskIsToldToWhoeverBringsTheBytes() throws {
        let writer = WriteBehind(
            BlockWriter(OpenFile(owning: open("/dev/full", O_WRONLY), "/dev/full"), size: 0), MultiHasher())
        var failure: IngestError?
        for _ in 0..<50 where failure == nil {
            do throws(IngestError) { try writer.add(writer.lend(), 1 << 20) } catch { failure = error }
        }
        #expect(failure?.code == .storageFull)
        #expect(throws: IngestError.self) { try writer.finish(nil, 0, isOnly: false) }
    }

    /// The checkpoint hears of it, and the flush at the end finds nothing more to do: what is lost would count as safe.
    @Test func aFlushThatFailedOnceFailsTheFile() throws {
        let part = scratch.path + "/a.part", isFirst = Mutex(true)
        let writer = try PartWriter(part) { _ throws(IngestError) in
            let fails = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if fails { throw .writing(part, EIO) }
        }
        try writer.write(noise(9 << 20).span.bytes)
        #expect(PartJournal(for: part, identity: "x").checkpoint(writer) == nil)
        #expect(code { try writer.finish(modified: nil) } == .unavailable)
        #expect(!isFirst.withLock { $0 })
    }

    @Test func aFolderThatIsNotThereIsToldAtOnce() {
        #expect(throws: IngestError.self) { try PartWriter(scratch.path + "/no/such/a.part") }
    }
}
