import FilmgateCore
import Testing

/// What one target gets, condition by condition.
@Suite struct DeliveryRuleTests {
    private static func decode(_ pairs: [(String, String)]) -> (rule: DeliveryRule?, error: ConfigError?) {
        let node = ConfigNode(
            .map(
                pairs.map {
                    ConfigNode.Pair(
                        .init($0.0, Mark(line: 3)), ConfigNode(.scalar($0.1, quoted: false), Mark(line: 3, column: 9)))
                }),
            Mark(line: 3))
        do throws(ConfigError) { return (try DeliveryRule(node: node), nil) } catch { return (nil, error) }
    }

    private static func frame(_ change: (inout FrameFacts) -> Void = { _ in }) -> FrameFacts {
        var frame = FrameFacts(kind: .jpeg, name: "IMG_0001.JPG")
        frame.time = CivilTime(year: 2026, month: 5, day: 1, hour: 12)
        change(&frame)
        return frame
    }

    private static func reason(_ pairs: [(String, String)], _ frame: FrameFacts) throws -> String? {
        guard case .refuses(let reason) = try #require(decode(pairs).rule).decision(on: frame) else { return nil }
        return reason
    }

    @Test func ratingsAreThoseOfSelect() throws {
        let rule = [("min_rating", "3"), ("unrated", "drop")]
        #expect(try Self.reason(rule, Self.frame { $0.rating = 2 }) == "rating 2, below `min_rating: 3`")
        #expect(try Self.reason(rule, Self.frame()) == "not rated, and `unrated: drop`")
        #expect(try Self.reason(rule, Self.frame { $0.rating = 3 }) == nil)
        #expect(try Self.reason([("min_rating", "3")], Self.frame()) == nil)
    }

    @Test func boundsShareNoMoment() throws {
        let day = Self.frame { $0.time = CivilTime(year: 2026, month: 5, day: 2) }
        #expect(try Self.reason([("after", "2026-05-02")], day) == nil)
        #expect(try Self.reason([("before", "2026-05-02")], day) != nil)
        #expect(
            try Self.reason([("after", "2026-05-01T12:01")], Self.frame())?.contains("before `after: 2026-05-01T12:01`")
                == true)
    }

    @Test func namesFormatsSizesAndProtection() throws {
        #expect(try Self.reason([("name", "DSC*")], Self.frame()) == "IMG_0001.JPG does not match `name: DSC*`")
        #expect(try Self.reason([("name", "img_*.jpg")], Self.frame()) == nil)
        #expect(
            try Self.reason([("protected", "only")], Self.frame())
                == "not protected in the camera, and `protected: only`")
        #expect(try Self.reason([("min_pixels", "12000000")], Self.frame { $0.pixels = 9_000_000 }) != nil)
        #expect(try Self.reason([("min_pixels", "12000000")], Self.frame()) == nil, "a file that does not say passes")
        var rule = DeliveryRule()
        rule.formats = [FileExtension("jpeg"), FileExtension("CR3")]
        #expect(rule.decision(on: Self.frame()) == .takes)
        #expect(
            rule.decision(on: FrameFacts(kind: .raw, name: "A.NEF"))
                == .refuses("A.NEF is not in `formats: [jpeg, cr3]`"))
    }

    /// What is not known decides only where the rule asks for it, and nothing else refuses.
    @Test func whatIsNotKnownIsNoAnswer() throws {
        let rule = try #require(Self.decode([("min_rating", "3"), ("name", "IMG*")]).rule)
        let unknown = Self.frame { $0.unknown = [.rating, .time, .pixels, .protection] }
        #expect(rule.decision(on: unknown) == .undecided)
        var other = unknown
        other.name = "X.JPG"
        #expect(rule.decision(on: other) == .refuses("X.JPG does not match `name: IMG*`"))
        #expect(DeliveryRule().decision(on: unknown) == .takes)
    }

    @Test func mistakesHaveTheirPlace() {
        #expect(Self.decode([("min_rating", "7")]).error?.code == "out-of-range")
        let unknown = Self.decode([("min_ratin", "3")]).error
        #expect(unknown?.hint == "Did you mean `min_rating`?" && unknown?.mark.line == 3)
        #expect(Self.decode([("after", "2026-05-02"), ("before", "2026-05-02")]).error?.code == "empty-range")
        #expect(Self.decode([("after", "soon")]).error?.code == "wrong-time")
    }

    @Test func aRuleIsShownAsItIsWritten() throws {
        #expect(([.jpeg, .raw] as DeliveryRule).shown == "[jpeg, raw]")
        #expect(
            try #require(Self.decode([("min_rating", "3"), ("unrated", "drop")]).rule).shown
                == "{ min_rating: 3, unrated: drop }")
    }
}
