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
        let many = StationStatus(untold: 0, cards: (0..<50).map(Self.card))
        #expect(StationStatus(json: many.json)?.cards == (0..<StationStatus.mostCards).map(Self.card))
    }

    @Test(arguments: [
        "", "[]", "{", "null", #"{"cards":[]}"#, #"{"untold":-1}"#, #"{"untold":"5"}"#, #"{"untold":1.5}"#,
        #"{"untold":99999999999999999999}"#, String(repeating: " ", count: 70_000) + #"{"untold":1}"#,
    ]) func whatMakesNoSenseIsNothing(_ json: String) { #expect(StationStatus(json: json) == nil) }

    @Test func cardsThatMakeNoSenseAreLeftOut() {
        let long = String(repeating: "x", count: 200)
        let cards = [
            #"{"volume":"a","label":"b","at":"2026-11-26T12:00:00Z"}"#,
            #"{"volume":"\#(long)","label":"b","at":"2026-11-26T12:00:00Z"}"#,
            #"{"volume":"a","label":"b","at":"soon"}"#, #"{"volume":5,"label":"b","at":"2026-11-26T12:00:00Z"}"#, "7",
        ]
        let status = StationStatus(json: #"{"untold":1,"cards":[\#(cards.joined(separator: ","))],"more":{}}"#)
        #expect(status?.cards.map(\.volume) == ["a"] && status?.untold == 1)
    }
}
