import FilmgateConfig
import FilmgateCore
import Testing

@testable import FilmgateEngine

@Suite struct ProfileTests {
    /// A valid pipeline with these profiles.
    func profiles(_ yaml: String) throws -> ProfileSet {
        let text = "version: 1\nsources: [card: {}]\nprofiles:\n\(yaml)\n" + PipelineFileTests.ending
        let loaded = try PipelineFileTests.load(text)
        #expect(loaded.diagnostics == [])
        return try #require(loaded.pipeline).profiles
    }

    static let layered = """
          - photographer: nobody
            zone: "+01:00"
            rename: "{stem}"
            accept: [raw]
          - { match: { make: acme }, photographer: maker, clock_offset: "+00:00:01" }
          - { match: { make: acme, model: "one*" }, photographer: model, deliver: { a: [raw] } }
          - { match: { owner: "*ann*" }, photographer: owner, clock_offset: "-1:00:00" }
          - { match: { serial: "0042" }, photographer: serial }
          - { match: { serial: "00*" }, photographer: later, zone: "+02:00" }
        """

    @Test func theMoreSpecificWinsKeyByKey() throws {
        let set = try profiles(Self.layered)
        let all = set.resolve(make: "ACME", model: "One X", serial: "0042", owner: "Joanna")
        #expect(all.photographer == "serial" && all.clockOffset?.seconds == -3600 && all.zone?.name == "+02:00")
        #expect(all.rename?.source == "{stem}" && all.accept == [.raw] && all.deliver == ["a": [.raw]])
        #expect(all.decided["photographer"]?.rank == .serial && all.decided["photographer"]?.mark.line == 11)
        #expect(all.decided["zone"]?.mark.line == 12 && all.decided["rename"]?.rank == .everything)
        #expect(all.matched.map(\.rank) == [.serial, .serial, .owner, .model, .make, .everything])
    }

    @Test func whatTheCameraDoesNotSayNeverMatches() throws {
        let set = try profiles(Self.layered)
        #expect(set.resolve(make: nil, model: nil, serial: nil, owner: nil).photographer == "nobody")
        #expect(set.resolve(make: "acme", model: "  ", serial: "\0\0", owner: "").photographer == "maker")
        #expect(set.resolve(make: "acme\0", model: " ONE", serial: nil, owner: nil).photographer == "model")
        #expect(set.resolve(make: "other", model: "one", serial: nil, owner: nil).photographer == "nobody")
        #expect(set.resolve(make: nil, model: nil, serial: "0043", owner: nil).photographer == "later")
        #expect(set.resolve(make: nil, model: nil, serial: "43", owner: nil).clockOffset == nil)
    }

    /// In one file nobody means two profiles for the same cameras to decide the same thing.
    @Test func ofTwoForTheSameCamerasTheSecondIsTold() throws {
        let text = """
            version: 1
            sources: [card: {}]
            profiles:
              - { match: { make: acme }, photographer: ann, zone: "+01:00" }
              - { match: { make: acme }, rename: "{stem}" }
              - { match: { make: acme, model: one }, photographer: cyd }
              - { match: { make: acme }, photographer: bob, rename: "x-{stem}", accept: [raw] }

            """
        let loaded = try PipelineFileTests.load(text + PipelineFileTests.ending)
        let told = try #require(loaded.diagnostics.first)
        #expect(loaded.diagnostics.map(\.error.code) == ["same-match"] && told.severity == .warning)
        #expect(told.error.mark.line == 7 && told.error.message.contains("line 4"), "\(told.error)")
        #expect(told.error.message.contains("`photographer`, `rename`"), "\(told.error)")
    }

    /// To leave a target out for some cameras, or to take nothing but files of no known kind, may be meant.
    @Test(
        arguments: [
            ("- { match: { make: acme }, accept: [other] }", ["accepts-no-pictures"]),
            ("- { match: { make: acme }, accept: [other, raw] }", []), ("- { accept: [other] }", []),
            ("- { deliver: { a: [raw] } }", ["target-without-rule"]),
            ("- { match: { make: acme }, deliver: { a: [raw] } }", []),
            ("- { deliver: { a: [raw] } }\n- { match: { make: acme }, deliver: { b: [jpeg] } }", []),
            ("- { deliver: { a: [raw], b: [jpeg] } }", []),
        ] as [(String, [String])])
    func whatTakesOrGivesNothingIsWarnedOf(_ profile: String, _ codes: [String]) throws {
        let loaded = try PipelineFileTests.load(
            """
            version: 1
            sources: [card: {}]
            profiles:
            \(profile)
            stages: [exif: {}, upload: { to: [a, b] }]
            targets: { a: { folder: { path: /a } }, b: { folder: { path: /b } } }

            """)
        #expect(loaded.diagnostics.map(\.error.code) == codes, "\(loaded.diagnostics)")
        #expect(loaded.diagnostics.allSatisfy { $0.severity == .warning && $0.error.mark.line == 4 })
    }

    @Test func noProfilesDecideNothing() {
        let resolved = ProfileSet().resolve(make: "a", model: "b", serial: "c", owner: "d")
        #expect(
            resolved.decided.isEmpty && resolved.matched.isEmpty && resolved.accept == nil && resolved.deliver == nil)
    }

    @Test(arguments: [
        ("x*", "X-T5", true), ("x*", "ax", false), ("*r5*", "Model R5 II", true), ("?1", "a1", true),
        ("?1", "1", false), ("[a-c]1", "B1", true), ("[!a-c]1", "B1", false), ("[!a-c]1", "d1", true),
        ("[]]", "]", true), ("[a-]", "-", true), ("*", "", true), ("a**b", "ab", true), ("Ünï*", "ÜNÏ x", true),
        ("one", " one ", true), ("one", "one two", false), ("[[]", "[", true),
        ("*a*a*a*b", String(repeating: "a", count: 5000), false),
    ]) func patterns(pattern: String, text: String, matches: Bool) throws {
        #expect(try #require(Glob(pattern)).matches(text) == matches)
    }

    @Test(arguments: ["", "[", "a[b", "[!", "[]", "  "]) func badPatterns(pattern: String) {
        #expect(Glob(pattern) == nil)
    }

    @Test(arguments: [
        ("+00:03:12", 192), ("-1:00:00", -3600), ("00:30", 1800), ("+227760:00:00", 819_936_000), ("-00:00:01", -1),
    ]) func clockOffsets(text: String, seconds: Int64) { #expect(ClockOffset.parse(text) == seconds) }

    @Test(arguments: [
        "", "+", "1", "1:2", "1:60", "1:00:60", "1:00:00:00", "a:00", "+-1:00", "1:0x", "99999999999999999999:00",
        "1000000:00", "١:٠٠",
    ])
    func badClockOffsets(text: String) { #expect(ClockOffset.parse(text) == nil) }

    @Test func offsetsShowAsTheyAreWritten() {
        #expect(ClockOffset(seconds: -3723).shown == "-01:02:03" && ClockOffset(seconds: 192).shown == "+00:03:12")
    }
}
