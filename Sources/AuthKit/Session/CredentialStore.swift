import FilmgateCore

/// Where the secret store has the credential of one entry under `auth:`.
///
/// The store blocks: it is read and written on threads of their own.
struct CredentialStore: Sendable {
    let vault: Vault, name: String
    private static let pool = BlockingPool(width: 4)

    private var entry: String { "account/\(name)" }

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

    /// Room for one credential more on the store's disk.
    func reserveRoom() async throws(IngestError) -> DiskReservation {
        let directory = vault.directory, bytes = VaultFile.margin + vault.stamp.size
        return try await Self.pool.run { () throws(IngestError) in try DiskReservation(in: directory, bytes: bytes) }
    }
}
