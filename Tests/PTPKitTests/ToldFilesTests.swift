import Testing

@testable import PTPKit

@Suite struct ToldFilesTests {
    private let second: Int64 = 1_000_000_000

    @Test func aFileIsKnownByPathSizeAndTime() {
        var told = ToldFiles()
        told.insert("DCIM/A.JPG", size: 5_000_000_000, modified: 100 * second)
        #expect(told.contains("DCIM/A.JPG", size: 5_000_000_000, modified: 100 * second))
        #expect(!told.contains("DCIM/B.JPG", size: 5_000_000_000, modified: 100 * second))
        #expect(!told.contains("DCIM/A.JPG", size: 5_000_000_001, modified: 100 * second))
        // The same in the lower 32 bits.
        #expect(!told.contains("DCIM/A.JPG", size: 5_000_000_000 - 4_294_967_296, modified: 100 * second))
    }

    @Test(arguments: [(98, true), (102, true), (97, false), (103, false)] as [(Int64, Bool)])
    func eventsAndListingsMayDifferByTwoSeconds(_ time: Int64, _ isKnown: Bool) {
        var told = ToldFiles()
        told.insert("A", size: 1, modified: 100 * second)
        #expect(told.contains("A", size: 1, modified: time * second) == isKnown)
    }

    @Test func timesBefore1970AndNoTimeAtAllAreTimes() {
        var told = ToldFiles()
        told.insert("A", size: 1, modified: 0)
        told.insert("B", size: 1, modified: -5 * second)
        #expect(told.contains("A", size: 1, modified: second) && told.contains("B", size: 1, modified: -4 * second))
    }

    @Test func whatWasRemovedIsNewAgain() {
        var told = ToldFiles()
        told.insert("A", size: 1, modified: 0)
        told.remove("A")
        #expect(!told.contains("A", size: 1, modified: 0) && told.count == 0)
    }
}
