import FilmgateCore
import FilmgateEngine
import Testing

@testable import filmgate

/// What `stations` and `catalog status` say of a station, in a line for people and as JSON.
@Suite struct StationListTests {
    private static func station(_ status: StationStatus?) -> StationSummary {
        var station = StationSummary(name: "desk-3", applied: 5, present: true, revoked: false)
        (station.site, station.version, station.clockAhead) = ("press", "0.1.0", 200)
        station.status = status?.json
        return station
    }
    private static let begin = "  desk-3  press  now  clock +0.2 s  0.1.0"

    @Test(
        arguments: [
            (12, 0, nil, "gallery 12 waiting (96 MB)"),
            (12, 3, "signed out", "gallery 12 waiting (96 MB), 3 HELD: signed out"),
            (12, 12, "signed out", "gallery 12 HELD (96 MB): signed out"), (1, 1, nil, "gallery 1 HELD (96 MB)"),
        ] as [(Int64, Int64, String?, String)])
    func whatWaitsIsNamed(_ waiting: Int64, _ held: Int64, _ reason: String?, _ words: String) {
        let target = StationStatus.Target(
            name: "gallery", waiting: waiting, bytes: 96_000_000, held: held, reason: reason)
        let status = StationStatus(untold: 0, waiting: waiting, cards: [], targets: [target])
        #expect(CatalogStatusCommand.text(Self.station(status)) == "\(Self.begin)  \(words)")
    }

    /// A station of before counts its deliveries and names no target; one with many targets names the largest.
    @Test func whatIsNotNamedIsCounted() {
        let before = StationStatus(untold: 0, waiting: 3, cards: [])
        #expect(CatalogStatusCommand.text(Self.station(before)) == "\(Self.begin)  3 deliveries open")
        let target = StationStatus.Target(name: "nas", waiting: 2, bytes: 0)
        let more = StationStatus(untold: 0, waiting: 3, cards: [], targets: [target])
        #expect(CatalogStatusCommand.text(Self.station(more)).hasSuffix("  nas 2 waiting (0 B)  1 delivery open"))
        #expect(CatalogStatusCommand.text(Self.station(nil)) == Self.begin)
    }

    @Test func aCardThatIsBeingReadSaysHowFarThatIs() {
        var card = StationStatus.Card(volume: "a", label: "EOS_DIGITAL", at: 0)
        func text() -> String { CatalogStatusCommand.text(Self.station(StationStatus(untold: 0, cards: [card]))) }
        #expect(text() == "\(Self.begin)  card EOS_DIGITAL")
        card.percent = 61
        #expect(text() == "\(Self.begin)  card EOS_DIGITAL 61 %")
        let camera = StationStatus(untold: 0, cards: [], sources: ["EOS R3 #0421"])
        #expect(CatalogStatusCommand.text(Self.station(camera)) == "\(Self.begin)  EOS R3 #0421")
    }

    /// What another station calls its target is shown and not obeyed.
    @Test func aHostileNameDoesNothing() {
        let target = StationStatus.Target(name: "\u{1B}[2J", waiting: 1, bytes: 1, held: 1, reason: "a\nb")
        let text = CatalogStatusCommand.text(
            Self.station(StationStatus(untold: 0, waiting: 1, cards: [], targets: [target])))
        #expect(!text.contains("\u{1B}") && !text.contains("\n"))
    }

    @Test func programsReadTheSame() throws {
        let target = StationStatus.Target(name: "gallery", waiting: 2, bytes: 7, held: 1, reason: "signed out")
        let station = Self.station(StationStatus(untold: 0, waiting: 2, cards: [], targets: [target]))
        let line = try #require(JSONValue(Array(CatalogLine.summary(station).finished.utf8)))
        #expect(line["deliveries"]?.whole == 2 && line.at("targets.0.name")?.string == "gallery")
        #expect(line.at("targets.0.bytes")?.whole == 7 && line.at("targets.0.held")?.whole == 1)
        #expect(line.at("targets.0.reason")?.string == "signed out")
    }

    /// Whoever reads it knows which target goes on, and which waits.
    @Test func anOutageSaysWhatGoesOn() {
        let targets = [
            AwayOutlook(target: "gallery", way: .asked, waiting: 1204),
            AwayOutlook(target: "webform", way: .held, waiting: 3),
        ]
        #expect(
            RunTelling.text(.away("db1, db2: timed out.", targets))
                == "not reachable (db1, db2: timed out); going on alone. 1204 deliveries to gallery go on, asked by digest; webform holds 3."
        )
        #expect(RunTelling.text(.away("x")) == "not reachable (x); going on alone.")
        #expect(RunTelling.text(.caughtUp(files: 50_112, seconds: 26, byOthers: 0)) == "50112 files told in 26 s.")
        #expect(
            RunTelling.text(.caughtUp(files: 50_112, seconds: 26, byOthers: 316))
                == "50112 files told in 26 s, 316 were delivered by others meanwhile.")
    }

    @Test func theCatalogueSaysHowLargeItIs() throws {
        let parts: [(String, UInt64)] = [("seen", 4), ("delivery", 3), ("content", 2), ("meta", 1)]
        let sizes = parts.map { CatalogSize(table: $0.0, bytes: $0.1 * 1_000_000, rows: 7) }
        #expect(
            CatalogStatusCommand.text(sizes)
                == "The catalogue takes 10 MB: seen 4.0 MB, delivery 3.0 MB, content 2.0 MB.")
        let line = try #require(JSONValue(Array(CatalogLine.sizes(sizes).finished.utf8)))
        #expect(line["bytes"]?.whole == 10_000_000 && line.at("tables.3.name")?.string == "meta")
    }

    /// As far as this station has read it.
    @Test func thePictureOfWhichTheBytesAreIsNamed() throws {
        var media = MediaFacts()
        #expect(CatalogCopies.text(media) == "")
        (media.make, media.model, media.serial) = ("NIKON CORPORATION", "NIKON D850", "6021337")
        #expect(CatalogCopies.text(media) == "NIKON D850 #6021337")
        media.captured = CivilTime(year: 2026, month: 11, day: 21, hour: 14, minute: 3, second: 27)
        let time = try #require(media.captured?.description)
        #expect(CatalogCopies.text(media) == "NIKON D850 #6021337  \(time)")
        let copy = CatalogCopy(sha256: "9f2c", station: "desk-3", state: .done, place: "gallery", at: 0)
        let line = try #require(JSONValue(Array(CatalogLine.place(copy, media).finished.utf8)))
        #expect(line["model"]?.string == "NIKON D850" && line["captured"]?.string == time)
        #expect(JSONValue(Array(CatalogLine.place(copy).finished.utf8))?["serial"] == .null)
    }
}
