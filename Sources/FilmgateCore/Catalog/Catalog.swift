/// The catalogue that stations share: what each of them has told the others.
///
/// Nothing between a card and its copy waits for it. Every call may be repeated: a second time changes nothing. Each
/// has a deadline of its own and never blocks the caller's thread. `unavailable` when no server answers in time,
/// `unauthorized` when the role is refused, `untrusted` when the server cannot be proven to be the one that the file
/// names, `misconfigured` when the role or the tables do not fit this program, `protocolViolation` when an answer makes
/// no sense.
public protocol Catalog: Sendable {
    /// Where it is, as a person would name it; never with a password.
    var place: String { get }
    /// All stations that can reach it run on this machine: it listens on nothing else.
    var isOnThisMachine: Bool { get }
    /// What is found there with this role. Changes nothing.
    func condition() async throws(IngestError) -> CatalogCondition
    /// What `migrate` would run, statement by statement, for the person who keeps the database; empty when there is
    /// nothing to do.
    func migration() async throws(IngestError) -> [String]
    /// Brings tables and functions up to date, all or nothing; what was done, empty when there was nothing to do.
    func migrate() async throws(IngestError) -> [String]
    /// Makes a state directory a station there, or finds it again. `misconfigured` when another station has the name.
    func join(_ identity: StationIdentity) async throws(IngestError) -> StationMembership
    /// Opens a session, which ends an earlier one of this station. `notFound` when it has not joined, `stateLocked`
    /// when another process uses the same identity now, `rejected` when the identity was given up or shut out.
    func open(_ membership: StationMembership, last session: Int64?) async throws(IngestError) -> CatalogSession
    /// Up to which change it knows this station; throws what `open` would, and changes nothing.
    ///
    /// Nil where it cannot say, such as with tables that are older than this question.
    func applied(of membership: StationMembership, last session: Int64?) async throws(IngestError) -> Int64?
    /// Keeps the session, tells how the station is (JSON, 64 KiB at most); nil when the session is over.
    func renew(_ session: Int64, status: String?) async throws(IngestError) -> CatalogRenewal?
    /// Ends the session.
    func leave(_ session: Int64) async throws(IngestError)
    /// Tells what happened here, all or nothing; returns up to which change the catalogue knows this station.
    ///
    /// It takes a report only where that is `report.since`; otherwise it changes nothing. Nil when the session is over.
    func tell(_ report: StationReport, _ session: Int64) async throws(IngestError) -> Int64?
    /// Asks for the right to deliver, 256 at once at most; an answer for each, in their order.
    ///
    /// What a lost station may have sent is given to whoever can settle that, and else to nobody unless a person said
    /// so. `cancelled` when the session is over: nothing that it held is its own any more.
    func claim(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> [ClaimAnswer]
    /// Gives claims back that were not used, 256 at once at most; how many there were.
    ///
    /// What stood there before them stands again.
    func release(_ wishes: [ClaimWish], _ session: Int64) async throws(IngestError) -> Int
    /// Who says to have these bytes, 256 at once at most; 10,000 lines at most.
    func copies(of sha256: [String]) async throws(IngestError) -> [CatalogCopy]
    /// What other stations told of these files of a card, 256 at most: one value for each station that has met any.
    ///
    /// `cancelled` when the session is over. Nothing with tables that are older than this question.
    func card(_ volume: String, _ files: [AssetID], _ session: Int64) async throws(IngestError) -> [CardAtStation]
    /// All stations, by name.
    func stations() async throws(IngestError) -> [StationSummary]
    /// How large its tables are, the largest first; empty where it does not say.
    func sizes() async throws(IngestError) -> [CatalogSize]
    /// Shuts a station out and ends its session; false when there is none of that name.
    ///
    /// Needs the owner's rights (`misconfigured`), as does `release(claimsOf:)`.
    func revoke(_ station: String) async throws(IngestError) -> Bool
    /// Gives free all that a station has claimed and not told as done; how many, nil when there is none of that name.
    ///
    /// `stateLocked` while its session lasts.
    func release(claimsOf station: String) async throws(IngestError) -> Int?
    /// Closes its connections.
    ///
    /// May be called twice; the next call opens them again.
    func close() async
}

extension Catalog {
    public func applied(of _: StationMembership, last _: Int64?) async throws(IngestError) -> Int64? { nil }

    public func card(_: String, _: [AssetID], _: Int64) async throws(IngestError) -> [CardAtStation] { [] }

    public func sizes() async throws(IngestError) -> [CatalogSize] { [] }
}

/// How large one table of a catalogue is.
public struct CatalogSize: Sendable, Hashable {
    public var table: String
    /// With its indexes.
    public var bytes: UInt64
    /// As the server estimated them last; 0 before it did.
    public var rows: Int64

    public init(table: String, bytes: UInt64, rows: Int64) {
        (self.table, self.bytes, self.rows) = (table, bytes, rows)
    }
}

/// What `catalog check` finds.
public struct CatalogCondition: Sendable, Hashable {
    /// The server that answered, its version, and how the connection is protected.
    public var server: String, version: String, protection: String
    /// As which role, and what that role can do beyond what a station needs, each in words; empty = nothing.
    public var role: String, excess: [String]
    /// The catalogue's own identity and the version of its tables; nil where there are none yet.
    public var identity: String?, schema: Int?
    /// Versions of the functions that work there, and that this program can use.
    public var speaks: [Int], understands: [Int]
    /// The server's history: it grows with each failover.
    ///
    /// Nil where the server does not say.
    public var timeline: Int64?
    /// Milliseconds for a question and its answer; how far this machine's clock is ahead of the server's.
    public var roundTrip: Double, clockAhead: Double

    public init(server: String, version: String, protection: String, role: String) {
        (self.server, self.version, self.protection, self.role) = (server, version, protection, role)
        (excess, speaks, understands, roundTrip, clockAhead) = ([], [], [], 0, 0)
    }

    /// The newest version that both sides know; nil when one of them has to be updated first.
    public var common: Int? { Set(speaks).intersection(understands).max() }

    /// Which side has to be updated first; nil where they understand each other, and where there are no tables.
    public var older: CatalogSide? {
        schema == nil || common != nil ? nil : CatalogSide.older(understands: understands, speaks: speaks)
    }
}

/// A catalogue, or the program that asks it.
public enum CatalogSide: Sendable, Hashable {
    case program, catalogue

    /// The one whose newest version is the lower one; the catalogue where they are equal.
    public static func older(understands: [Int], speaks: [Int]) -> CatalogSide {
        (understands.max() ?? 0) < (speaks.max() ?? 0) ? .program : .catalogue
    }
}

/// One line of `catalog where`: a station says that it has, or delivered, these bytes.
public struct CatalogCopy: Sendable, Hashable {
    public enum State: String, Sendable, Hashable { case seen, claimed, done, unsure, removed }
    public var sha256: String, station: String, state: State
    /// The path on its card for `seen`, the target's name otherwise.
    public var place: String
    /// How the file ended (`seen`); path, address or id at the target otherwise.
    public var detail: String?
    /// What proves a delivery: `reread`, `server`, `size` or `none`.
    public var proof: String?
    /// Bytes; nil where nobody told.
    public var size: UInt64?
    /// What all stations call the target where several of them deliver there; nil where it is one station's alone, and
    /// for `seen`.
    public var target: String?
    /// The digest of the picture that a sidecar was delivered beside.
    public var beside: String?
    /// The server's time, nanoseconds since 1970.
    public var at: Int64

    public init(sha256: String, station: String, state: State, place: String, at: Int64) {
        (self.sha256, self.station, self.state, self.place, self.at) = (sha256, station, state, place, at)
    }
}

/// Words that more than one library has to know.
package enum CatalogWords {
    /// How the reason begins of a delivery that is held for a catalogue that does not answer.
    package static let absent = "the catalogue cannot be asked"
}

extension Receipt {
    /// Another station's word is all that says that the target has it.
    package var isHearsay: Bool { state == .done && verified == .hearsay }
}
