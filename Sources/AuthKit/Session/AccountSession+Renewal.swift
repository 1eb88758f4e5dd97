import FileKit
import FilmgateCore

extension AccountSession {
    /// Joins the renewal that is under way, or begins one.
    ///
    /// It goes on when its callers are cancelled: a token may be changing hands.
    ///
    /// Without `old` one is obtained.
    func renewed(from old: Credential?) async throws(IngestError) -> Credential {
        if let refreshing { return try await refreshing.value.get() }
        let task = Task { await Result { () async throws(IngestError) in try await self.renew(old) } }
        refreshing = task
        return try await task.value.get()
    }

    private func renew(_ old: Credential?) async throws(IngestError) -> Credential {
        defer { refreshing = nil }
        if grant.stores { try DurableFile.makeDirectories(vault.directory, mode: 0o700) }
        // What is not stored is nobody else's business.
        let lock = grant.stores ? try await FileLock.turn(vault.directory + "/sign-in-\(name).lock") : nil
        defer { lock?.release() }
        if !unsaved { try await load() }
        guard let stored = held else {
            guard let fresh = try await obtained() else {
                throw signInNeeded("Nobody is signed in for `\(name)` any more.")
            }
            return try await take(fresh, insteadOf: nil)
        }
        guard grant.issued(stored) || grant.obtains else { throw signInNeeded(foreign(stored)) }
        // Another process was faster.
        if serves(stored), stored.generation != old?.generation, !stored.isOver(at: clock()) { return stored }
        guard refused != stored.proof else {
            throw signInNeeded("The provider refused to renew the sign-in `\(name)`.")
        }
        if grant.obtains, !serves(stored), let fresh = try await obtained() {
            return try await take(fresh, insteadOf: stored)
        }
        // The old token may be worth nothing as soon as it was shown: not without a place for the new one.
        let room = try await room()
        let fresh = try await exchanged(stored)
        room?.giveBack()
        return try await take(fresh, insteadOf: stored)
    }

    /// For what the file names now, and for where it is used.
    ///
    /// A person said so at the sign-in; what needs no person is had anew, so that its secret can be refused elsewhere.
    func serves(_ credential: Credential) -> Bool {
        grant.issued(credential) && (!grant.obtains || places().allSatisfy(credential.origins.contains))
    }

    private func take(_ new: Credential, insteadOf old: Credential?) async throws(IngestError) -> Credential {
        var fresh = new
        let before = old.map { grant.issued($0) ? $0.origins : [] } ?? []
        fresh.generation = (old?.generation ?? 0) + 1
        fresh.origins = grant.obtains ? Set(before).union(places()).sorted() : before
        return try await keep(fresh, insteadOf: old)
    }

    private func room() async throws(IngestError) -> DiskReservation? {
        // What needs no person can be had again at any time.
        guard grant.stores, !unsaved, !grant.obtains else { return nil }
        return try await store.reserveRoom()
    }

    /// Asks twice when the answer got lost: the provider may have changed the token already, and takes the old one for
    /// a short while only.
    private func exchanged(_ stored: Credential) async throws(IngestError) -> Credential {
        do throws(IngestError) {
            do throws(IngestError) { return try await grant.refresh(stored) } catch {
                guard error.code == .network else { throw error }
                return try await grant.refresh(stored)
            }
        } catch {
            guard error.code == .unauthorized, !(error.cause is UnreadSecret) else { throw error.asPassing }
            if let other = try await sibling(of: stored) { return other }
            refused = stored.proof
            // What needs no person may be better next time: a helper's answer, a client's secret that somebody has put
            // right.
            if grant.obtains { (held, seen, refused) = (nil, nil, nil) }
            let why = "The sign-in `\(name)` has ended: \(error.message)"
            become(.expired(why))
            // What cannot be renewed has run out by our clock, which may be put right.
            if !grant.obtains, grant.renews(stored) { await remember(why, of: stored) }
            throw IngestError(.unauthorized, why, advice: "Run `filmgate login \(name)`.", cause: error)
        }
    }

    /// Without anything to go on with; a secret that is missing holds the target until somebody puts it there.
    private func obtained() async throws(IngestError) -> Credential? {
        do throws(IngestError) { return try await grant.obtain() } catch {
            guard error.cause is UnreadSecret else { throw error.asPassing }
            throw IngestError(.unauthorized, error.message, advice: error.advice, cause: error.cause)
        }
    }

    /// What a program that shares the store without sharing our lock may have written meanwhile.
    private func sibling(of stored: Credential) async throws(IngestError) -> Credential? {
        if unsaved { return nil }
        for delay in [0, 25, 50, 100] {
            try? await Task.sleep(for: .milliseconds(delay))
            try await load()
            guard let other = held else { return nil }
            if other.proof != stored.proof, serves(other), !other.isOver(at: clock()) { return other }
        }
        return nil
    }
}
