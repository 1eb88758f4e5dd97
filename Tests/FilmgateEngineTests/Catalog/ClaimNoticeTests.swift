import Testing

@testable import FilmgateEngine

/// What people are told of other stations, each once.
@Suite struct ClaimNoticeTests {
    private static func notice(_ kind: ClaimNotice.Kind, _ station: String = "desk-3") -> ClaimNotice {
        ClaimNotice(kind, station: station, target: "gallery", file: "IMG_0412.CR3")
    }

    /// In seconds, when each of them is told of those that come then.
    private static func told(_ all: [(Int, ClaimNotice)]) -> [Int] {
        var notices = ClaimNotices()
        let begun = ContinuousClock.now
        return all.filter { seconds, notice in notices.tells(notice, at: begun + .seconds(seconds)) }.map(\.0)
    }

    @Test func eachIsToldOnceUntilItWasOverForAMinute() {
        let asked = stride(from: 0, through: 150, by: 15).map { ($0, Self.notice(.waiting)) }
        #expect(Self.told(asked + [(200, Self.notice(.waiting))]) == [0])
        #expect(Self.told(asked + [(211, Self.notice(.waiting))]) == [0, 211])
        let others = [(151, Self.notice(.found)), (152, Self.notice(.waiting, "desk-4")), (153, Self.notice(.found))]
        #expect(Self.told(asked + others) == [0, 151, 152])
    }

    /// A catalogue that makes up stations is not listened to for ever, nor remembered.
    @Test func noMoreAreToldThanPeopleRead() {
        let crowd = (0..<1000).map { (0, Self.notice(.waiting, "desk-\($0)")) }
        #expect(Self.told(crowd) == [Int](repeating: 0, count: 64))
        #expect(Self.told(crowd + [(61, Self.notice(.waiting, "desk-999"))]).last == 61)
    }

    /// By the clock here, with the day once that is another.
    @Test func sinceWhenItIsClaimedIsTold() {
        let at: Int64 = 1_763_733_791_000_000_000
        func text(_ kind: ClaimNotice.Kind, after seconds: Int64, at time: Int64?) -> String {
            let notice = ClaimNotice(kind, station: "desk-3", target: "gallery", file: "A.CR3", claimed: time)
            return notice.text(now: at + seconds * 1_000_000_000)
        }
        let today = #/gallery: desk-3 is sending A\.CR3 since \d\d:\d\d:11; waiting\./#
        #expect(text(.waiting, after: 1, at: at).wholeMatch(of: today) != nil)
        let later = #/gallery: desk-3 is sending A\.CR3 since 2025-11-2\d \d\d:\d\d:11; waiting\./#
        #expect(text(.waiting, after: 3 * 86_400, at: at).wholeMatch(of: later) != nil)
        let unsure = #/gallery: desk-3 may or may not have sent A\.CR3 at \d\d:\d\d:11 before it was lost, and .*/#
        #expect(text(.unsure, after: 1, at: at).wholeMatch(of: unsure) != nil)
        for none in [nil, 0, -5] as [Int64?] {
            #expect(text(.waiting, after: 1, at: none) == "gallery: desk-3 is sending A.CR3; waiting.")
        }
    }

    @Test func whatIsInDoubtIsSaidToBe() {
        #expect(
            Self.notice(.unsure).text
                == "gallery: desk-3 may or may not have sent IMG_0412.CR3 before it was lost, and gallery cannot be asked: held (unsure)."
        )
    }
}
