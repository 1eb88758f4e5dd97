public import FilmgateCore

extension AccountSession {
    /// What is stored, read again whenever the file has changed; obtained where no person is needed.
    func current() async throws(IngestError) -> Credential {
        if unsaved, let held {
            _ = try? await save(held)
            if unsaved { return held }
        }
        if grant.stores, !vault.isAwake() { (held, seen) = (nil, nil) }
        if held == nil || seen != vault.stamp { try await load() }
        if let held, serves(held) { return held }
        if grant.obtains { return try await renewed(from: held) }
        if let held { throw signInNeeded(foreign(held)) }
        become(.signedOut)
        throw signInNeeded("Nobody is signed in for `\(name)`.")
    }

    /// Reads the store; the state follows.
    func load() async throws(IngestError) {
        let stamp = vault.stamp
        guard grant.stores else {
            seen = stamp
            return become(held.map { .signedIn($0.account) } ?? .signedOut)
        }
        do throws(IngestError) {
            (held, seen) = (try await store.read(), stamp)
            guard let held else { return become(.signedOut) }
            guard grant.issued(held) else { return become(grant.obtains ? .signedOut : .expired(foreign(held))) }
            if let why = held.ended, grant.renews(held) || held.isOver(at: clock()) {
                refused = held.proof
                become(.expired(why))
            } else if refused == nil || refused != held.proof {
                refused = nil
                become(.signedIn(held.account))
            }
        } catch {
            (held, seen) = (nil, nil)
            become(error.isLocked ? .locked : .error(error.message))
            throw error
        }
    }

    /// Takes a new credential over that came of `old`.
    ///
    /// It is stored before anyone uses it; when that fails it still serves this process, and storing is tried again.
    /// When somebody signed in anew or out meanwhile, that counts.
    func keep(_ fresh: Credential, insteadOf old: Credential?) async throws(IngestError) -> Credential {
        // What could not be stored before has left there what stood there then.
        if !unsaved { before = old?.proof }
        do throws(IngestError) {
            if try await save(fresh) {
                become(.signedIn(fresh.account))
                return fresh
            }
        } catch {
            (held, refused, unsaved) = (fresh, nil, true)
            become(.error("The renewed sign-in could not be stored: \(error.message)"))
            return fresh
        }
        try await load()
        guard let held else { throw signInNeeded("Somebody signed out of `\(name)`.") }
        return held
    }

    /// False when the store holds another credential by now than the one that this came of: then that one counts.
    private func save(_ credential: Credential) async throws(IngestError) -> Bool {
        let saved = grant.stores ? try await store.write(credential, over: before) : true
        if saved, unsaved { become(.signedIn(credential.account)) }
        // Read again at the next use: another process may have written since.
        (held, seen, refused, unsaved) = (saved ? credential : nil, nil, nil, false)
        return saved
    }

    /// Writes beside the credential that it cannot be renewed any more, so that whoever looks later knows; a store that
    /// takes no note is no reason to ask the provider again.
    func remember(_ why: String, of stored: Credential) async {
        guard grant.stores else { return }
        let store = store
        var ended = stored
        ended.ended = why
        let noted = ended
        _ = await Result { () async throws(IngestError) in try await store.write(noted, over: stored.proof) }
    }

    /// Reads what is stored, and with `validating` renews where that is due and asks the provider.
    public func restore(validating: Bool) async throws(IngestError) -> AccountFacts {
        do throws(IngestError) {
            if validating {
                try await validate()
            } else {
                try await load()
                // Nobody has to sign in: what is not there yet is fetched.
                if grant.obtains, held.map(serves) != true { _ = try await current() }
            }
        } catch {
            // The state says it all, except where asking itself failed, and why a store stays shut.
            guard error.code == .unauthorized, !error.isLocked else { throw error }
        }
        return facts
    }

    private func validate() async throws(IngestError) {
        let known = try await credential()
        do throws(IngestError) {
            var fresh = known
            fresh.account = try await grant.account(of: known)
            if fresh.account != known.account { _ = try await keep(fresh, insteadOf: known) }
        } catch {
            guard error.code == .unauthorized else { throw error }
            guard let renewed = try await credential(after: { $0.access.reveal() == known.access.reveal() }) else {
                throw error
            }
            _ = try await grant.account(of: renewed)
        }
    }

    var facts: AccountFacts {
        var facts = AccountFacts(state: state)
        guard let held, grant.issued(held) else { return facts }
        if case .signedIn = state, held.isOver(at: clock()), !grant.renews(held) {
            facts.state = .expired("The sign-in has run out.")
        }
        (facts.expires, facts.renews) = (held.expires, grant.renews(held))
        (facts.scope, facts.origins) = (held.scope, held.origins)
        return facts
    }

    /// Signs in by `body`, which talks with the person, and stores what it brings.
    ///
    /// `origins`: where it may be sent from then on; none = nowhere. A sign-in that fails leaves what was there before.
    ///
    /// `misconfigured` where the entry is another account's, unless `preference` says that it is to be taken over.
    public func signIn(
        _ origins: [String], _ preference: SignInPreference = SignInPreference(),
        _ body: () async throws(IngestError) -> Credential
    ) async throws(IngestError) -> Account {
        // Before anybody takes the trouble: what comes of it can be stored.
        try await load()
        let before = state
        become(.signingIn)
        do throws(IngestError) {
            var fresh = try await body()
            if namesOwner, !preference.takesOver { try await store.requireOwner(fresh, held) }
            (fresh.origins, fresh.generation) = (origins.isEmpty ? ["nowhere"] : origins, (held?.generation ?? 0) + 1)
            if namesOwner, fresh.owner != nil || preference.takesOver { try await store.write(owner: fresh.owner) }
            if grant.stores { try await store.write(fresh) }
            (held, seen, refused, unsaved) = (fresh, nil, nil, false)
            become(.signedIn(fresh.account))
            return fresh.account
        } catch {
            become(before)
            throw error
        }
    }

    /// The provider says whose a sign-in is; what needs no person is whose the pipeline file says.
    private var namesOwner: Bool { grant.stores && !grant.obtains }

    /// Forgets, here and in the store, and then tells the provider; an error is about that second half.
    public func signOut() async throws(IngestError) {
        let store = store
        let stored: Result<Credential?, IngestError>
        if let held {
            stored = .success(held)
        } else {
            stored = await Result { () async throws(IngestError) in try await store.read() }
        }
        (held, unsaved) = (nil, false)
        if grant.stores { try await store.write(nil) }
        seen = nil
        become(.signedOut)
        // What a locked store holds could be removed and not read: the provider knows it still.
        guard let known = try stored.get() else { return }
        // Earlier versions did not note it at the sign-in. Nobody stays signed in because that fails.
        if namesOwner, let owner = known.owner {
            _ = await Result { () async throws(IngestError) in try await store.write(owner: owner) }
        }
        guard grant.issued(known) else {
            throw IngestError(.untrusted, "\(foreign(known)) It is forgotten here; the provider was not told.")
        }
        try await grant.revoke(known)
    }

    /// Why a stored credential cannot serve.
    func foreign(_ credential: Credential) -> String {
        "The sign-in `\(name)` was made at \(credential.issuer) for \(credential.client), by \(credential.account.shown): "
            + "the pipeline names another one now."
    }
}
