public import FilmgateCore

/// A catalogue under test, empty, and what its test does to it from outside.
public struct CatalogBench: Sendable {
    /// As the role of that station sees it, from 1 to 4.
    public var station: @Sendable (Int) throws -> any Catalog
    /// As whoever keeps it sees it.
    public var owner: @Sendable () throws -> any Catalog
    /// Lets so much time go by for every session.
    public var pass: @Sendable (Duration) async throws -> Void
    /// Nobody gets an answer any more, or everybody does again.
    public var setAway: @Sendable (Bool) async throws -> Void

    public init(
        station: @escaping @Sendable (Int) throws -> any Catalog, owner: @escaping @Sendable () throws -> any Catalog,
        pass: @escaping @Sendable (Duration) async throws -> Void,
        setAway: @escaping @Sendable (Bool) async throws -> Void
    ) {
        (self.station, self.owner, self.pass, self.setAway) = (station, owner, pass, setAway)
    }

    /// A catalogue in memory, which refuses what a real one would.
    public static func inMemory() -> CatalogBench {
        let catalog = MemoryCatalog(isStrict: true)
        return CatalogBench(
            station: { catalog.as("desk\($0)") }, owner: { catalog }, pass: { catalog.pass($0) },
            setAway: { catalog.set(away: $0 ? IngestError(.unavailable, "No answer.") : nil) })
    }
}

/// What stations do, line by line, and what every catalogue has to answer.
///
/// `2 claim a+dumb → unsure by desk-1`: station 2 does what `CatalogPlay` reads, and what follows the arrow is the
/// answer. `1@2` is station 1 with the role of station 2. Stations 1 to 3 have joined and have a session when a case
/// begins, unless it is `fresh`.
public struct CatalogCase: Sendable, CustomStringConvertible {
    public let name: String
    let isFresh: Bool, lines: [[String]]

    init(_ name: String, fresh isFresh: Bool = false, _ text: String) {
        (self.name, self.isFresh) = (name, isFresh)
        lines = text.split(separator: "\n").map { $0.split(separator: " → ", maxSplits: 1).map(String.init) }
    }

    public var description: String { name }

    /// What the case says, in the form of a transcript.
    public var expected: [String] { lines.map { $0.joined(separator: " → ") } }

    /// What that catalogue answered, step by step.
    public func transcript(_ bench: CatalogBench) async throws -> [String] {
        var play = try await CatalogPlay(bench, isFresh: isFresh), told: [String] = []
        for line in lines { told.append("\(line[0]) → \(await play.answer(line[0]))") }
        await play.close()
        return told
    }
}

/// How every catalogue answers: the one in memory, by which the engine is tested, as a real one.
public enum CatalogConformance {
    public static let cases =
        ClaimCases.claims + ClaimCases.doubts + ClaimCases.releases + ReportCases.orders + ReportCases.reports
        + ReportCases.lookUps + StationCases.memberships + StationCases.sessions + StationCases.keeping
        + RoleCases.rights + RoleCases.passing

    public static let checks: [Check<CatalogBench>] = cases.map { one in
        Check(one.name) { bench in
            let told = try await one.transcript(bench)
            let wrong = zip(told, one.expected).filter { $0.0 != $0.1 }
            let faults = wrong.map { "It said “\($0.0)” in place of “\($0.1)”." }
            try expect(faults.isEmpty, faults.joined(separator: "\n"))
        }
    }
}
