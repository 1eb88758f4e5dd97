import FilmgateCore
import FilmgateTesting
import Testing

@testable import FilmgateEngine

/// What other stations say of a card that is being read; whatever that is, the card is read as without it.
@Suite(.timeLimit(.minutes(5))) struct CardInquiryTests {
    private let world: RunWorld, catalog = MemoryCatalog(), claims: StationClaims
    private static let names = (1...3).map { "IMG_\($0).JPG" }

    init() throws {
        world = try RunWorld()
        claims = StationClaims(catalog, station: "desk-2", clock: world.clock)
    }

    private static func card(_ label: String = "Card", source: String = "card") -> FakePlace {
        FakePlace(label, names.map { ($0, "bytes of \($0)") }, source: source)
    }

    private func session(_ name: String) async throws -> CatalogSession {
        let membership = try await catalog.join(StationIdentity(uuid: name, name: name))
        return try await catalog.open(membership, last: nil)
    }

    /// This station has a session, and desk-1 has met that many files of the card.
    private func begin(_ card: FakePlace, met count: Int, _ ending: Ending = .delivered) async throws {
        let other = try await session("desk-1"), own = try await session("desk-2")
        var report = StationReport(since: 0, upTo: 1)
        report.sightings = try await card.entries().prefix(count).map { entry in
            SightingFact(origin: entry.origin, sha256: nil, ending: ending, at: 7)
        }
        #expect(try await catalog.tell(report, other.token) == 1)
        await claims.note(session: own.token, since: world.clock.now.instant)
    }

    private func runner(_ card: FakePlace) -> Runner { world.runner(FakeSource([card])) { $0.stations = claims } }

    @Test(arguments: [1, 3]) func whatAnotherStationHasTakenIsToldAndReadAllTheSame(_ count: Int) async throws {
        let card = Self.card()
        try await begin(card, met: count)
        #expect(try await runner(card).run(.once).shown == "3 delivered, exit 0")
        #expect(world.said.contains("Card: \(count) of 3 at desk-1"), "\(world.said)")
        #expect(card.fetched.sorted() == Self.names && catalog.cards == [3])
    }

    @Test func ofACardThatNobodyElseKnowsNothingIsSaid() async throws {
        let card = Self.card()
        try await begin(card, met: 0)
        #expect(try await runner(card).run(.once).shown == "3 delivered, exit 0")
        #expect(!world.said.contains { $0.contains("desk-1") } && catalog.cards == [3])
    }

    /// Each time that it is put in, in a run that goes on.
    @Test func aRunTellsItToo() async throws {
        let card = Self.card()
        try await begin(card, met: 2, .pending)
        let runner = world.runner(FakeSource([card]), verb: "run") { $0.stations = claims }
        async let outcome = runner.run(.continuous)
        await world.hears("Card: 2 of 3 at desk-1")
        for name in Self.names { await world.hears("\(name): delivered") }
        await world.hears("Card: finished")
        runner.stop()
        #expect(try await outcome.shown == "3 delivered, exit 130")
    }

    /// The files are taken while it says nothing, and the end of the card waits for a moment.
    @Test func noCardWaitsForASilentCatalogue() async throws {
        let card = Self.card()
        try await begin(card, met: 3)
        catalog.set(cards: nil, after: .seconds(20))
        let runner = runner(card), running = Task { try await runner.run(.once).shown }
        for name in Self.names { await world.hears("\(name): delivered") }
        let shown = try await world.clock.passing(StationClaims.patience) { try await running.value }
        #expect(shown == "3 delivered, exit 0" && !world.said.contains { $0.contains("desk-1") })
    }

    @Test func aCatalogueThatIsAwayIsNotAsked() async throws {
        let card = Self.card()
        try await begin(card, met: 3)
        await claims.note(away: "No answer.")
        #expect(try await runner(card).run(.once).shown == "3 delivered, exit 0")
        #expect(catalog.cards == [] && !world.said.contains { $0.contains("desk-1") })
    }

    @Test func anErrorOfItIsNoneOfTheRuns() async throws {
        let card = Self.card()
        try await begin(card, met: 3)
        catalog.end(sessionsOf: "desk-2")
        #expect(try await runner(card).run(.once).shown == "3 delivered, exit 0")
        #expect(catalog.cards == [3] && !world.said.contains { $0.contains("desk-1") })
    }

    /// Cameras are no cards, and a dry run asks nobody.
    @Test func onlyCardsThatAreTakenAreAskedAbout() async throws {
        let camera = Self.card("Camera", source: "ptp"), card = Self.card()
        try await begin(card, met: 3)
        #expect(try await runner(camera).run(.once).shown == "3 delivered, exit 0")
        let dry = world.runner(FakeSource([card])) { ($0.stations, $0.dryRun) = (claims, true) }
        _ = try await dry.run(.once)
        #expect(catalog.cards == [])
    }

    @Test func thePipelineSaysWhetherAnybodyIsAsked() {
        func asked(_ known: StationRule.KnownCards?, dry: Bool = false) -> Bool {
            var pipeline = PipelineFile(file: "desk.yaml"), rule = StationRule()
            if let known {
                rule.knownCards = known
                let use = ModuleUse(name: "memory", module: "memory", node: ConfigNode(.map([])), mark: Mark())
                pipeline.catalog = CatalogUse(use: use, station: rule)
            }
            let options = RunOptions(verb: "import", dryRun: dry, state: "/nowhere")
            return options.asking(claims, for: [pipeline]).stations != nil
        }
        #expect(asked(.tell) && !asked(.off) && !asked(nil) && !asked(.tell, dry: true))
    }
}

// MARK: The question

extension CardInquiryTests {
    private static let files = [AssetID(rawValue: "a"), AssetID(rawValue: "b")]

    /// An import begins before its session does.
    @Test func theFirstWordOfTheCatalogueIsWaitedFor() async throws {
        catalog.set(cards: [CardAtStation(station: "desk-1", endings: [.delivered: 2], at: 1)])
        let own = try await session("desk-2"), claims = claims
        let asking = Task { await claims.card(Self.files, of: "v") }
        for _ in 0..<20 { await Task.yield() }
        #expect(catalog.cards == [])
        await claims.note(session: own.token, since: world.clock.now.instant)
        #expect(await asking.value?.map(\.station) == ["desk-1"])
    }

    @Test func whoeverEndsBeforeTheFirstWordIsLetGo() async {
        let claims = claims, asking = Task { await claims.card(Self.files, of: "v") }
        asking.cancel()
        #expect(await asking.value == nil && catalog.cards == [])
    }

    /// After one late answer nobody asks again before the catalogue is heard.
    @Test func aLateAnswerEndsTheQuestions() async throws {
        let own = try await session("desk-2"), claims = claims
        await claims.note(session: own.token, since: world.clock.now.instant)
        catalog.set(cards: [], after: .seconds(20))
        let asking = Task { await claims.card(Self.files, of: "v") }
        await world.clock.passNext(StationClaims.patience)
        #expect(await asking.value == nil)
        catalog.set(cards: [])
        #expect(await claims.card(Self.files, of: "v") == nil)
        #expect(catalog.cards == [2])
        await claims.note(session: own.token, since: world.clock.now.instant)
        #expect(await claims.card(Self.files, of: "v") == [])
        #expect(catalog.cards == [2, 2])
    }

    /// Whatever it says of more files than there are is nonsense.
    @Test func nonsenseIsNotTold() async throws {
        let own = try await session("desk-2")
        await claims.note(session: own.token, since: world.clock.now.instant)
        let words = [3, 2, 0].map { CardAtStation(station: "desk-\($0)", endings: [.delivered: $0], at: .max) }
        catalog.set(cards: words)
        #expect(await claims.card(Self.files, of: "v")?.map(\.station) == ["desk-2"])
    }

    /// Where nobody can be asked at all, nobody waits for a word.
    @Test func withoutACatalogueThereIsNoAnswer() async {
        let absent = StationClaims(absent: "No library.", station: "desk-2", whenAway: .deliver)
        #expect(await absent.card(Self.files, of: "v") == nil)
    }
}
