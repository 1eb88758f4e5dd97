import FilmgateCore
import Foundation
import Testing

@testable import FileKit

@Suite struct PartJournalTests {
    let scratch: Scratch
    /// Three blocks, as they are written.
    static let data = (0..<48).reduce(into: [] as [UInt8]) { all, _ in all += noise(1 << 16) }
    let data = Self.data
    let block = 1 << 20
    init() throws { scratch = try Scratch() }

    private func origin(size: UInt64 = 3 << 20, modified: Int64 = 5, volume: String = "ptp:A:B:1") -> Origin {
        Origin(source: "ptp", volume: volume, root: "ptpip://x", path: "DCIM/A.MOV", size: size, modified: modified)
    }

    /// What a run leaves that was killed after its last checkpoint.
    private func cutOff(at offset: Int, behind: Int = 0) throws -> String {
        let area = try StagingArea(scratch.path), part = area.newPart()
        let writer = try PartWriter(part)
        let journal = PartJournal(for: part, identity: PartJournal.identity(of: origin()))
        try writer.write(data.span.bytes.extracting(0..<offset))
        #expect(journal.checkpoint(writer)?.offset == UInt64(offset))
        if behind > 0 { try writer.write(data.span.bytes.extracting(offset..<offset + behind)) }
        return part
    }

    @Test func theNextRunFindsWhatWasCutOffAndGoesOn() throws {
        let part = try cutOff(at: 2 * block, behind: 50_000)
        let next = try StagingArea(scratch.path)
        #expect(next.removeLeftovers() == 0)
        let old = try #require(next.unfinished().first)
        #expect((old.identity, old.part, old.checkpoint.offset) == (PartJournal.identity(of: origin()), part, 2 << 20))
        let (taken, journal) = try #require(try next.adopt(old))
        #expect(try next.adopt(old) == nil)
        let writer = try PartWriter(resuming: taken, at: old.checkpoint)
        #expect(writer.count == 2 << 20)
        #expect(try writer.bytes(in: (2 << 20) - 10..<(2 << 20) + 10) == Array(data[2 * block - 10..<2 * block]))
        try writer.write(data.span.bytes.extracting(2 * block..<3 * block))
        let (size, digests) = try writer.finish(modified: nil)
        #expect(size == 3 << 20 && digests.sha256 == MultiHasher.digest(of: data, .sha256))
        #expect(try bytes(taken) == data)
        journal.remove()
        #expect(try scratch.names().filter { $0.hasSuffix(".resume") }.isEmpty)
    }

    @Test func nothingIsWrittenBeforeTheFirstCheckpoint() throws {
        let journal = PartJournal(for: scratch.path + "/x.part", identity: "i")
        #expect(!journal.isOpen)
        journal.remove()
        #expect(try scratch.names().isEmpty)
    }

    @Test func aLaterCheckpointCountsAndTheJournalDoesNotGrow() throws {
        let part = scratch.path + "/x.part"
        let journal = PartJournal(for: part, identity: String(repeating: "a", count: 64))
        let path = PartJournal.path(of: part)
        for offset in 1...50 {
            try journal.checkpoint(
                PartJournal.Checkpoint(offset: UInt64(offset), sha256: String(repeating: "b", count: 64)))
        }
        #expect(PartJournal.read(path)?.checkpoint.offset == 50)
        #expect(try bytes(path).count < 512)
    }

    /// Power may go in the middle of any write.
    @Test func aTornRecordLeavesTheOneBefore() throws {
        let part = scratch.path + "/x.part"
        let journal = PartJournal(for: part, identity: String(repeating: "a", count: 64))
        let path = PartJournal.path(of: part)
        for offset in 1...2 {
            try journal.checkpoint(
                PartJournal.Checkpoint(offset: UInt64(offset), sha256: String(repeating: "b", count: 64)))
        }
        let whole = try bytes(path)
        for length in 0..<whole.count {
            try write(Array(whole[..<length]), path)
            #expect([nil, 1].contains(PartJournal.read(path)?.checkpoint.offset))
        }
        for index in whole.indices {
            var other = whole
            other[index] ^= 1
            try write(other, path)
            #expect([nil, 1, 2].contains(PartJournal.read(path)?.checkpoint.offset))
            if index >= whole.count - 128, index < whole.count - 40 {
                #expect(PartJournal.read(path)?.checkpoint.offset == 1)
            }
        }
    }

    @Test func bytesThatTheDiskLostAreNotGoneOnFrom() throws {
        let part = try cutOff(at: 2 * block)
        let checkpoint = try #require(PartJournal.read(PartJournal.path(of: part))).checkpoint
        var other = data
        other[100] ^= 1
        try write(Array(other[..<(2 * block)]), part)
        #expect(throws: IngestError.self) { try PartWriter(resuming: part, at: checkpoint) }
        try write(Array(data[..<(2 * block - 1)]), part)
        #expect(throws: IngestError.self) { try PartWriter(resuming: part, at: checkpoint) }
        #expect(try StagingArea(scratch.path).unfinished().isEmpty)
    }

    @Test func whatIsOldOrHasNoPartGoes() throws {
        let part = try cutOff(at: block), alone = try cutOff(at: 2 * block)
        try FileManager.default.removeItem(atPath: alone)
        let next = try StagingArea(scratch.path)
        next.removeLeftovers()
        #expect(try scratch.names().filter { $0.hasSuffix(".resume") }.count == 1)
        let week = Date(timeIntervalSinceNow: -8 * 86_400)
        try FileManager.default.setAttributes([.modificationDate: week], ofItemAtPath: PartJournal.path(of: part))
        #expect(next.unfinished().isEmpty)
        #expect(next.removeLeftovers() == 1)
        #expect(try scratch.names().allSatisfy { $0.hasSuffix(".lock") })
    }

    @Test func onlyTheLatestFewAreKept() throws {
        for _ in 0..<5 { _ = try cutOff(at: block) }
        let next = try StagingArea(scratch.path)
        #expect(next.unfinished().count == 5)
        #expect(next.unfinished(most: 2).count == 2)
    }

    @Test func theLivingKeepTheirs() throws {
        let living = try StagingArea(scratch.path), part = living.newPart()
        let writer = try PartWriter(part), journal = PartJournal(for: part, identity: "i")
        try writer.write(data.span.bytes)
        journal.checkpoint(writer)
        let other = try StagingArea(scratch.path)
        #expect(other.unfinished().isEmpty && other.removeLeftovers() == 0)
        withExtendedLifetime(living) {}
    }

    @Test func everyPartOfTheOriginCounts() {
        let all = [origin(), origin(size: 5), origin(modified: 6), origin(volume: "ptp:A:B:2")].map(
            PartJournal.identity)
        #expect(Set(all).count == 4)
        #expect(PartJournal.identity(of: origin()) == all[0])
    }
}
