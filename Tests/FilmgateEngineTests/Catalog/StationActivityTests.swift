import FilmgateCore
import Testing

@testable import FilmgateEngine

/// How far a card is read, and what else a station takes from, as the others are told.
@Suite struct StationActivityTests {
    private static func origin(_ number: Int, _ root: String = "/media/a") -> Origin {
        Origin(source: "card", volume: "uuid:\(root)", root: root, path: "\(number).JPG", size: 1, modified: 0)
    }

    private static func place(_ root: String = "/media/a") -> SourcePlace {
        SourcePlace(source: "card", address: root, label: "EOS_DIGITAL")
    }

    private static func settled(_ origin: Origin) -> RunEvent {
        let asset = Asset(origin: origin, kind: .jpeg, shot: ShotPlace(key: "a", stem: "a"))
        return .settled(AssetResult(asset: asset, ending: .delivered))
    }

    /// What waits for a target is read; what was known is over at once.
    @Test func whatIsReadCounts() {
        let progress = StationActivity()
        progress.note(.listed(place: Self.place(), entries: 8, bytes: 8))
        #expect(progress.percent(of: "uuid:/media/a") == nil)
        for number in 0..<2 { progress.note(Self.settled(Self.origin(number))) }
        for number in 2..<5 { progress.note(.started(Self.origin(number))) }
        #expect(progress.percent(of: "uuid:/media/a") == 62)
        progress.note(Self.settled(Self.origin(2)))
        #expect(progress.percent(of: "uuid:/media/a") == 62)
        for number in 5..<8 { progress.note(.started(Self.origin(number))) }
        #expect(progress.percent(of: "uuid:/media/a") == nil)
    }

    @Test func eachCardHasItsOwn() {
        let progress = StationActivity()
        for root in ["/media/a", "/media/b"] {
            progress.note(.listed(place: Self.place(root), entries: 4, bytes: 4))
            progress.note(.started(Self.origin(0, root)))
        }
        progress.note(.started(Self.origin(1, "/media/b")))
        #expect(progress.percent(of: "uuid:/media/a") == 25 && progress.percent(of: "uuid:/media/b") == 50)
        progress.note(.source(Self.place("/media/b"), .finished))
        #expect(progress.percent(of: "uuid:/media/a") == 25 && progress.percent(of: "uuid:/media/b") == nil)
    }

    /// A card is told of by what was read of it.
    @Test func whatIsWithinReachIsNamed() {
        let activity = StationActivity()
        let camera = SourcePlace(source: "ptp", address: "ptpip://1", label: "EOS R3 #0421")
        let nameless = SourcePlace(source: "ftp", address: "ftp://2", label: "")
        let open = SourceState.open(taking: 0, leaving: 0, others: [:])
        for place in [camera, nameless, Self.place()] { activity.note(.source(place, open)) }
        #expect(activity.sources == ["EOS R3 #0421", "ftp"])
        activity.note(.source(camera, .lost(IngestError(.unavailable, "It is gone."))))
        #expect(activity.sources == ["ftp"])
        activity.note(.source(camera, .back))
        activity.note(.source(nameless, .finished))
        #expect(activity.sources == ["EOS R3 #0421"])
    }

    @Test func aStatusSaysIt() throws {
        let claims = StationClaims(absent: "No catalogue.", station: "desk-3", whenAway: .deliver), hub = EventHub()
        claims.follow(hub)
        hub.post(.listed(place: Self.place(), entries: 4, bytes: 4))
        hub.post(.started(Self.origin(0)))
        let cards = ["uuid:/media/a", "uuid:other"].map { StationStatus.Card(volume: $0, label: "EOS", at: 0) }
        let camera = SourcePlace(source: "ptp", address: "ptpip://1", label: "EOS R3 #0421")
        hub.post(.source(camera, .open(taking: 0, leaving: 0, others: [:])))
        let status = claims.complete(StationStatus(untold: 0, cards: cards))
        #expect(status.cards.map(\.percent) == [25, nil] && status.sources == ["EOS R3 #0421"])
    }
}
