import FilmgateCore
import Glibc
import Testing

@testable import FilmgateEngine

@Suite struct ZoneRulesTests {
    func rules(_ name: String) throws -> ZoneRules { try ZoneDatabase().rules(named: name).get() }

    func minutes(_ zone: String, _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int = 0) throws -> (
        Int, ZoneRules.Certainty
    ) {
        let civil = try #require(CivilTime(year: year, month: month, day: day, hour: hour, minute: minute))
        let found = try rules(zone).offsetMinutes(of: civil)
        return (found.minutes, found.certainty)
    }

    @Test func civilTimesFindTheirOffset() throws {
        #expect(try minutes("Europe/Oslo", 2026, 1, 15, 12) == (60, .exact))
        #expect(try minutes("Europe/Oslo", 2026, 7, 15, 12) == (120, .exact))
        #expect(try minutes("Europe/Oslo", 2026, 3, 29, 2, 30) == (60, .never))
        #expect(try minutes("Europe/Oslo", 2026, 3, 29, 3) == (120, .exact))
        #expect(try minutes("Europe/Oslo", 2026, 10, 25, 2, 30) == (120, .twice))
        #expect(try minutes("Europe/Oslo", 2026, 10, 25, 3) == (60, .exact))
        #expect(try minutes("Australia/Lord_Howe", 2026, 1, 1, 0) == (660, .exact))
        #expect(try minutes("Australia/Lord_Howe", 2026, 7, 1, 0) == (630, .exact))
        #expect(try minutes("Asia/Kathmandu", 2026, 7, 1, 0) == (345, .exact))
        #expect(try minutes("America/St_Johns", 2026, 7, 1, 0) == (-150, .exact))
    }

    @Test func rulesGoOnAfterTheLastEntryOfTheFile() throws {
        #expect(try minutes("Europe/Oslo", 2101, 7, 1, 12) == (120, .exact))
        #expect(try minutes("Europe/Oslo", 2101, 1, 1, 12) == (60, .exact))
        #expect(try minutes("Europe/Dublin", 2101, 7, 1, 12) == (60, .exact))
        #expect(try minutes("Europe/Dublin", 2101, 1, 1, 12) == (0, .exact))
        #expect(try minutes("Pacific/Auckland", 2101, 1, 1, 12) == (780, .exact))
        #expect(try minutes("America/New_York", 2101, 11, 6, 1, 30) == (-240, .twice))
    }

    /// QuickTime's UTC times, the other way round.
    @Test func instantsBecomeCivilTimes() throws {
        #expect(try "\(#require(rules("Europe/Oslo").civilTime(at: 1_782_900_000)))" == "2026-07-01T12:00:00+02:00")
        #expect(try rules("Europe/Oslo").civilTime(at: .max) == nil)
        #expect(try rules("Europe/Oslo").civilTime(at: .min) == nil)
    }

    @Test(arguments: [
        ("+02:00", 7200), ("-03:30", -12600), ("-0330", -12600), ("+05", 18000), ("Z", 0), ("UTC", 0),
        ("+14:00", 50400),
    ])
    func fixedOffsets(text: String, seconds: Int) throws { #expect(try rules(text).offset(at: 0) == seconds) }

    @Test(arguments: [
        "Europe/Olso", "europe/oslo", "../../etc/passwd", "/etc/passwd", "Europe", "Europe/", "", ".", "+25:00", "+2",
        "+02:60", "tzdata.zi", "Europe/Oslo\0", "+02:00:00",
    ]) func strangersAreUnknown(name: String) {
        #expect(ZoneDatabase().rules(named: name) == .failure(.unknown))
    }

    @Test func aMissingDatabaseIsAnotherMatter() {
        #expect(ZoneDatabase(directory: "/nonexistent").rules(named: "Europe/Oslo") == .failure(.noDatabase))
    }

    @Test(arguments: [
        ("CET-1CEST,M3.5.0,M10.5.0/3", 3600, 7200), ("<+03>-3", 10800, 10800),
        ("EST5EDT,M3.2.0,M11.1.0", -18000, -14400), ("IST-1GMT0,M10.5.0,M3.5.0/1", 3600, 0),
        ("XXX-1YYY,J60,300", 3600, 7200), ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -7200, -3600),
    ]) func posixRulesAreRead(text: String, standard: Int, summer: Int) throws {
        let rule = try #require(PosixZone(text))
        #expect(rule.standard == standard && rule.summer == summer)
    }

    @Test(arguments: [
        "", "A", "CET", "CET-1CEST,M13.1.0,M1.1.0", "CET-1CEST,M1.0.0,M1.1.0", "CET-1CEST,M3.5.0", "CET-999", "<CET",
        "CET-1CEST,J0,J1x",
    ])
    func brokenPosixRulesAreNot(text: String) { #expect(PosixZone(text) == nil) }

    @Test func damagedFilesNeverTrap() throws {
        let handle = try #require(fopen("/usr/share/zoneinfo/Europe/Oslo", "r"))
        defer { fclose(handle) }
        var good = [UInt8](repeating: 0, count: 8192)
        good.removeLast(8192 - fread(&good, 1, 8192, handle))
        #expect(TZif.rules(from: good, name: "Oslo") != nil)
        for length in 0..<good.count { _ = TZif.rules(from: Array(good[..<length]), name: "cut") }
        var random = SeededRandom(seed: 7)
        for _ in 0..<3000 {
            var bytes = good
            for _ in 0..<Int(random.next() % 8 + 1) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            guard let rules = TZif.rules(from: bytes, name: "damaged") else { continue }
            for instant in [Int64.min, -1, 0, 1_800_000_000, 250_000_000_000, .max] { _ = rules.offset(at: instant) }
            _ = rules.offsetMinutes(of: try #require(CivilTime(year: 9999, month: 12, day: 31)))
        }
    }
}

/// A small generator that gives the same numbers each run.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
