import FilmgateCore
import Foundation
import Glibc
import Synchronization
import Testing

@testable import FileKit

@Suite struct FileCopyTests {
    let scratch: Scratch
    init() throws { scratch = try Scratch() }
    var part: String { scratch.path + "/a.part" }

    @Test(arguments: [
        0, 1, 4096, BufferPool.blockSize - 1, BufferPool.blockSize, BufferPool.blockSize + 1, 3_145_728, 3_333_333,
    ])
    func copiesEveryByteWithTimeAndMode(size: Int) throws {
        let data = noise(size)
        let source = try scratch.file("a.jpg", data)
        let times = [timeval(tv_sec: 0, tv_usec: 0), timeval(tv_sec: 1_700_000_001, tv_usec: 250_000)]
        #expect(utimes(source, times) == 0)
        chmod(source, 0o400)
        var seen: UInt64 = 0
        let result = try FileCopy.copy(
            from: source, toPart: part, options: CopyOptions(algorithms: [.xxh128]), progress: { seen += $0 })
        #expect(try bytes(part) == data)
        #expect(result.size == UInt64(size) && seen == UInt64(size))
        var hasher = MultiHasher([.xxh128])
        hasher.update(data.span.bytes)
        let expected = hasher.finish()
        #expect(result.digests == expected)
        let facts = try #require(try FileFacts.of(part))
        #expect(facts.modified == 1_700_000_001_250_000_000)
        #expect(facts.mode == 0o644)
        #expect(try FileCopy.hash(path: source, algorithms: [.xxh128]).digests == result.digests)
    }

    @Test func replacesWhatACrashedRunLeft() throws {
        let source = try scratch.file("a.jpg", noise(100))
        let victim = try scratch.file("precious", [1, 2, 3])
        try FileManager.default.createSymbolicLink(atPath: part, withDestinationPath: victim)
        _ = try FileCopy.copy(from: source, toPart: part)
        #expect(try bytes(part) == noise(100))
        #expect(try bytes(victim) == [1, 2, 3])
    }

    @Test func missingSource() throws {
        #expect(code { try FileCopy.copy(from: scratch.path + "/no", toPart: part) } == .notFound)
        #expect(code { try FileCopy.copy(from: scratch.path + "/no\0thing", toPart: part) } == .notFound)
        #expect(try scratch.names().isEmpty)
    }

    @Test func onlyOrdinaryFilesAreRead() throws {
        let source = try scratch.file("a.jpg", [1])
        try FileManager.default.createSymbolicLink(atPath: scratch.path + "/link", withDestinationPath: source)
        #expect(mkfifo(scratch.path + "/fifo", 0o600) == 0)
        for name in ["link", "fifo", "."] {
            #expect(code { try FileCopy.copy(from: scratch.path + "/" + name, toPart: part) } == .unreadable, "\(name)")
        }
        #expect(!FileManager.default.fileExists(atPath: part))
    }

    @Test func writeErrorsAreNotReadErrors() throws {
        let source = try scratch.file("a.jpg", [1])
        #expect(code { try FileCopy.copy(from: source, toPart: scratch.path + "/no/a.part") } == .unavailable)
        #expect(code { try FileCopy.copy(from: source, toPart: source + "/a.part") } == .rejected)
    }

    @Test func aSourceThatGrowsOrIsTouchedIsCorrupt() throws {
        let source = try scratch.file("a.jpg", noise(BufferPool.blockSize * 2))
        for change: @Sendable () -> Void in [{ truncate(source, 10) }, { utimes(source, nil) }] {
            #expect(code { try FileCopy.copy(from: source, toPart: part, progress: { _ in change() }) } == .corruptData)
            #expect(!FileManager.default.fileExists(atPath: part))
        }
    }

    @Test func stopsBetweenBlocksAndLeavesNothing() throws {
        let source = try scratch.file("a.jpg", noise(BufferPool.blockSize * 2))
        let blocks = Atomic(0)
        let stopped = code {
            try FileCopy.copy(from: source, toPart: part, cancelled: { blocks.load(ordering: .relaxed) == 1 }) { _ in
                blocks.add(1, ordering: .relaxed)
            }
        }
        #expect(stopped == .cancelled)
        #expect(!FileManager.default.fileExists(atPath: part))
    }

    @Test(arguments: [3, 4])
    func aBadBlockIsTriedFourTimesInAll(failures: Int) throws {
        let data = noise(BufferPool.blockSize + 5)
        let source = try scratch.file("a.jpg", data)
        let tries = Counter()
        var reader = BlockReader()
        let sound = reader.read
        reader.waits = [0, 0, 0]
        reader.read = { descriptor, block, offset in
            offset > 0 && tries.next() <= failures ? -Int(EIO) : sound(descriptor, block, offset)
        }
        let found = code {
            try FileCopy.copy(
                from: source, toPart: part, options: CopyOptions(reflink: false), reader: reader, cancelled: { false },
                progress: { _ in })
        }
        #expect(found == (failures == 3 ? nil : .unreadable))
        if failures == 3 { #expect(try bytes(part) == data) }
    }

    @Test(arguments: [4096, 5000, 4095, 1 << 20]) func sourcesThatReadInOddPiecesArriveWhole(piece: Int) throws {
        let data = noise(Int(BlockWriter.threshold) + BufferPool.blockSize + 17)
        let source = try scratch.file("a.cr3", data)
        var reader = BlockReader()
        let sound = reader.read
        reader.read = { descriptor, block, offset in
            // Whole blocks first, so that writing past the cache has begun.
            let count = offset < 2 << 20 ? block.count : min(piece, block.count)
            return sound(descriptor, UnsafeMutableRawBufferPointer(rebasing: block[..<count]), offset)
        }
        let result = try FileCopy.copy(
            from: source, toPart: part, options: CopyOptions(reflink: false), reader: reader, cancelled: { false },
            progress: { _ in })
        #expect(try bytes(part) == data)
        #expect(try FileCopy.hash(path: part).digests == result.digests)
    }

    @Test func aCardThatIsPulledOutIsGone() throws {
        let source = try scratch.file("a.jpg", noise(10))
        var reader = BlockReader()
        reader.read = { _, _, _ in -Int(ENODEV) }
        let found = code {
            try FileCopy.copy(
                from: source, toPart: part, options: CopyOptions(), reader: reader, cancelled: { false },
                progress: { _ in })
        }
        #expect(found == .deviceGone)
    }
}

final class Counter: Sendable {
    private let count = Atomic(0)
    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

/// The code of the error that `body` throws, nil when it throws none.
func code<Value>(_ body: () throws -> Value) -> IngestError.Code? {
    do {
        _ = try body()
        return nil
    } catch { return (error as? IngestError)?.code ?? .unexpected }
}
