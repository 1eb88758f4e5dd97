import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import Foundation
import TestThreads
import Testing

@testable import filmgate

/// What `doctor` and the metrics say of the catalogue.
@Suite(.ownThreads) struct CatalogCheckupTests {
    private static let membership = StationMembership(
        uuid: String(repeating: "a", count: 32), name: "desk-3", epoch: 1, catalog: String(repeating: "b", count: 32),
        applied: 0)

    private static func condition(_ change: (inout CatalogCondition) -> Void) -> CatalogCondition {
        var found = CatalogCondition(server: "db1", version: "15", protection: "TLS", role: "desk3")
        (found.identity, found.schema) = (membership.catalog, 1)
        (found.speaks, found.understands) = ([1], [1])
        change(&found)
        return found
    }

    @Test func aSoundCatalogueHasNoProblems() {
        let problems = CatalogProblems(found: Self.condition { $0.clockAhead = 1999 })
        #expect(problems.all(for: Self.membership) == [] && problems.all(for: nil) == [])
    }

    @Test func eachProblemIsASentenceOfItsOwn() {
        let changes: [((inout CatalogCondition) -> Void, String)] = [
            ({ ($0.schema, $0.speaks) = (nil, []) }, "There are no tables yet"),
            ({ $0.understands = [2] }, "newer than the catalogue"), ({ $0.speaks = [2] }, "older than the catalogue"),
            ({ $0.clockAhead = -2500 }, "2.5 s from the server's"), ({ $0.excess = ["superuser"] }, "superuser"),
            ({ $0.identity = String(repeating: "c", count: 32) }, "another catalogue than desk-3 joined"),
        ]
        for (change, words) in changes {
            let found = CatalogProblems(found: Self.condition(change)).all(for: Self.membership)
            #expect(found.count == 1 && found.first?.contains(words) == true, "\(found)")
        }
    }

    private func pipeline(_ table: Table) throws -> String {
        try table.stationPipeline("postgresql://desk3@127.0.0.1:9/filmgate")
    }

    private static func lines(_ outcome: Program.Outcome) -> [String] {
        outcome.output.split(separator: "\n").map(String.init).filter { $0.contains("catalog: ") }
    }

    @Test func aStateThatHasNotJoinedIsToldSo() throws {
        let table = try Table()
        let outcome = try Program.run(["doctor", "--pipeline", try pipeline(table), "--state", table.state])
        #expect(outcome.status != 0 && Self.lines(outcome).count == 1)
        #expect(
            Self.lines(outcome).first?.hasPrefix("PROBLEM catalog: This state directory has not joined: `filmgate")
                == true)
        let without = try Program.run(["doctor", "--state", table.state])
        #expect(!without.output.contains("catalog"))
    }

    /// Nobody listens there: that is a problem, and what is untold is counted all the same.
    @Test func aCatalogueThatIsAwayIsNamed() async throws {
        let table = try Table()
        try table.sampleCard()
        #expect(try table.importing().status == 0)
        let ledger = try SQLiteLedger.open(directory: table.state)
        try await ledger.join(Self.membership)
        let waiting = try #require(try await ledger.station()?.waiting)
        ledger.close()
        let outcome = try Program.run(["doctor", "--pipeline", try pipeline(table), "--state", table.state])
        let line = try #require(Self.lines(outcome).first)
        #expect(outcome.status != 0 && Self.lines(outcome).count == 1, "\(outcome.output)")
        #expect(
            waiting > 10
                && line.hasPrefix(
                    "PROBLEM catalog: desk-3: \(waiting) changes to tell. 127.0.0.1:9: connection refused. ")
                && line.hasSuffix("`filmgate catalog check` tries it."), "\(line)")
        // Without a pipeline nobody knows where the catalogue is.
        let unnamed = try Program.run(["doctor", "--state", table.state])
        #expect(
            Self.lines(unnamed) == [
                "PROBLEM catalog: desk-3: \(waiting) changes to tell. "
                    + "No pipeline that was used here names the catalogue: use --pipeline."
            ], "\(unnamed.output)")
    }

    /// A plan says what the import would say of it, asks for nothing that is written, and ends as it would without.
    @Test(arguments: [["plan"], ["import", "--dry-run"]]) func aPlanSaysThatTheCatalogueCannotBeUsed(
        _ verb: [String]
    ) async throws {
        let table = try Table(), file = try pipeline(table)
        try table.frames("CARD", count: 1, from: 1)
        let words = verb + [table.card, "--pipeline", file, "--state", table.state]
        let strange = try Program.run(words)
        #expect(
            strange.status == 0 && strange.errors.contains("catalog: this state directory has not joined"),
            "\(strange.errors)")
        #expect(!FileManager.default.fileExists(atPath: table.state))
        let ledger = try SQLiteLedger.open(directory: table.state)
        try await ledger.join(Self.membership)
        ledger.close()
        let away = try Program.run(words)
        #expect(
            away.status == 0
                && away.errors.contains(
                    "catalog: not reachable (127.0.0.1:9: connection refused); an import would go on alone."),
            "\(away.errors)")
        let lines = try Program.run(words + ["--json"]).items("status").compactMap { $0["catalog"] as? String }
        #expect(lines.count == 1 && lines.first?.hasPrefix("not reachable (") == true, "\(lines)")
    }

    /// Another station may have taken the card: importing it is not all that helps.
    @Test func aNoWithoutTheCatalogueAdvisesToAskAgain() async throws {
        let table = try Table(), file = try pipeline(table)
        try table.frames("CARD", count: 1, from: 1)
        let ledger = try SQLiteLedger.open(directory: table.state)
        try await ledger.join(Self.membership)
        ledger.close()
        let said = try Program.run(["safe-to-format", table.card, "--pipeline", file, "--state", table.state])
        let advice = said.output.split(separator: "\n").filter { $0.hasPrefix("→ ") }
        #expect(said.status == 8 && advice.count == 2, "\(said.output)")
        let begin = "→ The catalogue did not answer (127.0.0.1:9: connection refused). Ask again once it does "
        #expect(advice.first?.hasPrefix(begin) == true, "\(said.output)")
        #expect(said.output.components(separatedBy: "refused").count == 2, "\(said.output)")
    }

    /// Nothing that another station may have claimed is sent because the pipeline file was not named again.
    @Test func aRetryWithoutThePipelineClaimsAsTheImportDid() async throws {
        let table = try Table(), gallery = try Gallery(table), file = try table.holdingPipeline(gallery)
        try table.frames("CARD", count: 2, from: 1)
        let ledger = try SQLiteLedger.open(directory: table.state)
        try await ledger.join(Self.membership)
        ledger.close()
        #expect(try table.deliver(file, wait: "1s").status == 8)
        let retried = try table.run(["retry", "--wait", "1s"], environment: ["FILMGATE_GALLERY_TOKEN": Gallery.token])
        #expect(retried.status == 8 && retried.output.contains("the catalogue cannot be asked"), "\(retried.output)")
        #expect(try gallery.assets().isEmpty)
    }

    /// A new laptop: what others may have claimed is not sent as if there were no catalogue.
    @Test func whoHasNotJoinedFollowsWhenAway() throws {
        let table = try Table(), gallery = try Gallery(table), file = try table.holdingPipeline(gallery)
        try table.frames("CARD", count: 2, from: 1)
        let outcome = try table.deliver(file, wait: "1s")
        let reason = "the catalogue cannot be asked: this state directory has not joined"
        #expect(outcome.status == 8 && outcome.output.contains(reason), "\(outcome.output)")
        #expect(outcome.errors.contains("nothing is told or claimed until `filmgate catalog join`"))
        #expect(try gallery.assets().isEmpty)
        // Its own copies wait for nobody.
        #expect(table.files(table.archive).count == 2)
    }

    /// The run itself goes on as it did.
    @Test func aJobOfARunWithoutACatalogueFollowsWhenAway() throws {
        let table = try Table(), gallery = try Gallery(table), file = try table.holdingPipeline(gallery)
        let live = try table.write(
            "live.yaml",
            """
            version: 1
            sources: [ { folder: { path: "\(table.path("hot"))", settle: 0ms, companions: 0ms } } ]
            stages: [ { exif: {} }, { dedupe: {} }, { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(table.path("live"))", verify: size } } }
            """)
        try table.frames("hot", count: 1, from: 50)
        try table.frames("CARD", count: 2, from: 1)
        let run = try Background(
            ["run", live, "--state", table.state, "--json"], environment: Gallery.environment)
        #expect(Background.within(seconds: 30) { table.files(table.path("live")).count == 1 })
        let outcome = try table.deliver(file, wait: "1s")
        let reason = "the catalogue cannot be asked: the run that holds this state uses no catalogue"
        #expect(outcome.status == 8 && outcome.output.contains(reason), "\(outcome.output)\(outcome.errors)")
        #expect(try gallery.assets().isEmpty && table.files(table.archive).count == 2)
        #expect(run.kill(SIGTERM).status == 143)
    }

    /// After `catalog join` alone no run has kept the pipeline that names the catalogue.
    @Test(arguments: [["status"], ["where", String(repeating: "0", count: 64)]]) func aStationThatNothingUsedSaysSo(
        _ verb: [String]
    ) async throws {
        let table = try Table()
        let ledger = try SQLiteLedger.open(directory: table.state)
        try await ledger.join(Self.membership)
        ledger.close()
        let outcome = try table.run(["catalog"] + verb), message = outcome.items("error").first?["message"] as? String
        #expect(
            outcome.status == 2
                && message?.hasPrefix("This state directory is the station desk-3 of a catalogue") == true
                && message?.contains("no import or run here used a pipeline that names it") == true, "\(outcome.output)"
        )
        let none = try Table().run(["catalog"] + verb)
        #expect(none.status == 2 && none.output.contains("No pipeline that was used here names a catalogue."))
    }

    /// The page asks so: what needs no catalogue is told all the same, also by the run, which has the secrets.
    @Test func statusTellsHowTheStationStandsWithoutTheCatalogue() async throws {
        let table = try Table(), text = try String(contentsOfFile: try pipeline(table), encoding: .utf8)
        let source = "folder: { path: \"\(table.path("hot"))\", settle: 0ms, companions: 0ms }"
        try table.frames("hot", count: 2, from: 1)
        let file = try table.write("live.yaml", text.replacingOccurrences(of: "card: {}", with: source))
        let ledger = try SQLiteLedger.open(directory: table.state)
        try await ledger.join(Self.membership)
        ledger.close()
        func standing(_ words: [String] = []) throws -> [String: Any] {
            let outcome = try table.run(["catalog", "status", "--pipeline", file] + words)
            #expect(outcome.status == 5 && outcome.items("error").first?["code"] as? String == "unavailable")
            return try #require(outcome.items("membership").first, "\(outcome.output)")
        }
        let alone = try standing(["--by-run"])
        #expect(alone["station"] as? String == "desk-3" && alone["held"] as? Int == 0 && alone["up"] is NSNull)
        let run = try Background(["run", file, "--state", table.state, "--json"])
        for words in [["--by-run"], []] {
            let isTold = try Background.within(seconds: 30) { try standing(words)["up"] as? Bool == false }
            #expect(isTold)
            let now = try standing(words)
            #expect((now["trouble"] as? String)?.contains("refused") == true && now["since"] is String, "\(now)")
        }
        #expect(run.kill(SIGTERM).status == 143)
    }

    /// Time passes for all of them.
    @Test func onlyStationsThatChangedAreShownAgain() {
        var here = StationSummary(name: "desk-3", applied: 5, present: true, revoked: false)
        var gone = StationSummary(name: "van-7", applied: 5, present: false, revoked: false)
        (here.silence, gone.silence) = (1, 100)
        let known = [here, gone]
        (here.silence, gone.silence) = (6, 105)
        #expect(StationFollowing.changed([here, gone], since: known) == [])
        here.applied = 6
        let new = StationSummary(name: "lap-214", applied: 0, present: true, revoked: false)
        #expect(StationFollowing.changed([here, gone, new], since: known).map(\.name) == ["desk-3", "lap-214"])
    }

    @Test func metricsTellHowTheStationStands() {
        var reading = CatalogGauges.Reading()
        func text(behind: Int64?) -> String {
            MetricsText(
                state: Metrics.State(), totals: [], station: MetricsText.Station(reading: reading, behind: behind)
            ).text
        }
        #expect(!MetricsText(state: Metrics.State(), totals: []).text.contains("filmgate_catalog"))
        // Before anybody was asked nothing is known but that nothing is claimed.
        let early = text(behind: nil)
        for name in ["up", "behind", "report_seconds", "clock_seconds", "timeline"] {
            #expect(!early.contains("\nfilmgate_catalog_\(name) "))
        }
        #expect(early.contains("\nfilmgate_catalog_claims 0\n"))
        (reading.isUp, reading.claims, reading.reported) = (false, 3, .now - .seconds(75))
        (reading.answers, reading.lookups, reading.lookupSeconds) = (["granted": 5, "held": 2], 4, 0.25)
        (reading.clockAhead, reading.timeline) = (-1250, 4)
        let late = text(behind: 12)
        for line in [
            "up 0", "behind 12", "claims 3", "report_seconds 75", "clock_seconds -1.25", "timeline 4",
            #"claims_total{result="granted"} 5"#, #"claims_total{result="held"} 2"#, "lookup_seconds_sum 0.25",
            "lookup_seconds_count 4",
        ] { #expect(late.contains("\nfilmgate_catalog_\(line)\n"), "\(line)") }
    }
}

extension Table {
    /// A pipeline whose gallery stations share, with a catalogue that nobody reaches.
    fileprivate func holdingPipeline(_ gallery: Gallery) throws -> String {
        let text = try String(contentsOfFile: try pipeline(gallery), encoding: .utf8)
        return try write(
            "shared.yaml",
            text + """

                catalog:
                  postgres: { url: "postgresql://desk3@127.0.0.1:9/filmgate" }
                  share: [gallery]
                  when_away: hold
                  one_machine: true
                """)
    }

    /// The pipeline of the station desk-3, with the catalogue at that address.
    func stationPipeline(_ address: String) throws -> String {
        try write(
            "desk.yaml",
            """
            version: 1
            sources: [ { card: {} } ]
            stages: [ { upload: { to: [archive] } } ]
            targets: { archive: { folder: { path: "\(archive)" } } }
            catalog: { postgres: { url: "\(address)" }, station: desk-3 }
            """)
    }
}
