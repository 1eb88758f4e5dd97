import FilmgateCore
import Testing

@testable import filmgate

/// What is said of a card that another station has taken.
@Suite struct CardLineTests {
    private static let place = SourcePlace(source: "card", address: "/media/ann/EOS", label: "EOS_DIGITAL")
    private static let noon: Int64 = 1_763_726_400_000_000_000, day: Int64 = 86_400_000_000_000

    private func said(_ endings: [Ending: Int], of files: Int, at: Int64 = noon, now: Int64 = noon) -> String {
        let word = CardAtStation(station: "desk-3", endings: endings, at: at)
        return CardLine(place: Self.place, word: word, files: files).human(now: now)
    }

    @Test(
        arguments: [
            ([.delivered: 812], 812, "812 of 812 files, all delivered"),
            ([.delivered: 800, .duplicate: 10, .alreadySeen: 2], 812, "812 of 812 files, all delivered"),
            // Not that the whole card is delivered.
            ([.delivered: 300], 812, "300 of 812 files, these delivered"),
            (
                [.delivered: 790, .pending: 12, .setAside: 1, .filtered: 9], 812,
                "812 of 812 files: 790 delivered, 12 pending, 1 set aside, 9 filtered"
            ),
            ([.pending: 5], 812, "5 of 812 files: 0 delivered, 5 pending"),
            ([.delivered: 1], 1, "1 of 1 file, all delivered"),
        ] as [([Ending: Int], Int, String)])
    func itSaysHowManyAndHowTheyEnded(_ endings: [Ending: Int], _ files: Int, _ words: String) {
        let line = said(endings, of: files).wholeMatch(of: /card: EOS_DIGITAL was taken at desk-3 at \d\d:\d\d: (.*)/)
        #expect(line.map { String($0.1) } == words)
    }

    /// An hour alone is today's; and what is no time is left out.
    @Test func theDayIsSaidUnlessItIsToday() {
        let earlier = said([.delivered: 1], of: 1, now: Self.noon + 3 * Self.day)
        #expect(earlier.contains(/desk-3 on 2025-11-2[12] at \d\d:\d\d: 1 of/), "\(earlier)")
        #expect(said([.delivered: 1], of: 1, at: 0).contains("taken at desk-3: 1 of"))
        #expect(said([.delivered: 1], of: 1, at: .max).contains("desk-3 on 2262-04-1"))
    }

    /// Names come from elsewhere: they are shown, not obeyed.
    @Test func namesAreShown() {
        let word = CardAtStation(station: "desk\u{1B}[2J", endings: [.delivered: 1], at: 0)
        let place = SourcePlace(source: "card", address: "/x", label: "a\nb")
        #expect(!CardLine(place: place, word: word, files: 1).human().contains { $0 == "\u{1B}" || $0 == "\n" })
    }

    @Test func programsReadCounts() throws {
        let word = CardAtStation(station: "desk-3", endings: [.delivered: 5, .pending: 2], at: Self.noon)
        let line = CardLine(place: Self.place, word: word, files: 9).json
        let object = try #require(JSONValue(Array(line.utf8))), taken = try #require(object["taken"])
        #expect(object["type"]?.string == "status" && object["label"]?.string == "EOS_DIGITAL")
        #expect(object["address"]?.string == "/media/ann/EOS" && taken["station"]?.string == "desk-3")
        let counts = ["files", "of", "delivered", "pending", "duplicate"].map { taken[$0]?.whole }
        #expect(counts == [7, 9, 5, 2, 0])
        #expect(taken["at"]?.string?.hasPrefix("2025-11-21T12:00:00") == true, "\(line)")
    }
}
