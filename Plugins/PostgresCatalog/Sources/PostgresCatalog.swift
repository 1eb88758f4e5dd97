public import FilmgateCore
import PQKit

/// `postgres`: the catalogue of all stations on a PostgreSQL server of the owner's.
///
/// Two connections, so that a long report never stands before a short question; each is made when it is first needed,
/// and neither goes back behind a server that the other one has met.
public struct PostgresCatalog: Module, Catalog {
    public static let manifest = Manifest(
        "postgres", "The catalogue of all stations, on PostgreSQL.", stability: .experimental)

    let live: PQConnection, reports: PQConnection, ownName = OwnName()
    private let address: PQAddress, fence: PQFence

    public init(_ config: PostgresOptions, _ context: ModuleContext) throws(IngestError) {
        guard let address = config.url.address else {
            throw IngestError(.misconfigured, "The catalogue has no address.")
        }
        var options = PQOptions(address)
        let secret = config.password, secrets = context.lookup.secrets
        if secret != Secret() { options.password = { () throws(IngestError) in try secrets.resolve(secret) } }
        options.certificate = config.certificate.isEmpty ? nil : config.certificate
        options.key = config.key.isEmpty ? nil : config.key
        options.root = config.root.isEmpty ? nil : config.root
        (options.connect, options.answer) = (config.connect, config.answer)
        options.fence = context.lookup.service(PQFence.self) ?? options.fence
        (self.address, fence) = (address, options.fence)
        live = PQConnection(options)
        reports = PQConnection(options)
    }

    public var place: String { "\(address.place)/\(address.database)" }

    var tables: CatalogMigration { CatalogMigration(connection: live, place: place, role: address.user) }

    public var isOnThisMachine: Bool { address.isThisMachine }

    public func close() async {
        await live.close()
        await reports.close()
    }

    /// Refusals are told in the catalogue's words; a missing function is not where the caller has an earlier one.
    func ask<Row: Sendable>(
        _ connection: PQConnection, _ sql: String, _ values: [PQValue], hasEarlier: Bool = false,
        _ decode: @escaping @Sendable (borrowing PQRow) throws(IngestError) -> Row
    ) async throws(IngestError) -> [Row] {
        do throws(IngestError) { return try await connection.rows(sql, values, decode) } catch {
            if hasEarlier, CatalogRefusal.isOlder(error) { throw error }
            throw await CatalogRefusal.told(error, place, asking: connection)
        }
    }

    public func join(_ identity: StationIdentity) async throws(IngestError) -> StationMembership {
        do throws(IngestError) { return try await join(identity, "join_v2") } catch {
            // Tables of before know of no such stations.
            try CatalogRefusal.requireOlder(error, joining: address.user, mayBe: !identity.isEphemeral)
            return try await join(identity, "join_v1")
        }
    }

    private func join(_ identity: StationIdentity, _ function: String) async throws(IngestError) -> StationMembership {
        var values: [PQValue] = [
            .uuid(Digits.bytes(identity.uuid)), .text(identity.name), .text(identity.site), .bool(identity.asNew),
        ]
        if function == "join_v2" { values.append(.bool(identity.isEphemeral)) }
        let places = values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let sql = "SELECT epoch, applied, catalog FROM catalog.\(function)(\(places))"
        let hasEarlier = function == "join_v2" && !identity.isEphemeral
        let found = try await ask(live, sql, values, hasEarlier: hasEarlier) { row throws(IngestError) in
            StationMembership(
                uuid: identity.uuid, name: identity.name, epoch: Int(try row.int(0)),
                catalog: Digits.text(try row.bytes(2)), applied: try row.natural(1))
        }
        guard let membership = found.first else { throw noAnswer }
        return membership
    }

    public func open(_ membership: StationMembership, last session: Int64?) async throws(IngestError) -> CatalogSession
    {
        let server = try await live.server()
        let values: [PQValue] = [
            .uuid(Digits.bytes(membership.uuid)), .int4(Int32(clamping: membership.epoch)), .int8(session),
            .text(ProgramVersion.text), .time(WallClock.nanoseconds),
        ]
        let columns = "token, applied, seconds, clock_ms, \(PQHistory.columns(server.history))"
        let sql = "SELECT \(columns) FROM catalog.hello_v1($1, $2, $3, $4, $5)"
        let found = try await ask(live, sql, values) { row throws(IngestError) in
            CatalogSession(
                token: try row.int(0), applied: try row.natural(1), lasts: .seconds(min(max(try row.int(2), 1), 3600)),
                history: try PQHistory.read(row, from: 4), clockAhead: try row.intOrNil(3).map { Int($0) })
        }
        guard let session = found.first else { throw noAnswer }
        ownName.note(membership.name)
        try await admit(session.history, at: server)
        return session
    }

    public func renew(_ session: Int64, status: String?) async throws(IngestError) -> CatalogRenewal? {
        let values: [PQValue] = [.int8(session), .json(status), .time(WallClock.nanoseconds)]
        let server = try await live.server()
        let sql = "SELECT catalog.renew_v1($1, $2, $3) IS TRUE, \(PQHistory.columns(server.history))"
        let found = try await ask(live, sql, values) { row throws(IngestError) in
            (isLasting: try row.bool(0), history: try PQHistory.read(row, from: 1))
        }
        try await admit(found.first?.history, at: server)
        return found.first?.isLasting == true ? CatalogRenewal(history: found.first?.history) : nil
    }

    /// Behind a pooler an old primary may answer over a connection whose server was looked at long ago.
    private func admit(_ history: ServerHistory?, at server: PQServer) async throws(IngestError) {
        do throws(IngestError) { if let history { try fence.admit(history, at: server.host) } } catch {
            await live.close()
            throw error
        }
        // The other connection may be at the server that this one has taken the place of.
        await reports.leaveOldPrimary()
    }

    public func leave(_ session: Int64) async throws(IngestError) {
        _ = try await ask(live, "SELECT catalog.leave_v1($1)", [.int8(session)]) { _ throws(IngestError) in }
    }

    public func stations() async throws(IngestError) -> [StationSummary] {
        let columns = "name, site, version, silence, present, clock_ms, applied, revoked, status"
        return try await ask(live, "SELECT \(columns) FROM catalog.stations_v1()", []) { row throws(IngestError) in
            var station = StationSummary(
                name: try row.text(0), applied: try row.int(6), present: try row.bool(4), revoked: try row.bool(7))
            (station.site, station.version) = (try row.textOrNil(1), try row.textOrNil(2))
            (station.silence, station.status) = (try row.doubleOrNil(3), try row.textOrNil(8))
            station.clockAhead = try row.intOrNil(5).map { Int($0) }
            return station
        }
    }

    var noAnswer: IngestError { IngestError(.protocolViolation, "\(place): the catalogue gave no answer.") }
}

/// What this program calls itself to the others.
enum ProgramVersion {
    static let text = "0.1.0"
}
