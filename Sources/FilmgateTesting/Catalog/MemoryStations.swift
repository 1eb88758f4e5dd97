import FilmgateCore

/// Who has joined a catalogue in memory, and whose session lasts.
struct MemoryStations {
    struct Session { var token: Int64, until: Duration, heard: Duration, status: String? = nil }
    struct Station {
        var name: String, site: String? = nil, epoch = 1, applied: Int64 = 0, isRevoked = false
        var session: Session? = nil
    }

    /// Stations must join before anything else, and are known by their identity; without it, whoever opens a session
    /// has joined, and its name is its identity.
    let isStrict: Bool
    /// By their identities, which rows hold: a name may change.
    private var all: [String: Station] = [:]
    private var last: Int64 = 0
    /// As the server's clock; it stands still until somebody lets time go by.
    private var now = Duration.zero
    private static let lasts = Duration.seconds(60)
    private static let catalog = String(repeating: "0", count: 32)

    init(isStrict: Bool) { self.isStrict = isStrict }

    // MARK: What others ask

    mutating func pass(_ time: Duration) { now += time }

    func name(of identity: String) -> String { all[identity]?.name ?? identity }
    func isRevoked(_ identity: String) -> Bool { all[identity]?.isRevoked == true }
    func identity(named name: String) -> String? { all.first { $0.value.name == name }?.key }
    func lives(_ token: Int64) -> Bool {
        all.values.contains { $0.session?.token == token && isLasting($0.session) }
    }
    /// Whose session that is, while it lasts.
    func station(of token: Int64) -> String? {
        all.first { $0.value.session?.token == token && isLasting($0.value.session) && !$0.value.isRevoked }?.key
    }
    func isPresent(_ identity: String) -> Bool { isLasting(all[identity]?.session) }

    private func isLasting(_ session: Session?) -> Bool { session.map { $0.until > now } ?? false }

    func applied(_ identity: String) -> Int64 { all[identity]?.applied ?? 0 }
    mutating func set(applied: Int64, of identity: String) {
        all[identity, default: Station(name: identity)].applied = applied
    }

    // MARK: What stations do

    mutating func join(_ identity: StationIdentity) throws(IngestError) -> StationMembership {
        let key = key(identity.uuid, identity.name), old = all[key]
        if isStrict {
            guard old?.isRevoked != true else {
                throw IngestError(.unauthorized, "The station \(identity.name) was shut out.")
            }
            guard identity.uuid.utf8.count == 32, 1...64 ~= identity.name.utf8.count,
                identity.site?.utf8.count ?? 0 <= 64
            else { throw IngestError(.rejected, "No identity of a station.") }
            guard self.identity(named: identity.name) ?? key == key else {
                throw IngestError(.misconfigured, "Another station is called \(identity.name).")
            }
        }
        var station = old ?? Station(name: identity.name)
        (station.name, station.site) = (identity.name, identity.site)
        if identity.asNew, old != nil { (station.epoch, station.session) = (station.epoch + 1, nil) }
        all[key] = station
        return StationMembership(
            uuid: identity.uuid, name: identity.name, epoch: station.epoch, catalog: Self.catalog,
            applied: station.applied)
    }

    mutating func open(_ membership: StationMembership, last session: Int64?) throws(IngestError) -> CatalogSession {
        let key = key(membership.uuid, membership.name)
        let known = if isStrict { try applied(of: membership, last: session) } else { applied(key) }
        last += 1
        all[key, default: Station(name: membership.name)].session = Session(
            token: last, until: now + Self.lasts, heard: now)
        return CatalogSession(token: last, applied: known, lasts: Self.lasts, timeline: nil)
    }

    /// Refuses what `open` would.
    func applied(of membership: StationMembership, last session: Int64?) throws(IngestError) -> Int64 {
        guard let station = all[key(membership.uuid, membership.name)] else {
            throw IngestError(.notFound, "This state directory has not joined.")
        }
        guard !station.isRevoked else { throw IngestError(.unauthorized, "The station \(station.name) was shut out.") }
        guard station.epoch == membership.epoch else {
            throw IngestError(.rejected, "The identity of \(station.name) was taken anew elsewhere.")
        }
        guard !isLasting(station.session) || station.session?.token == session else {
            throw IngestError(.stateLocked, "The identity of \(station.name) is in use by another process.")
        }
        return station.applied
    }

    mutating func renew(_ token: Int64, status: String?) -> Bool {
        guard let key = station(of: token), let old = all[key]?.session else { return false }
        let isKept = (status?.utf8.count ?? .max) <= 65536
        all[key]?.session = Session(
            token: token, until: now + Self.lasts, heard: now, status: isKept ? status : old.status)
        return true
    }

    mutating func leave(_ token: Int64) {
        guard let key = station(of: token) else { return }
        all[key]?.session?.heard = now
        end(key)
    }

    mutating func end(_ identity: String) { all[identity]?.session?.until = now }

    mutating func revoke(_ name: String) -> Bool {
        guard let key = identity(named: name) else { return false }
        all[key]?.isRevoked = true
        end(key)
        return true
    }

    func summaries() -> [StationSummary] {
        all.values.sorted { $0.name < $1.name }.map { station in
            var summary = StationSummary(
                name: station.name, applied: station.applied, present: isLasting(station.session),
                revoked: station.isRevoked)
            (summary.site, summary.status) = (station.site, station.session?.status)
            summary.silence = station.session.map { Double((now - $0.heard).components.seconds) }
            return summary
        }
    }

    private func key(_ uuid: String, _ name: String) -> String { isStrict ? uuid : name }
}
