import FilmgateCore
import Logging
import Testing

@testable import SelectStage

@Suite struct SelectStageTests {
    private static func frame(
        _ name: String, rating: Int? = nil, captured: CivilTime? = nil, flags: Set<String> = [],
        sidecarOf: String? = nil
    ) -> Asset {
        let origin = Origin(
            source: "card", volume: "v", root: "/card", path: "DCIM/\(name)", size: 1,
            modified: 1_777_636_800_000_000_000)
        var asset = Asset(
            origin: origin, kind: MediaKind(fileName: name), shot: ShotPlace(key: "k", stem: "k", sidecarOf: sidecarOf))
        var facts = MediaFacts()
        (facts.rating, facts.captured) = (rating, captured)
        (asset.media, asset.flags) = (facts, flags)
        return asset
    }

    /// The reason for each asset of the shot; nil = passes.
    ///
    /// `times`: when they were taken by the corrected clock.
    private static func reasons(
        _ assets: [Asset], at times: CivilTime? = nil, _ configure: (inout SelectStage.Config) -> Void
    ) async throws -> [String?] {
        var config = SelectStage.Config()
        configure(&config)
        let stage = try SelectStage(config, ModuleContext(name: "select", logger: Logger(label: "test"), state: ""))
        var reasons: [String?] = []
        var shot = Shot(key: "k", assets: assets)
        for asset in assets { shot.times[asset.id] = times }
        for asset in assets {
            switch try await stage.process(asset, of: shot) {
            case .pass: reasons.append(nil)
            case .finish(_, let ending, let reason, _):
                #expect(ending == .filtered)
                reasons.append(reason)
            case .deliver: Issue.record("must not deliver")
            }
        }
        return reasons
    }

    @Test func withoutRulesEverythingPasses() async throws {
        let shot = [Self.frame("A.CR3", rating: -1), Self.frame("A.JPG"), Self.frame("A.XMP"), Self.frame("A.BIN")]
        #expect(try await Self.reasons(shot) { _ in } == [nil, nil, nil, nil])
    }

    @Test(arguments: [(-1, false), (0, true), (1, false), (2, true), (5, true)]) func ratings(
        _ rating: Int, _ passes: Bool
    ) async throws {
        let reason = try await Self.reasons([Self.frame("A.JPG", rating: rating)]) { $0.minRating = 2 }[0]
        #expect((reason == nil) == passes)
        if rating == 1 { #expect(reason == "rating 1, below `min_rating: 2`") }
        if rating == -1 { #expect(reason == "rejected (rating -1), below `min_rating: 2`") }
    }

    @Test func unratedFramesDropOnlyWhenAsked() async throws {
        let shot = [Self.frame("A.JPG", rating: 0)]
        #expect(try await Self.reasons(shot) { $0.unrated = .drop } == ["not rated, and `unrated: drop`"])
        #expect(try await Self.reasons(shot) { $0.minRating = 1 } == [nil])
    }

    @Test func theSidecarsRatingRulesTheShot() async throws {
        let shot = [Self.frame("A.CR3", rating: 1), Self.frame("A.JPG", rating: 1), Self.frame("A.XMP", rating: 4)]
        #expect(try await Self.reasons(shot) { $0.minRating = 3 } == [nil, nil, nil])
        let cleared = [Self.frame("A.CR3", rating: 5), Self.frame("A.XMP", rating: 0)]
        #expect(try await Self.reasons(cleared) { $0.unrated = .drop }.allSatisfy { $0 != nil })
    }

    @Test func aRatingInEitherFrameIsTheShots() async throws {
        #expect(
            try await Self.reasons([Self.frame("A.CR3"), Self.frame("A.JPG", rating: 5)]) {
                ($0.minRating, $0.unrated) = (3, .drop)
            } == [
                nil, nil,
            ])
    }

    @Test func sidecarsAndMemosGoWithTheirFrames() async throws {
        let shot = [Self.frame("A.CR3"), Self.frame("A.JPG"), Self.frame("A.WAV"), Self.frame("A.XMP")]
        #expect(
            try await Self.reasons(shot) { $0.accept = [.jpeg] } == [
                "kind raw is not in `accept: [jpeg]`", nil, nil, nil,
            ])
        let named = [Self.frame("A.CR3"), Self.frame("A.JPG"), Self.frame("A.CR3.xmp", sidecarOf: "CR3")]
        #expect(
            try await Self.reasons(named) { $0.accept = [.jpeg] }[2]
                == "goes with A.CR3: kind raw is not in `accept: [jpeg]`")
        #expect(
            try await Self.reasons([Self.frame("A.XMP")]) { $0.accept = [.jpeg] } == [
                "kind sidecar is not in `accept: [jpeg]`"
            ])
    }

    @Test func aSidecarOfAFrameThatIsKnownAlreadyPasses() async throws {
        let sidecar = Self.frame("A.XMP", rating: 4)
        let stage = try SelectStage(
            SelectStage.Config(), ModuleContext(name: "select", logger: Logger(label: "test"), state: ""))
        let shot = Shot(key: "k", assets: [sidecar], remembered: Self.frame("A.CR3"))
        guard case .pass = try await stage.process(sidecar, of: shot) else { Issue.record("must pass"); return }
    }

    @Test func protection() async throws {
        let locked = [Self.frame("A.JPG", flags: ["protected"])], free = [Self.frame("A.JPG")]
        #expect(try await Self.reasons(locked) { $0.protected = .only } == [nil])
        #expect(
            try await Self.reasons(free) { $0.protected = .only } == [
                "not protected in the camera, and `protected: only`"
            ])
        #expect(
            try await Self.reasons(locked) { $0.protected = .skip } == [
                "protected in the camera, and `protected: skip`"
            ])
    }

    @Test func timesIncludeTheirBounds() async throws {
        func reason(_ hour: Int, _ since: String?, _ until: String?) async throws -> String? {
            let time = CivilTime(year: 2026, month: 5, day: 1, hour: hour, minute: 30, offsetMinutes: 600)
            return try await Self.reasons([Self.frame("A.JPG", captured: time)]) {
                ($0.since, $0.until) = (since.flatMap { TimeBound($0) }, until.flatMap { TimeBound($0) })
            }[0]
        }
        #expect(try await reason(0, "2026-05-01", "2026-05-01") == nil)
        #expect(try await reason(23, nil, "2026-05-01") == nil)
        #expect(try await reason(12, "2026-05-01T12:30", "2026-05-01 12:30") == nil)
        #expect(
            try await reason(12, "2026-05-01T12:31", nil)
                == "taken 2026-05-01T12:30:00+10:00, before `since: 2026-05-01T12:31`")
        #expect(try await reason(12, nil, "2026-04-30") == "taken 2026-05-01T12:30:00+10:00, after `until: 2026-04-30`")
    }

    @Test func theCorrectedTimeCountsBeforeTheCameras() async throws {
        let wrong = CivilTime(year: 2026, month: 5, day: 16, hour: 13)
        let right = CivilTime(year: 2026, month: 5, day: 17, hour: 13)
        let frame = Self.frame("A.JPG", captured: wrong)
        #expect(try await Self.reasons([frame], at: right) { $0.since = TimeBound("2026-05-17") } == [nil])
        #expect(try await Self.reasons([frame], at: right) { $0.until = TimeBound("2026-05-16") }[0] != nil)
        #expect(
            try await Self.reasons([Self.frame("A.JPG")], at: right) { $0.since = TimeBound("2027-01-01") }[0] != nil)
    }

    @Test func names() async throws {
        let shot = [Self.frame("IMG_1.CR3"), Self.frame("IMG_1.XMP")]
        #expect(try await Self.reasons(shot) { $0.include = [Glob("img_*.cr3")].compactMap { $0 } } == [nil, nil])
        #expect(
            try await Self.reasons(shot) { $0.exclude = [Glob("*.XMP")].compactMap { $0 } } == [
                nil, "IMG_1.XMP matches `exclude: *.XMP`",
            ])
        #expect(
            try await Self.reasons(shot) { $0.exclude = [Glob("*.CR3")].compactMap { $0 } }.allSatisfy { $0 != nil })
        #expect(
            try await Self.reasons(shot) { $0.include = [Glob("X*")].compactMap { $0 } }[0]
                == "IMG_1.CR3 matches none of `include: [X*]`")
    }
}
