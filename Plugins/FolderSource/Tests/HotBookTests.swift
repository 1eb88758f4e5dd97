import FileKit
import FilmgateCore
import Testing

@testable import FolderSource

/// The rules by which a file counts as whole, with a clock of the test's own.
@Suite struct HotBookTests {
    private let start = ContinuousClock.now
    private let book = Kept()

    /// The book by reference: expectations may change it.
    final class Kept {
        private var book = HotBook(.init(settle: .seconds(2), incomplete: .seconds(60)))
        var pending: Int { book.pending.count }
        var shots: [String: Int] { book.shots }

        func happened(_ path: String, _ entry: ScanEntry, closed: Bool, at now: ContinuousClock.Instant) {
            book.happened(path, entry, closed: closed, at: now)
        }
        func due(at now: ContinuousClock.Instant) -> [String] { book.due(at: now) }
        func step(_ path: String, _ entry: ScanEntry, at now: ContinuousClock.Instant) -> HotBook.Step { book.step(path, entry, at: now) }
        func writers(_ path: String, open: Bool?, at now: ContinuousClock.Instant) -> HotBook.Step {
            book.writers(path, open: open, at: now)
        }
        func inspected(_ path: String, isWhole: Bool, at now: ContinuousClock.Instant) -> Bool {
            book.inspected(path, isWhole: isWhole, at: now)
        }
        func tell(_ path: String, _ entry: ScanEntry) { book.tell(path, entry) }
        func gone(_ path: String) { book.gone(path) }
    }

    private func entry(_ size: UInt64, modified: Int64 = 1) -> ScanEntry {
        var entry = ScanEntry(path: "a.jpg", name: "a.jpg", depth: 0, type: .file)
        (entry.size, entry.modified, entry.inode) = (size, modified, 7)
        return entry
    }

    @Test func aClosedFileIsInspectedAfterItHasSettled() {
        book.happened("a.jpg", entry(5), closed: true, at: start)
        #expect(book.due(at: start + .seconds(1)).isEmpty)
        #expect(book.due(at: start + .seconds(2)) == ["a.jpg"])
        #expect(book.step("a.jpg", entry(5), at: start + .seconds(2)) == .askWriters)
        #expect(book.writers("a.jpg", open: nil, at: start + .seconds(2)) == .inspect)
        #expect(book.inspected("a.jpg", isWhole: true, at: start + .seconds(2)))
    }

    @Test func aFileThatGrowsWaitsAnew() {
        book.happened("a.jpg", entry(5), closed: true, at: start)
        _ = book.due(at: start + .seconds(2))
        #expect(book.step("a.jpg", entry(6), at: start + .seconds(2)) == .wait)
        #expect(book.due(at: start + .milliseconds(3900)).isEmpty)
        #expect(book.due(at: start + .seconds(4)) == ["a.jpg"])
        // It grew after its writer had closed it: somebody writes again.
        #expect(book.step("a.jpg", entry(6), at: start + .seconds(4)) == .askWriters)
        #expect(book.writers("a.jpg", open: true, at: start + .seconds(4)) == .wait)
        #expect(book.writers("a.jpg", open: false, at: start + .seconds(6)) == .inspect)
    }

    @Test func anIncompleteFileIsTakenWhenItsTimeIsOver() {
        book.happened("a.jpg", entry(5), closed: true, at: start)
        #expect(!book.inspected("a.jpg", isWhole: false, at: start + .seconds(2)))
        #expect(book.due(at: start + .seconds(3)) == ["a.jpg"])
        #expect(!book.inspected("a.jpg", isWhole: false, at: start + .seconds(59)))
        #expect(book.inspected("a.jpg", isWhole: false, at: start + .seconds(60)))
    }

    @Test func whatWasToldIsNotToldAgainUntilItChanges() {
        book.happened("a.jpg", entry(5), closed: true, at: start)
        book.tell("a.jpg", entry(5))
        #expect(book.pending == 0)
        book.happened("a.jpg", entry(5), closed: true, at: start)
        #expect(book.pending == 0)
        book.happened("a.jpg", entry(5, modified: 2), closed: true, at: start)
        #expect(book.pending == 1)
        book.gone("a.jpg")
        #expect(book.pending == 0)
        #expect(book.shots.isEmpty)
        #expect(book.due(at: start + .seconds(100)).isEmpty)
    }

    @Test func aCannotKnowIsDecidedByTime() {
        book.happened("a.jpg", entry(5), closed: false, at: start)
        #expect(book.writers("a.jpg", open: nil, at: start + .seconds(1)) == .wait)
        #expect(book.writers("a.jpg", open: nil, at: start + .seconds(2)) == .inspect)
    }

    @Test func filesOfOneShotAreKnownToBelongTogether() {
        #expect(HotBook.shotKey("x/IMG_1.CR3") == HotBook.shotKey("x/img_1.jpg"))
        #expect(HotBook.shotKey("x/IMG_1.CR3.xmp") == HotBook.shotKey("x/IMG_1.XMP"))
        #expect(HotBook.shotKey("x/IMG_1.CR3") != HotBook.shotKey("y/IMG_1.CR3"))
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
