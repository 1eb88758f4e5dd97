public import FilmgateCore
import HTTPKit

/// One sign-in over its whole life: restored from the store, renewed before it ends, shared by all callers and
/// processes.
///
/// Passing trouble never signs out. Only one renewal is under way at a time: in this process because callers join it,
/// between processes because a lock file is held around it and the store is read again inside.
public actor AccountSession {
    public nonisolated let name: String
    let vault: Vault, store: CredentialStore, grant: any AccountGrant
    let clock: @Sendable () -> Int, places: @Sendable () -> [String]
    var held: Credential?
    /// What the store's file looked like when `held` was read.
    var seen: Vault.Stamp?
    /// `held` is newer than the store, which could not be written; what stood there then.
    var unsaved = false, before: String?
    /// Proof of what was refused: never offered again.
    var refused: String?
    var refreshing: Task<Result<Credential, IngestError>, Never>?
    private var changes = AccountStates()
    /// Seconds since 1970.
    public static let wallClock: @Sendable () -> Int = { HTTPDate.now }

    /// `name`: the entry's name in the pipeline file.
    ///
    /// `clock`: seconds since 1970. `places`: the origins that it is used at, for what is obtained without a person.
    public init(
        name: String, vault: Vault, grant: any AccountGrant,
        clock: @escaping @Sendable () -> Int = AccountSession.wallClock,
        places: @escaping @Sendable () -> [String] = { [] }
    ) {
        (self.name, self.vault, self.grant, self.clock, self.places) = (name, vault, grant, clock, places)
        store = CredentialStore(vault: vault, name: name)
    }

    deinit { changes.finish() }

    /// A credential that holds for a while, renewed before where that is due.
    ///
    /// `unauthorized`, with the advice to sign in, when there is none; while the provider cannot be reached, the old
    /// one as long as it holds.
    public func credential() async throws(IngestError) -> Credential {
        let known = try await current()
        if refused != nil, refused == known.proof, known.isOver(at: clock()) { throw signInNeeded(reason) }
        guard known.isDue(at: clock()), grant.renews(known) || known.isOver(at: clock()) else { return known }
        do throws(IngestError) { return try await renewed(from: known) } catch {
            if error.code != .unauthorized, !known.isOver(at: clock()) { return known }
            throw error
        }
    }

    /// After a refusal of `rejected` by a server: a credential that differs from it, or nil when there is none to be
    /// had.
    public func credential(after rejected: (Credential) -> Bool) async throws(IngestError) -> Credential? {
        let known = try await current()
        if !rejected(known) { return known }
        guard grant.renews(known) else {
            let why = "The server no longer takes the sign-in `\(name)`, and it cannot be renewed."
            become(.expired(why))
            throw signInNeeded(why)
        }
        let fresh = try await renewed(from: known)
        return rejected(fresh) ? nil : fresh
    }

    /// The state, and each later one; ends with the session.
    public func states() -> AsyncStream<AccountState> {
        changes.watch { [weak self] number in Task { await self?.forget(number) } }
    }

    private func forget(_ number: Int) { changes.forget(number) }

    var state: AccountState { changes.now }

    func become(_ new: AccountState) { changes.become(new) }

    /// Why nothing can be signed, when the state says so.
    private var reason: String {
        if case .expired(let why) = state { return why }
        return "The sign-in `\(name)` has ended."
    }

    func signInNeeded(_ why: String) -> IngestError {
        IngestError(.unauthorized, why, advice: "Run `filmgate login \(name)`.")
    }
}

extension AccountSession: CustomReflectable {
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
