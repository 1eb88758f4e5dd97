import FileKit
import FilmgateCore
import FilmgateTesting
import Foundation
import Synchronization
import Testing

@testable import FilmgateEngine

/// Two removable cards in one import: their paths count from each card's own top, so their shots have the same keys.
@Suite struct TwoCardsTests {
    private struct InsertedCard: SourceSession {
        let place: SourcePlace, traits = SessionTraits(identifiesDevice: true, parallelFetches: 1)
        let held: [SourceEntry]
        var volume: String { place.label }
        func entries() async throws(IngestError) -> [SourceEntry] { held }
        func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {}
        func localPath(_ origin: Origin) -> String? { origin.absolutePath }
        func close() async {}
    }

    private struct Reader: SourceDriver {
        let cards: [InsertedCard]
        func places() async throws(IngestError) -> [SourcePlace] { cards.map(\.place) }
        func open(_ place: SourcePlace) async throws(IngestError) -> any SourceSession {
            guard let card = cards.first(where: { $0.place == place }) else { throw IngestError(.notFound, "None.") }
            return card
        }
    }

    /// A picture is of the body that its card is named after; a memo says nothing of itself.
    private struct Body: Stage {
        func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict {
            var asset = asset
            if !asset.kind.follows {
                var facts = MediaFacts()
                facts.make = asset.origin.volume
                asset.media = facts
            }
            return .finish(asset, .filtered, reason: "seen", twin: nil)
        }
    }

    /// Makes by file name.
    private final class Makes: Sendable {
        let found = Mutex<[String: String]>([:])
    }

    private static func card(_ label: String, below root: String, holding name: String) throws -> InsertedCard {
        let home = root + "/" + label
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try Data("bytes".utf8).write(to: URL(fileURLWithPath: home + "/" + name))
        let facts = try #require(try FileFacts.of(home + "/" + name))
        let origin = Origin(
            source: "card", volume: label, root: home, path: name, size: facts.size, modified: facts.modified)
        let entry = SourceEntry(
            origin: origin, kind: MediaKind(fileName: name), shot: ShotPlace(key: "dcim/img_0001", stem: "IMG_0001"))
        return InsertedCard(place: SourcePlace(source: "card", address: home, label: label), held: [entry])
    }

    @Test func aMemoOfTheSecondCardDoesNotFollowAPictureOfTheFirst() async throws {
        let root = NSTemporaryDirectory() + "cards-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: root) }
        let cards = [
            try Self.card("First", below: root, holding: "IMG_0001.JPG"),
            try Self.card("Second", below: root, holding: "IMG_0001.WAV"),
        ]
        let plan = Plan(
            sources: [Reader(cards: cards)], stages: [Body()], targets: [], profiles: ProfileSet(), spool: 1 << 20)
        struct Blank: LedgerStandIn {}
        let hub = EventHub(), makes = Makes()
        hub.watch { runEvent in
            guard case .settled(let settled) = runEvent else { return }
            makes.found.withLock { $0[settled.asset.origin.name] = settled.asset.media?.make ?? "none" }
        }
        let runner = Runner(
            plan: plan, options: RunOptions(verb: "import", dryRun: true, state: ""), hub: hub, reader: Blank(),
            writer: nil)
        _ = try await runner.run(.once)
        #expect(makes.found.withLock { $0 } == ["IMG_0001.JPG": "First", "IMG_0001.WAV": "none"])
    }
}
