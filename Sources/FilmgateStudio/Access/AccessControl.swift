public import FilmgateCore
import Logging
import Synchronization

/// Who may come in, and as what.
final class AccessControl: Sendable {
    /// Seconds.
    static let sessionLife: Int64 = 12 * 3600, codeLife: Int64 = 300
    /// A session's end is written down again only after so long.
    private static let step: Int64 = 300
    /// Wrong codes after which those that wait to be used count no more.
    static let mostWrong = 5
    let store: GrantStore
    private let limit: AttemptLimit, logger: Logger
    private let clock: @Sendable () -> Int64
    /// Wrong codes since each was made, by its id.
    private let wrong = Mutex<[String: Int]>([:])

    init(
        _ store: GrantStore, limit: AttemptLimit = AttemptLimit(), logger: Logger,
        clock: @escaping @Sendable () -> Int64
    ) {
        (self.store, self.limit, self.logger, self.clock) = (store, limit, logger, clock)
    }

    var now: Int64 { clock() }

    /// Says what nobody foresaw to whoever reads the log.
    func report(_ words: String) { logger.warning("\(words)") }

    /// Says who asked for what.
    func note(_ words: String) { logger.info("\(words)") }

    enum Refusal: Error { case tooMany, wrongCode }

    /// The two halves of a new session.
    struct Opened { var grant: Grant, cookie: String, key: String }

    /// Opens a session with a code that was made before, or with a client's link.
    func pair(_ typed: String, label: String, from address: String) async throws -> Opened {
        guard let attempt = limit.begin(address) else {
            logger.warning("studio: too many wrong codes, the last from \(address)")
            throw Refusal.tooMany
        }
        // A link that is over costs those who wait with a code nothing: its client may well try it again and again.
        guard let code = typed.utf8.count == AccessSecret.length ? known(.link, typed) : use(typed) else {
            logger.warning("studio: a wrong code from \(address)")
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...200)))
            throw Refusal.wrongCode
        }
        limit.forgive(attempt)
        let cookie = AccessSecret.random(), key = AccessSecret.random(), now = now
        var grant = Grant(
            kind: .session, role: code.role, label: label, since: now, until: now + Self.sessionLife,
            latest: code.latest, digest: AccessSecret.digest(cookie), keyDigest: AccessSecret.digest(key))
        (grant.scope, grant.link) = (code.scope, code.kind == .link ? code.id : nil)
        if let latest = code.latest { grant.until = min(grant.until, latest) }
        try store.add(grant)
        logger.info("studio: \(grant.id) opened as \(grant.role.rawValue) from \(address)")
        return Opened(grant: grant, cookie: cookie, key: key)
    }

    /// The code, which nobody can use again.
    private func use(_ typed: String) -> Grant? {
        let codes = store.all(.code, now: now)
        let digest = AccessSecret.normalised(typed).map { AccessSecret.digest($0) } ?? []
        // All of them are compared, so that the time taken says nothing.
        let fitting = codes.filter { AccessSecret.isSame($0.digest, digest) }
        if let code = fitting.first { return store.remove(code.id) ? code : nil }
        let spent = wrong.withLock { wrong in
            wrong = wrong.filter { entry in codes.contains { $0.id == entry.key } }
            for code in codes { wrong[code.id, default: 0] += 1 }
            return wrong.filter { $0.value >= Self.mostWrong }.map(\.key)
        }
        for id in spent { store.remove(id) }
        return nil
    }

    /// The session whose halves these are; used, it lasts longer.
    func session(cookie: String, key: String) -> Grant? {
        guard let grant = known(.session, cookie), let keyDigest = grant.keyDigest,
            AccessSecret.isSame(keyDigest, AccessSecret.digest(key))
        else {
            return nil
        }
        return prolonged(grant)
    }

    /// The session whose one half this is: enough to see pictures.
    func session(cookieForPictures cookie: String) -> Grant? { known(.session, cookie).map(prolonged) }

    /// The program that has this token.
    func token(_ secret: String) -> Grant? { known(.token, secret) }

    private func known(_ kind: Grant.Kind, _ secret: String) -> Grant? {
        guard secret.utf8.count == AccessSecret.length else { return nil }
        let digest = AccessSecret.digest(secret)
        let probe = Grant(kind: kind, role: .view, label: "", since: 0, until: 0, digest: digest)
        guard let grant = store.grant(probe.id), counts(grant), AccessSecret.isSame(grant.digest, digest) else {
            return nil
        }
        return grant
    }

    /// It is not over, nor is the link that opened it.
    private func counts(_ grant: Grant) -> Bool {
        grant.isValid(at: now) && (grant.link.map { link in store.grant(link)?.isValid(at: now) == true } ?? true)
    }

    /// Until when somebody who was let in may be here, in seconds since 1970; nil who may not any more.
    ///
    /// A session that is used lasts longer.
    func end(of grant: Grant) -> Int64? {
        guard let now = store.grant(grant.id), counts(now) else { return nil }
        let own = now.kind == .session ? prolonged(now) : now
        let link = own.link.flatMap { store.grant($0)?.until } ?? .max
        return own.isValid(at: self.now) ? min(own.until, link) : nil
    }

    private func prolonged(_ grant: Grant) -> Grant {
        var longer = grant
        longer.until = min(now + Self.sessionLife, grant.latest ?? .max)
        guard longer.until >= grant.until + Self.step else { return grant }
        // Where it cannot be written, it ends when it would have.
        let written = Result { () throws(IngestError) in try store.prolong(longer) }
        if case .failure = written { return grant }
        return longer
    }
}

extension GrantStore {
    /// A code that opens one session with `role`; `seconds`: how long that session may last, nil = as long as it is
    /// used.
    public func makeCode(role: Role, seconds: Int64?, now: Int64) throws(IngestError) -> (code: String, grant: Grant) {
        let code = AccessSecret.code()
        let grant = Grant(
            kind: .code, role: role, label: "", since: now, until: now + AccessControl.codeLife,
            latest: seconds.map { now + $0 }, digest: AccessSecret.digest(AccessSecret.normalised(code) ?? code))
        try add(grant)
        return (code, grant)
    }

    /// A client's link, which opens sessions until it ends or is taken back; the secret is told once and kept nowhere.
    ///
    /// `role` is `view` or `pick`: what the sessions may do with the files in `scope`.
    public func makeLink(
        role: Role, scope: GrantScope, seconds: Int64, label: String, now: Int64
    ) throws(IngestError) -> (code: String, grant: Grant) {
        guard role <= .pick else {
            throw IngestError(
                .misconfigured, "A client's link is for view or pick.", advice: "Leave the event away for another role."
            )
        }
        let secret = AccessSecret.random()
        var grant = Grant(
            kind: .link, role: role, label: label, since: now, until: now + seconds, latest: now + seconds,
            digest: AccessSecret.digest(secret))
        grant.scope = scope
        try add(grant)
        return (secret, grant)
    }

    /// A token for programs, and for the page without scripts; it is told once and kept nowhere.
    public func makeToken(role: Role, seconds: Int64, label: String, now: Int64) throws(IngestError) -> (
        token: String, grant: Grant
    ) {
        let token = AccessSecret.random()
        let grant = Grant(
            kind: .token, role: role, label: label, since: now, until: now + seconds, digest: AccessSecret.digest(token)
        )
        try add(grant)
        return (token, grant)
    }
}
