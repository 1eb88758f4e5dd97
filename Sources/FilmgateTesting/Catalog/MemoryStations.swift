import FilmgateCore

/// Who has joined a catalogue in memory, and whose session lasts.
struct MemoryStations {
    struct Session { var token: Int64, until: Duration, heard: Duration, status: String? = nil }
    struct Station {
        var name: String, site: String? = nil, epoch = 1, applied: Int64 = 0, isRevoked = false
        var session: Session? = nil
        /// The role that joined; nil where nobody has one.
        var role: String? = nil
        /// Of one that comes and goes: since when it has joined, its number, and the name that it had before.
        var isEphemeral = false, isRetired = false, joined = Duration.zero, number = 0, was: String? = nil

        /// It said last that something waits, which only it can tell or deliver.
        var waits: Bool {
            guard let status = session?.status.flatMap({ JSONValue(Array($0.utf8)) }) else { return false }
            return ["untold", "waiting"].contains { (status[$0]?.whole ?? 0) > 0 }
        }
    }

    /// Stations must join before anything else, and are known by their identity; without it, whoever opens a session
    /// has joined, and its name is its identity.
    let isStrict: Bool
    /// By their identities, which rows hold: a name may change.
    private var all: [String: Station] = [:]
    private var last: Int64 = 0, lastNumber = 0
    /// As the server's clock; it stands still until somebody lets time go by.
    private var now = Duration.zero
    private static let lasts = Duration.seconds(60), begin: Int64 = 1_763_733_791_000_000_000
    private static let catalog = String(repeating: "0", count: 32)

    init(isStrict: Bool) { self.isStrict = isStrict }

    // MARK: What others ask

    mutating func pass(_ time: Duration) { now += time }
    /// The server's clock: nanoseconds since 1970.
    var time: Int64 { Self.begin + Int64(now / .nanoseconds(1)) }

    func name(of identity: String) -> String { all[identity]?.name ?? identity }
    func isRevoked(_ identity: String) -> Bool { all[identity]?.isRevoked == true }
    func identity(named name: String) -> String? { all.first { $0.value.name == name }?.key }
    func lives(_ token: Int64) -> Bool {
        all.values.contains { $0.session?.token == token && isLasting($0.session) }
    }
    /// Whose session that is, while it lasts; another role has none of it.
    func station(of token: Int64, as role: String?) -> String? {
        let found = all.first { $0.value.session?.token == token && isLasting($0.value.session) && !$0.value.isRevoked }
        return found.flatMap { isOf(role, $0.value) ? $0.key : nil }
    }
    private func isOf(_ role: String?, _ station: Station) -> Bool {
        role == nil || station.role == nil || station.role == role
    }

    /// Refuses a role that has nothing but stations that were shut out.
    ///
    /// `joining`: one of those is enough, unless it comes and goes.
    func refuseShutOut(_ role: String?, joining: Bool) throws(IngestError) {
        guard let role else { return }
        let own = all.values.filter { $0.role == role }
        let shut = own.first { $0.isRevoked && !(joining && $0.isEphemeral) }
        guard let shut, joining || own.allSatisfy(\.isRevoked) else { return }
        throw IngestError(.unauthorized, "The station \(shut.name) was shut out.")
    }
    func isPresent(_ identity: String) -> Bool { isLasting(all[identity]?.session) }

    private func isLasting(_ session: Session?) -> Bool { session.map { $0.until > now } ?? false }

    func applied(_ identity: String) -> Int64 { all[identity]?.applied ?? 0 }
    mutating func set(applied: Int64, of identity: String) {
        all[identity, default: Station(name: identity)].applied = applied
    }

    // MARK: What stations do

    mutating func join(_ identity: StationIdentity, as role: String?) throws(IngestError) -> StationMembership {
        let before = all
        do throws(IngestError) { return try take(identity, as: role) } catch {
            // All or nothing: nobody is retired for it, either.
            all = before
            throw error
        }
    }

    private mutating func take(_ identity: StationIdentity, as role: String?) throws(IngestError) -> StationMembership {
        let key = key(identity.uuid, identity.name)
        if isStrict {
            retire(for: (key, identity.name, role))
            try check(identity, key, role)
        }
        let old = all[key]
        lastNumber += 1
        var station = old ?? Station(name: identity.name, role: role, joined: now, number: lastNumber)
        (station.name, station.site) = (identity.name, identity.site)
        if identity.asNew, old != nil { (station.epoch, station.session) = (station.epoch + 1, nil) }
        if station.isRetired { station.joined = now }
        (station.isEphemeral, station.isRetired, station.was) = (identity.isEphemeral, false, nil)
        all[key] = station
        return StationMembership(
            uuid: identity.uuid, name: identity.name, epoch: station.epoch, catalog: Self.catalog,
            applied: station.applied)
    }

    private func check(_ identity: StationIdentity, _ key: String, _ role: String?) throws(IngestError) {
        if let old = all[key] {
            guard isOf(role, old) else {
                throw IngestError(.unauthorized, "This identity belongs to the role \(old.role ?? "").")
            }
            guard !old.isRevoked else {
                throw IngestError(.unauthorized, "The station \(identity.name) was shut out.")
            }
        } else {
            try refuseShutOut(role, joining: true)
        }
        guard identity.uuid.utf8.count == 32, 1...64 ~= identity.name.utf8.count, identity.site?.utf8.count ?? 0 <= 64
        else { throw IngestError(.rejected, "No identity of a station.") }
        guard self.identity(named: identity.name) ?? key == key else {
            throw IngestError(.misconfigured, "Another station is called \(identity.name).")
        }
    }

    mutating func open(
        _ membership: StationMembership, last session: Int64?, as role: String?
    ) throws(IngestError) -> CatalogSession {
        let key = key(membership.uuid, membership.name)
        let known = if isStrict { try applied(of: membership, last: session, as: role) } else { applied(key) }
        last += 1
        all[key, default: Station(name: membership.name)].session = Session(
            token: last, until: now + Self.lasts, heard: now)
        if isStrict {
            comeBack(key)
            retire()
        }
        return CatalogSession(token: last, applied: known, lasts: Self.lasts)
    }

    /// Refuses what `open` would.
    func applied(
        of membership: StationMembership, last session: Int64?, as role: String?
    ) throws(IngestError) -> Int64 {
        guard let station = all[key(membership.uuid, membership.name)], isOf(role, station) else {
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

    mutating func renew(_ token: Int64, status: String?, as role: String?) -> Bool {
        guard let key = station(of: token, as: role), let old = all[key]?.session else { return false }
        let isKept = (status?.utf8.count ?? .max) <= 65536
        all[key]?.session = Session(
            token: token, until: now + Self.lasts, heard: now, status: isKept ? status : old.status)
        return true
    }

    mutating func leave(_ token: Int64, as role: String?) {
        guard let key = station(of: token, as: role) else { return }
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
        all.values.filter { !$0.isRetired }.sorted { $0.name < $1.name }.map { station in
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

// MARK: Stations that come and go

extension MemoryStations {
    /// One that was retired is back, and has its name again where nobody took it.
    private mutating func comeBack(_ key: String) {
        guard var station = all[key], let was = station.was else { return }
        (station.isRetired, station.joined) = (false, now)
        if identity(named: was) == nil { (station.name, station.was) = (was, nil) }
        all[key] = station
    }

    /// Retires those whose time is up, and those whose name a newcomer of the same role has.
    ///
    /// Who has something to tell or to deliver stays listed, under another name where a newcomer has its own.
    private mutating func retire(for newcomer: (key: String, name: String, role: String?)? = nil) {
        for (key, station) in all where station.isEphemeral && !station.isRetired {
            let end = station.session?.until
            guard end ?? station.joined <= now else { continue }
            let isFollowed =
                newcomer.map { $0.name == station.name && $0.key != key && $0.role == station.role } == true
                && end ?? station.joined + .seconds(600) <= now
            let isOld = max(station.joined, end ?? station.joined) <= now - .seconds(86_400)
            let waits = station.waits && !station.isRevoked
            let kept =
                (station.name.utf8.count <= 50 ? station.name : String(station.name.prefix(12))) + "~\(station.number)"
            guard isFollowed || isOld && !waits, identity(named: kept) == nil else { continue }
            var gone = station
            (gone.name, gone.was, gone.isRetired) = (kept, station.was ?? station.name, !waits)
            if !waits { gone.session = nil }
            all[key] = gone
        }
    }
}
