import FilmgateCore

/// Where the secret store has the credential of one entry under `auth:`, and whose the entry is.
///
/// The store blocks: it is read and written on threads of their own.
struct CredentialStore: Sendable {
    let vault: Vault, name: String
    private static let pool = BlockingPool(width: 4)

    private var entry: String { "account/\(name)" }
    private var ownerEntry: String { "whose/\(name)" }

    /// Nil where nothing is stored, or nothing that is understood.
    func read() async throws(IngestError) -> Credential? {
        let vault = vault, entry = entry
        let text = try await Self.pool.run { () throws(IngestError) in try vault.value(entry) }
        return text.flatMap { Credential(text: $0) }
    }

    /// In place of whatever is stored; nil removes it, for which no passphrase is needed.
    func write(_ credential: Credential?) async throws(IngestError) {
        let vault = vault, entry = entry, text = credential?.text
        try await Self.pool.run { () throws(IngestError) in try vault.set(entry, text) }
    }

    /// Only over the credential with that proof, or where none is stored for nil; false when another one is there by
    /// now.
    func write(_ credential: Credential, over proof: String?) async throws(IngestError) -> Bool {
        let vault = vault, entry = entry, text = credential.text
        return try await Self.pool.run { () throws(IngestError) in
            try vault.set(entry, text) { stored in stored.flatMap { Credential(text: $0) }?.proof == proof }
        }
    }

    /// The account that signed in last, as the provider calls it: also when it is signed out or was refused since.
    ///
    /// Nil where that is not known.
    func owner() async throws(IngestError) -> String? {
        let vault = vault, entry = ownerEntry
        return try await Self.pool.run { () throws(IngestError) in try vault.value(entry)?.reveal() }
    }

    func write(owner: String?) async throws(IngestError) {
        guard try await self.owner() != owner else { return }
        let vault = vault, entry = ownerEntry, text = owner.map { SecretValue($0) }
        try await Self.pool.run { () throws(IngestError) in try vault.set(entry, text) }
    }

    /// Throws where the entry is another account's, by what was noted or by what is stored.
    ///
    /// What was delivered, and what waits, is known by the entry's name: it would count for whoever signs in there
    /// next, and go to their gallery.
    func requireOwner(_ fresh: Credential, _ stored: Credential?) async throws(IngestError) {
        guard let owner = fresh.owner else { return }
        let noted = try await self.owner()
        guard let other = [noted, stored?.owner].compactMap(\.self).first(where: { $0 != owner }) else { return }
        let theirs = stored.map { $0.owner == other ? $0.account.shown : other } ?? other
        throw IngestError(
            .misconfigured,
            "`\(name)` is another account's: \(theirs). You signed in as \(fresh.account.shown); nothing was stored.",
            advice: "Give this one an entry of its own under `auth:`. "
                + "If it is to take the other's place: `filmgate login \(name) --another-account`.")
    }

    /// Room for one credential more on the store's disk.
    func reserveRoom() async throws(IngestError) -> DiskReservation {
        let directory = vault.directory, bytes = VaultFile.margin + vault.stamp.size
        return try await Self.pool.run { () throws(IngestError) in try DiskReservation(in: directory, bytes: bytes) }
    }
}
