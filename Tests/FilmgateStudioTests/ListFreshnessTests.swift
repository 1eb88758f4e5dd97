import Testing

@testable import FilmgateStudio

/// When the ledger is asked, and for how much.
@Suite struct ListFreshnessTests {
    private static let start = ContinuousClock.now

    private func after(_ seconds: Double) -> ContinuousClock.Instant { Self.start + .seconds(seconds) }

    /// Read as a whole in two seconds, up to the ledger's change 7.
    private func fresh() -> ListFreshness {
        var list = ListFreshness()
        #expect(list.need(7, Self.start) == .all)
        list.read(7, at: 100, from: Self.start, to: after(2))
        return list
    }

    @Test func nothingIsAskedForWhileNothingHappens() {
        let list = fresh()
        for number in [7, nil] as [Int64?] {
            for time in [2, 60, 1e6] { #expect(list.need(number, after(time)) == .nothing) }
        }
    }

    @Test func newsAreAskedForWithATenthOfTheTime() {
        var list = fresh()
        #expect(list.need(8, after(3)) == .news)
        list.caughtUp(8, isWhole: true, at: 200, from: after(3), to: after(4))
        #expect(
            list.need(8, after(5)) == .nothing && list.need(9, after(12.9)) == .nothing
                && list.need(9, after(13)) == .news)
        list.isBehind = true
        #expect(list.need(nil, after(12)) == .nothing && list.need(nil, after(14)) == .news)
    }

    /// News may not have been all; to be sure costs a fiftieth of the time.
    @Test func whoIsUnsureReadsAllLater() {
        var list = fresh()
        list.caughtUp(8, isWhole: true, at: 200, from: after(3), to: after(3))
        #expect(list.need(8, after(99)) == .nothing && list.need(8, after(100)) == .all)
        list.read(8, at: 300, from: after(100), to: after(100.1))
        #expect(list.need(8, after(1e6)) == .nothing && list.time == 300)
        list.caughtUp(9, isWhole: true, at: 400, from: after(101), to: after(101))
        #expect(list.need(9, after(160)) == .nothing && list.need(9, after(161)) == .all)
    }

    /// Somebody ordered it and looks on: that does not wait for the minute that whoever is unsure waits.
    @Test func whatIsMissingIsReadWithATenthOfTheTime() {
        var list = fresh()
        list.missed()
        #expect(list.isInDoubt && list.need(7, after(19)) == .nothing && list.need(nil, after(20)) == .all)
        list.read(7, at: 200, from: after(20), to: after(21))
        #expect(!list.isInDoubt && list.need(7, after(1e6)) == .nothing)
    }

    @Test func tooManyNewsAreReadAsAWhole() {
        var list = fresh()
        list.caughtUp(8, isWhole: false, at: 200, from: after(3), to: after(4))
        #expect(list.need(8, after(12)) == .nothing && list.need(8, after(13)) == .all && list.time == 100)
    }
}
