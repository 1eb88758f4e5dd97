import FilmgateCore
import Testing

@testable import SelectStage

@Suite struct SelectConfigTests {
    private static func decode(_ pairs: [(String, ConfigNode.Value)]) -> (SelectStage.Config, [ConfigError]) {
        var errors: [ConfigError] = []
        let node = ConfigNode(
            .map(pairs.map { ConfigNode.Pair(ConfigNode.Key($0.0, Mark(line: 3)), ConfigNode($0.1, Mark(line: 3))) }))
        return (SelectStage.Config.schema.decode(node, errors: &errors), errors)
    }

    private static func plain(_ text: String) -> ConfigNode.Value { .scalar(text, quoted: false) }

    @Test func everyOptionIsDecoded() {
        let (config, errors) = Self.decode([
            ("accept", .list([ConfigNode(Self.plain("jpeg")), ConfigNode(Self.plain("raw"))])),
            ("min_rating", Self.plain("1")), ("unrated", Self.plain("drop")), ("protected", Self.plain("only")),
            ("since", Self.plain("2026-05-01")), ("until", Self.plain("2026-05-02T10:00")),
            ("exclude", .list([ConfigNode(.scalar("T*", quoted: true))])),
        ])
        #expect(errors.isEmpty)
        #expect(
            config.accept == [.jpeg, .raw] && config.minRating == 1 && config.unrated == .drop
                && config.protected == .only)
        #expect(
            config.since?.text == "2026-05-01" && config.until?.text == "2026-05-02T10:00" && config.exclude.count == 1)
    }

    @Test(arguments: [
        "2026-5-1", "01.05.2026", "2026-05", "2026-02-30", "2026-05-01T", "2026-05-01T25:00", "2026-05-01T10", "soon",
        "",
    ])
    func wrongTimesAreRefused(_ text: String) {
        let (_, errors) = Self.decode([("since", Self.plain(text))])
        #expect(errors.map(\.code) == ["wrong-time"] && errors.first?.mark.line == 3)
    }

    @Test func rangesMustNotBeEmpty() {
        #expect(
            Self.decode([("since", Self.plain("2026-05-02")), ("until", Self.plain("2026-05-01"))]).1.map(\.code) == [
                "empty-range"
            ])
        #expect(Self.decode([("since", Self.plain("2026-05-01")), ("until", Self.plain("2026-05-01"))]).1.isEmpty)
        #expect(Self.decode([("min_rating", Self.plain("6"))]).1.map(\.code) == ["out-of-range"])
    }
}
