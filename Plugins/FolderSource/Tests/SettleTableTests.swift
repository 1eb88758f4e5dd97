import FileKit
import FilmgateCore
import Testing

@testable import FolderSource

/// The rules by which a file counts as whole, with a clock of the test's own.
@Suite struct SettleTableTests {
    private let start = ContinuousClock.now
    private let table = Kept()

    /// The table by reference: expectations may change it.
    final class Kept {
        private var table = SettleTable(.init(settle: .seconds(2), incomplete: .seconds(60)))
        var pending: Int { table.pending.count }
        var shots: [String: Int] { table.shots }

        func happened(_ path: String, _ entry: ScanEntry, closed: Bool, at now: ContinuousClock.Instant) {
            table.happened(path, entry, closed: closed, at: now)
        }
        func due(at now: ContinuousClock.Instant) -> [String] { table.due(at: now) }
        func step(_ path: String, _ entry: ScanEntry, at now: ContinuousClock.Instant) -> SettleTable.Step {
            table.step(path, entry, at: now)
        }
        func writers(_ path: String, open: Bool?, at now: ContinuousClock.Instant) -> SettleTable.Step {
            table.writers(path, open: open, at: now)
        }
        func inspected(_ path: String, isWhole: Bool, at now: ContinuousClock.Instant) -> Bool {
            table.inspected(path, isWhole: isWhole, at: now)
        }
        func tell(_ path: String, _ entry: ScanEntry) { table.tell(path, entry) }
        func gone(_ path: String) { table.gone(path) }
    }

    private func entry(_ size: UInt64, modified: Int64 = 1) -> ScanEntry {
        var entry = ScanEntry(path: "a.jpg", name: "a.jpg", depth: 0, type: .file)
        (entry.size, entry.modified, entry.inode) = (size, modified, 7)
        return entry
    }

    @Test func aClosedFileIsInspectedAfterItHasSettled() {
        table.happened("a.jpg", entry(5), closed: true, at: start)
        #expect(table.due(at: start + .seconds(1)).isEmpty)
        #expect(table.due(at: start + .seconds(2)) == ["a.jpg"])
        #expect(table.step("a.jpg", entry(5), at: start + .seconds(2)) == .askWriters)
        #expect(table.writers("a.jpg", open: nil, at: start + .seconds(2)) == .inspect)
        #expect(table.inspected("a.jpg", isWhole: true, at: start + .seconds(2)))
    }

    @Test func aFileThatGrowsWaitsAnew() {
        table.happened("a.jpg", entry(5), closed: true, at: start)
        _ = table.due(at: start + .seconds(2))
        #expect(table.step("a.jpg", entry(6), at: start + .seconds(2)) == .wait)
        #expect(table.due(at: start + .milliseconds(3900)).isEmpty)
        #expect(table.due(at: start + .seconds(4)) == ["a.jpg"])
        // It grew after its writer had closed it: somebody writes again.
        #expect(table.step("a.jpg", entry(6), at: start + .seconds(4)) == .askWriters)
        #expect(table.writers("a.jpg", open: true, at: start + .seconds(4)) == .wait)
        #expect(table.writers("a.jpg", open: false, at: start + .seconds(6)) == .inspect)
    }

    @Test func anIncompleteFileIsTakenWhenItsTimeIsOver() {
        table.happened("a.jpg", entry(5), closed: true, at: start)
        #expect(!table.inspected("a.jpg", isWhole: false, at: start + .seconds(2)))
        #expect(table.due(at: start + .seconds(3)) == ["a.jpg"])
        #expect(!table.inspected("a.jpg", isWhole: false, at: start + .seconds(59)))
        #expect(table.inspected("a.jpg", isWhole: false, at: start + .seconds(60)))
    }

    @Test func whatWasToldIsNotToldAgainUntilItChanges() {
        table.happened("a.jpg", entry(5), closed: true, at: start)
        table.tell("a.jpg", entry(5))
        #expect(table.pending == 0)
        table.happened("a.jpg", entry(5), closed: true, at: start)
        #expect(table.pending == 0)
        table.happened("a.jpg", entry(5, modified: 2), closed: true, at: start)
        #expect(table.pending == 1)
        table.gone("a.jpg")
        #expect(table.pending == 0)
        #expect(table.shots.isEmpty)
        #expect(table.due(at: start + .seconds(100)).isEmpty)
    }

    @Test func aCannotKnowIsDecidedByTime() {
        table.happened("a.jpg", entry(5), closed: false, at: start)
        #expect(table.writers("a.jpg", open: nil, at: start + .seconds(1)) == .wait)
        #expect(table.writers("a.jpg", open: nil, at: start + .seconds(2)) == .inspect)
    }

    @Test func filesOfOneShotAreKnownToBelongTogether() {
        #expect(SettleTable.shotKey("x/IMG_1.CR3") == SettleTable.shotKey("x/img_1.jpg"))
        #expect(SettleTable.shotKey("x/IMG_1.CR3.xmp") == SettleTable.shotKey("x/IMG_1.XMP"))
        #expect(SettleTable.shotKey("x/IMG_1.CR3") != SettleTable.shotKey("y/IMG_1.CR3"))
    }

    @Test func theHeapGivesTheEarliestFirst() {
        var heap = DueHeap()
        for number in [5, 3, 9, 1, 7, 3] { heap.push(PathKey("\(number)"), start + .seconds(number)) }
        var order: [String] = []
        while let next = heap.pop(by: start + .seconds(8)) { order.append(next.key.text) }
        #expect(order == ["1", "3", "3", "5", "7"])
        #expect(heap.count == 1)
    }
}
