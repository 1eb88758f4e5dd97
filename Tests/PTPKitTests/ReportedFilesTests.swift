import FilmgateCore
import Testing

@testable import PTPKit

@Suite struct ReportedFilesTests {
    private static let second: Int64 = 1_000_000_000
    /// A moment in 2026.
    private static let noon: Int64 = 1_779_000_000

    private func facts(
        _ size: UInt64 = 1, at time: Int64 = ReportedFilesTests.noon, label: String = "SD", handle: UInt32 = 7,
        visit: UInt32 = 0
    ) -> ReportedFiles.Facts {
        ReportedFiles.Facts(
            size: size, modified: time * Self.second, medium: MediumIdentity(labels: [label], guid: []),
            handle: ObjectHandle(handle), visit: visit)
    }

    @Test func aFileIsKnownByPathSizeTimeAndMedium() {
        var told = ReportedFiles()
        told.insert("DCIM/A.JPG", facts(5_000_000_000))
        #expect(told.contains("DCIM/A.JPG", facts(5_000_000_000, handle: 8, visit: 1)))
        #expect(!told.contains("DCIM/B.JPG", facts(5_000_000_000)))
        #expect(!told.contains("DCIM/A.JPG", facts(5_000_000_001)))
        // The same in the lower 32 bits.
        #expect(!told.contains("DCIM/A.JPG", facts(5_000_000_000 - 4_294_967_296)))
        #expect(!told.contains("DCIM/A.JPG", facts(5_000_000_000, label: "OTHER")))
    }

    @Test(arguments: [(-2, true), (2, true), (-3, false), (3, false)] as [(Int64, Bool)])
    func eventsAndListingsMayDifferByTwoSeconds(_ shift: Int64, _ isKnown: Bool) {
        var told = ReportedFiles()
        told.insert("A", facts())
        #expect(told.contains("A", facts(at: Self.noon + shift)) == isKnown)
    }

    /// Another card may be in: without a date only the handle says that it is the same object, and only for as long as
    /// handles hold.
    @Test(arguments: [0, 1, -5, 315_532_800 + 100] as [Int64])
    func withoutADateOnlyTheObjectItselfIsKnown(_ time: Int64) {
        var told = ReportedFiles()
        told.insert("A", facts(at: time))
        #expect(told.contains("A", facts(at: time)))
        #expect(!told.contains("A", facts(at: time, handle: 8)))
        #expect(!told.contains("A", facts(at: time, visit: 1)))
        #expect(!told.contains("A", facts(visit: 1)))
    }

    @Test func whatWasRemovedIsNewAgain() {
        var told = ReportedFiles()
        told.insert("A", facts())
        told.remove("A")
        #expect(!told.contains("A", facts()) && told.count == 0)
    }
}
