import Testing

@testable import FilmgateStudio

/// How soon the page looks again although nobody told it anything.
@Suite struct LookPaceTests {
    @Test func atRestOnlyTheConnectionIsKept() {
        let rest = LookPace()
        #expect(!rest.isLively && rest.pause == .seconds(10))
        // What a browser has looks old after five seconds in which it heard nothing.
        #expect(LookPace.heartbeat + LookPace.heartbeat / 2 <= .seconds(3))
    }

    @Test func whatWasJustToldIsLookedAtAgain() {
        #expect(LookPace(isFresh: true).isLively && LookPace(isFresh: true).pause == .seconds(1))
        #expect(LookPace(isFresh: true, isBesideRun: true).pause == .seconds(1))
        #expect(LookPace(isBesideRun: true).isLively && LookPace(isBesideRun: true).pause == .seconds(5))
    }

    /// A writer may wait for its disk long after the kernel told of its writing.
    @Test func whatIsWrittenMayBeThereLater() {
        #expect(LookPace(sinceWrite: .zero).pause == .seconds(1) && LookPace(sinceWrite: .seconds(9.9)).isLively)
        let settled = LookPace(sinceWrite: .seconds(10))
        #expect(!settled.isLively && settled.pause == .seconds(10))
    }

    @Test func whoMayStayNoLongerIsToldInTime() {
        #expect(LookPace(untilEnd: .seconds(3)).pause == .seconds(3))
        #expect(LookPace(isFresh: true, untilEnd: .seconds(3)).pause == .seconds(1))
        #expect(LookPace(untilEnd: .seconds(4000)).pause == .seconds(10))
        #expect(LookPace(untilEnd: .seconds(-5)).pause == .milliseconds(100))
    }
}
