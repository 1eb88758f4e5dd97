import FilmgateCore
import FilmgateTesting
import Testing

@testable import FilmgateEngine

/// Movies without a serial number: whose clock is theirs.
@Suite struct BodySerialsTests {
    private struct KnownSerials: LedgerStandIn { var serials: [String] }

    private static func facts(_ serial: String?, model: String = "X100") -> MediaFacts {
        var facts = MediaFacts()
        (facts.make, facts.model, facts.serial) = ("Acme", model, serial)
        return facts
    }

    private static let profiles: ProfileSet = {
        var one = Profile(), two = Profile()
        (one.matchRule.serial, one.clockOffset) = (Glob("1"), ClockOffset(seconds: 10))
        (two.matchRule.serial, two.clockOffset) = (Glob("2"), ClockOffset(seconds: 20))
        two.photographer = "Ann"
        return ProfileSet([one, two])
    }()

    private func clock(
        of facts: MediaFacts, _ kind: MediaKind = .video, beside photos: [MediaFacts], known: [String] = []
    ) async throws
        -> Int64?
    {
        let bodies = BodySerials()
        for photo in photos { bodies.note(photo) }
        let profile = try await bodies.resolve(facts, kind, Self.profiles, KnownSerials(serials: known))
        #expect(profile.photographer == nil || facts.serial != nil)
        return profile.clockOffset?.seconds
    }

    @Test func theOnlyBodyOfThatModelOnTheCard() async throws {
        #expect(try await clock(of: Self.facts(nil), beside: [Self.facts("1")], known: ["1", "2"]) == 10)
        #expect(try await clock(of: Self.facts(nil), beside: [Self.facts("2"), Self.facts("1", model: "Other")]) == 20)
        #expect(try await clock(of: Self.facts(nil), beside: [Self.facts("1"), Self.facts("2")]) == nil)
        #expect(try await clock(of: Self.facts("2"), beside: [Self.facts("1")]) == 20)
    }

    /// What is stamped into a movie knows its clock, too, however early it was read.
    @Test func aStampedMovieWaitsForThePhotosBeforeIt() async throws {
        let bodies = BodySerials(), place = ShotPlace(key: "k", stem: "A")
        let stampValues = StampValues(
            profiles: Self.profiles, event: nil, photographer: nil, volumeLabel: "", digests: [], areas: [],
            bodies: bodies, ledger: KnownSerials(serials: []))
        for (kind, offset) in [(MediaKind.video, 10 as Int64), (.jpeg, 0)] {
            let origin = Origin(source: "card", volume: "v", root: "/card", path: "A", size: 1, modified: 7)
            var asset = Asset(origin: origin, kind: kind, shot: place), facts = Self.facts(nil), turns = 0
            facts.captured = CivilTime(unixSeconds: 1_000_000)
            asset.media = facts
            let stamping = try await stampValues.stamping(for: Shot(key: "k", assets: [asset])) {
                turns += 1
                bodies.note(Self.facts("1"))
            }
            #expect(stamping.isClockCorrected == (offset != 0) && turns == (offset != 0 ? 1 : 0))
            #expect(stamping.values[asset.id]?.captured == facts.captured?.adding(seconds: offset))
        }
    }

    @Test func beforeThePhotosTheOnlyBodyThatIsKnownAtAll() async throws {
        #expect(try await clock(of: Self.facts(nil), beside: [], known: ["2"]) == 20)
        #expect(try await clock(of: Self.facts(nil), beside: [], known: ["1", "2"]) == nil)
        #expect(try await clock(of: Self.facts(nil), beside: []) == nil)
        // A photo without one was worked on elsewhere.
        #expect(try await clock(of: Self.facts(nil), .jpeg, beside: [Self.facts("1")]) == nil)
    }
}
