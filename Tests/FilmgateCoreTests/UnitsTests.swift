import FilmgateCore
import Testing

@Suite struct UnitsTests {
    @Test(
        arguments: [
            ("0B", 0), ("512B", 512), ("1KB", 1000), ("1kB", 1000), ("1KiB", 1024), ("10MB", 10_000_000),
            ("64GiB", 64 << 30), ("2 TB", 2_000_000_000_000), ("1TiB", 1 << 40), ("1.5KiB", 1536), (".5KiB", 512),
            ("0.3KB", 300), ("1000000TB", 1_000_000_000_000_000_000),
        ] as [(String, UInt64)]) func sizes(_ text: String, _ bytes: UInt64) throws
    {
        #expect(try ByteCount(node: ConfigNode(.scalar(text, quoted: false))).bytes == bytes)
    }

    @Test(arguments: [
        "", "64", "GiB", "-1GiB", "+1GiB", "1e3B", "0x10B", "infB", "nanB", "1 000B", "1_000B", "1,5GiB", "64gib",
        "64Gib", "10000000TB", "1.2.3B", ".B", "1GiB ", "B", "１B",
    ]) func notSizes(_ text: String) {
        let error = #expect(throws: ConfigError.self) { try ByteCount(node: ConfigNode(.scalar(text, quoted: false))) }
        #expect(error?.code == "wrong-unit")
    }

    @Test(
        arguments: [0, 1, 999, 1000, 1024, 1536, 1_000_000, 1 << 20, 3 << 30, 5_000_000_000, 1 << 40, 123_456_789]
            as [UInt64])
    func shownSizesAreReadBack(_ bytes: UInt64) throws {
        let shown = try #require(ByteCount(bytes).shown)
        #expect(try ByteCount(node: ConfigNode(.scalar(shown, quoted: false))).bytes == bytes)
    }

    @Test(
        arguments: [
            ("500ms", 500), ("0s", 0), ("30s", 30_000), ("2m", 120_000), ("2min", 120_000), ("1h", 3_600_000),
            ("7d", 604_800_000), ("1.5h", 5_400_000), ("1 s", 1000), ("1.001s", 1001), ("0.57s", 570), ("4.35s", 4350),
            ("3649d", 315_273_600_000),
        ] as [(String, Int64)]) func durations(_ text: String, _ milliseconds: Int64)
    { #expect(Duration(text: text) == .milliseconds(milliseconds)) }

    @Test(arguments: [
        "", "5", "s", "-1s", "+1s", "1e3s", "infs", "5 sec", "5S", "1h30m", "0x1s", "3651d", "nanms", "５s", ".",
    ])
    func notDurations(_ text: String) { #expect(Duration(text: text) == nil) }

    @Test(arguments: [0, 1, 999, 1000, 1500, 60_000, 90_000, 3_600_000, 86_400_000] as [Int64])
    func shownDurationsAreReadBack(_ milliseconds: Int64) throws {
        #expect(Duration(text: try #require(Duration.milliseconds(milliseconds).shown)) == .milliseconds(milliseconds))
    }

    @Test(arguments: [("0", 0.0), ("-2.5", -2.5), ("1e3", 1000)] as [(String, Double)]) func numbers(
        _ text: String, _ value: Double
    ) throws {
        #expect(try Double(node: ConfigNode(.scalar(text, quoted: false))) == value)
    }

    @Test(arguments: ["inf", "nan", "", "1,5", "x", "1e999"]) func notNumbers(_ text: String) {
        #expect(throws: ConfigError.self) { try Double(node: ConfigNode(.scalar(text, quoted: false))) }
    }

    @Test(arguments: ["99999999999999999999", "1.0", "0x10", "", " 1", "yes"]) func notWholeNumbers(_ text: String) {
        #expect(throws: ConfigError.self) { try Int(node: ConfigNode(.scalar(text, quoted: false))) }
    }

    @Test(arguments: ["yes", "True", "1", "on", ""]) func notBooleans(_ text: String) {
        #expect(throws: ConfigError.self) { try Bool(node: ConfigNode(.scalar(text, quoted: false))) }
    }
}
