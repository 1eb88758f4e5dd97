import FilmgateCore
import FilmgateLedger

/// What is wrong with a catalogue that answers, in sentences for people.
struct CatalogProblems {
    let found: CatalogCondition
    /// What it says to an import of this station that may tell nothing; nil where one may.
    var refusal: IngestError?

    /// Asks a catalogue how it is, and, where it can be used, whether it takes this state directory for its station
    /// still.
    static func ask(_ catalog: any Catalog, _ reader: SQLiteReader?) async throws(IngestError) -> CatalogProblems {
        var problems = CatalogProblems(found: try await catalog.condition())
        let membership = try await reader?.station()?.membership
        if problems.tables == nil, problems.another(than: membership) == nil {
            problems.refusal = try await MembershipCheck(catalog: catalog, reader: reader).refusal()
        }
        return problems
    }

    /// Rights that a thief of this role would have.
    var excess: [String] {
        found.excess.map { "This role \($0 == "superuser" ? "is a superuser" : $0): a station needs no such right." }
    }

    /// Why it cannot be used with this program; nil where it can.
    var tables: String? {
        guard found.schema != nil else { return "There are no tables yet: `filmgate catalog migrate`." }
        return switch found.older {
        case .catalogue: "This filmgate is newer than the catalogue: `filmgate catalog migrate`."
        case .program: "This filmgate is older than the catalogue: update it."
        case nil: nil
        }
    }

    /// This machine's clock is beside the server's.
    var clock: String? {
        guard abs(found.clockAhead) > 2000 else { return nil }
        return "This clock is \(CatalogStatusCommand.signed(found.clockAhead)) s from the server's: set one of them."
    }

    /// It is not the catalogue that this state directory joined.
    func another(than membership: StationMembership?) -> String? {
        guard let membership, let identity = found.identity, identity != membership.catalog else { return nil }
        return
            "It is another catalogue than \(membership.name) joined: `filmgate catalog join`, or name the one that it did join."
    }

    /// It does not take this state directory for the station that it was.
    var station: String? { refusal.map { RunTelling.plain($0.description) } }

    /// What `doctor` says, the station's membership in mind.
    func all(for membership: StationMembership?) -> [String] {
        let usable = [tables, another(than: membership), station, clock].compactMap(\.self)
        return usable + excess
    }
}
