import FilmgateCore
import Testing

/// What stations say of themselves, which others read from a catalogue that may be hostile.
@Suite struct StationStatusTests {
    private static func card(_ number: Int) -> StationStatus.Card {
        StationStatus.Card(volume: "uuid:\(number)", label: "CARD <b>\u{202E}", at: 1_760_000_000_000_000_000)
    }

    @Test func whatIsSaidIsRead() {
        let status = StationStatus(untold: 12, waiting: 7, cards: [Self.card(1), Self.card(2)])
        #expect(StationStatus(json: status.json) == status)
        let target = StationStatus.Target(name: "gallery", waiting: 12, bytes: 96, held: 3, reason: "signed out")
        let busy = StationStatus(untold: 0, waiting: 12, cards: [], targets: [target])
        #expect(StationStatus(json: busy.json) == busy)
        let crowd = StationStatus(untold: 0, cards: [], targets: Array(repeating: target, count: 50))
        #expect(StationStatus(json: crowd.json)?.targets.count == StationStatus.mostTargets)
        let long = String(repeating: "x", count: 129)
        let rich = StationStatus(untold: 0, cards: [], sources: [long, "EOS R3 #0421", "b", "c", "d", "e", "f"])
        #expect(StationStatus(json: rich.json)?.sources == ["EOS R3 #0421", "b", "c", "d", "e"])
        let many = StationStatus(untold: 0, cards: (0..<50).map(Self.card))
        #expect(StationStatus(json: many.json)?.cards == (0..<StationStatus.mostCards).map(Self.card))
    }

    @Test(arguments: [
        "", "[]", "{", "null", #"{"cards":[]}"#, #"{"untold":-1}"#, #"{"untold":"5"}"#, #"{"untold":1.5}"#,
        #"{"untold":99999999999999999999}"#, String(repeating: " ", count: 70_000) + #"{"untold":1}"#,
    ]) func whatMakesNoSenseIsNothing(_ json: String) { #expect(StationStatus(json: json) == nil) }

    @Test func targetsThatMakeNoSenseAreLeftOut() {
        let long = String(repeating: "x", count: 300)
        let targets = [
            #"{"name":"a","waiting":2,"bytes":5,"held":9,"reason":"\#(long)"}"#, #"{"name":"b","waiting":0,"bytes":5}"#,
            #"{"name":"c","waiting":2,"bytes":-5}"#, #"{"name":"\#(long)","waiting":2,"bytes":5}"#, #"{"waiting":2}"#,
            #"{"name":"d","waiting":2,"bytes":5,"held":0,"reason":"nothing is held"}"#,
        ]
        let status = StationStatus(json: #"{"untold":1,"cards":[],"targets":[\#(targets.joined(separator: ","))]}"#)
        #expect(
            status?.targets == [
                StationStatus.Target(name: "a", waiting: 2, bytes: 5, held: 2),
                StationStatus.Target(name: "d", waiting: 2, bytes: 5),
            ])
    }

    /// What a target's server said is told to everybody who reads the catalogue.
    @Test func reasonsAreToldWithoutSecretsAndShortEnoughToBeRead() throws {
        func read(_ reason: String, targets: Int = 1) -> [String?]? {
            let target = StationStatus.Target(name: "gallery", waiting: 2, bytes: 5, held: 1, reason: reason)
            let status = StationStatus(
                untold: 0, waiting: 2, cards: [], targets: Array(repeating: target, count: targets))
            return StationStatus(json: status.json)?.targets.map(\.reason)
        }
        #expect(
            read("PUT https://ann:secret@gallery.example/a?sig=abc: 401")
                == ["PUT https://•••@gallery.example/a?sig=••• 401"])
        let family = "👨‍👩‍👧‍👦", families = try #require(read(String(repeating: family, count: 80))?.first ?? nil)
        #expect(families == String(repeating: family, count: 256 / family.utf8.count))
        // One character, as long as nobody reads it.
        let stacked = "a" + String(repeating: "\u{301}", count: 5000)
        #expect(read("why " + stacked, targets: 8) == [String?](repeating: "why ", count: 8))
        #expect(read(stacked, targets: 8) == [String?](repeating: nil, count: 8))
    }

    @Test func cardsThatMakeNoSenseAreLeftOut() {
        let long = String(repeating: "x", count: 200)
        let cards = [
            #"{"volume":"a","label":"b","at":"2026-11-26T12:00:00Z"}"#,
            #"{"volume":"\#(long)","label":"b","at":"2026-11-26T12:00:00Z"}"#,
            #"{"volume":"c","label":"b","at":"2026-11-26T12:00:00Z","percent":61}"#,
            #"{"volume":"d","label":"b","at":"2026-11-26T12:00:00Z","percent":100}"#,
            #"{"volume":"a","label":"b","at":"soon"}"#, #"{"volume":5,"label":"b","at":"2026-11-26T12:00:00Z"}"#, "7",
        ]
        let status = StationStatus(json: #"{"untold":1,"cards":[\#(cards.joined(separator: ","))],"more":{}}"#)
        #expect(status?.cards.map(\.volume) == ["a", "c", "d"] && status?.untold == 1)
        #expect(status?.cards.map(\.percent) == [nil, 61, nil])
        #expect(status.flatMap { StationStatus(json: $0.json) } == status)
    }
}
