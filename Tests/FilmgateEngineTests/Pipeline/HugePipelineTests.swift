import FilmgateCore
import Testing

@testable import FilmgateEngine

/// Files of nearly a megabyte that make every check work hard: each ends, with a bounded number of diagnostics.
@Suite(.timeLimit(.minutes(5))) struct HugePipelineTests {
    static let head = "version: 1\nsources: [card: {}]\n"

    func count(_ text: String) throws -> Int {
        #expect(text.utf8.count < 1 << 20)
        let loaded = try PipelineFileTests.load(text)
        _ = DiagnosticPrinter(texts: loaded.texts).text(loaded.diagnostics)
        return loaded.diagnostics.count
    }

    @Test func thousandsOfUnknownZones() throws {
        let profiles = (0..<15_000).map { "  - { zone: Europe/Osl\($0) }\n" }.joined()
        #expect(try count(Self.head + "profiles:\n" + profiles + PipelineFileTests.ending) == 200)
    }

    @Test func thousandsOfKnownZones() throws {
        let profiles = String(repeating: "  - { zone: Europe/Oslo }\n", count: 20_000)
        // All but the first decide nothing.
        #expect(try count(Self.head + "profiles:\n" + profiles + PipelineFileTests.ending) == 200)
    }

    @Test func thousandsOfTargetsAndWrongNames() throws {
        let targets = (0..<9_000).map { "  a\($0): { folder: { path: /a } }\n" }.joined()
        let names = (0..<9_000).map { "b\($0)" }.joined(separator: ", ")
        #expect(
            try count(Self.head + "stages:\n  - exif: {}\n  - upload: { to: [\(names)] }\ntargets:\n" + targets) == 400)
    }

    @Test func thousandsOfSecretsOnOneLine() throws {
        let keys = (0..<40_000).map { "token\($0): abcdef" }.joined(separator: ", ")
        #expect(try count(Self.head + PipelineFileTests.ending + "auth: { a: { bearer: {\(keys)} } }\n") == 201)
    }

    @Test func thousandsOfUnknownIncludes() throws {
        let names = (0..<20_000).map { "profile\($0)" }.joined(separator: ", ")
        #expect(try count(Self.head + "include: [\(names)]\n" + PipelineFileTests.ending) == 101)
    }

    @Test func aValueOfHalfAMegabyte() throws {
        let long = String(repeating: "x", count: 500_000)
        #expect(
            try count(
                Self.head + "profiles: [{ accept: [\(long)], match: { make: \(long) } }]\n" + PipelineFileTests.ending)
                == 1)
    }

    @Test func atSignsWithoutEnd() throws {
        #expect(try count(Self.head + "x: https://" + String(repeating: "@", count: 900_000) + "\n") > 0)
    }
}
