import FilmgateCore
import Testing

@testable import FilmgateEngine

/// What the files of a shot say for each other: an unreadable RAW costs its shot no profile, and names alone make no
/// shot.
@Suite struct ShotBodyTests {
    /// Gives files the facts that a table has for their names.
    private struct Reading: Stage {
        let facts: [String: MediaFacts]
        var traits: StageTraits {
            var traits = StageTraits()
            traits.reads = true
            return traits
        }
        func process(_ asset: Asset, of shot: Shot) async throws(IngestError) -> Verdict {
            var asset = asset
            asset.media = facts[asset.origin.name] ?? MediaFacts()
            return .pass(asset)
        }
    }

    private static func facts(
        _ model: String? = nil, serial: String? = nil, owner: String? = nil, day: Int? = nil
    ) -> MediaFacts {
        var facts = MediaFacts()
        (facts.make, facts.model, facts.serial, facts.owner) = (model.map { _ in "Acme" }, model, serial, owner)
        facts.captured = day.flatMap { CivilTime(unixSeconds: Int64($0) * 86_400) }
        return facts
    }

    private func read(_ facts: [(name: String, facts: MediaFacts)], remembered: MediaFacts? = nil) async throws
        -> [MediaFacts]
    {
        let assets = facts.map { name, _ in
            let origin = Origin(source: "card", volume: "v", root: "/card", path: name, size: 1, modified: 7)
            return Asset(origin: origin, kind: MediaKind(fileName: name), shot: ShotPlace(key: "k", stem: "A"))
        }
        var shot = Shot(key: "k", assets: assets)
        if let remembered {
            shot.remembered = assets.first
            shot.remembered?.media = remembered
        }
        let stage = Reading(facts: Dictionary(facts.map { ($0.name, $0.facts) }) { first, _ in first })
        return try await Line(stages: [stage]).pass(shot).map { $0.asset.media ?? MediaFacts() }
    }

    @Test func theFirstThatSaysWhichBodyItWasSaysItForAll() async throws {
        let known = Self.facts("R5", serial: "7", owner: "Ann", day: 100)
        let read = try await read([
            ("A.CR3", MediaFacts()), ("A.HIF", Self.facts("R5", day: 100)), ("A.JPG", known), ("A.WAV", MediaFacts()),
        ])
        for facts in read {
            #expect(facts.make == "Acme" && facts.model == "R5" && facts.serial == "7" && facts.owner == "Ann")
        }
        // A time is each file's own.
        #expect(read[0].captured == nil)
    }

    @Test func aSidecarKnowsWhatNoFrameDoes() async throws {
        let read = try await read([("A.CR3", MediaFacts()), ("A.XMP", Self.facts("R5", serial: "7"))])
        #expect(read[0].model == "R5" && read[0].serial == "7")
    }

    @Test func theRememberedPrimaryCounts() async throws {
        #expect(try await read([("A.JPG", MediaFacts())], remembered: Self.facts("R5", serial: "7"))[0].serial == "7")
    }

    @Test func anotherBodyOrDayIsAnotherShot() async throws {
        let other = try await read([
            ("A.JPG", Self.facts("R5", serial: "7", day: 100)), ("A.MOV", Self.facts("Phone", day: 100)),
        ])
        #expect(other[1].serial == nil && other[1].model == "Phone")
        let years = try await read([
            ("A.JPG", Self.facts(day: 3000)), ("A.MOV", Self.facts("Phone", serial: "1", day: 100)),
        ])
        #expect(years[0].model == nil && years[0].serial == nil)
        // A movie's clock may be in another zone.
        let zones = try await read([
            ("A.JPG", Self.facts(day: 100)), ("A.MOV", Self.facts("Phone", serial: "1", day: 101)),
        ])
        #expect(zones[0].serial == "1")
    }
}
