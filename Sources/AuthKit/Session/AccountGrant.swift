public import FilmgateCore

/// What a provider does with credentials; the session around it does everything else.
public protocol AccountGrant: Sendable {
    /// A new credential for one that ends: the same account, whatever the provider changed replaced.
    ///
    /// `unauthorized` only when the provider refuses for good; all else is taken as passing trouble, and so is a secret
    /// that cannot be read (`SecretResolver.shown`). May be called again with the same credential after a lost answer.
    func refresh(_ credential: Credential) async throws(IngestError) -> Credential
    /// Whether this provider gave it, to the client, user or event that the pipeline file names now.
    ///
    /// What another gave is neither sent, renewed nor revoked here: it would act for somebody else.
    func issued(_ credential: Credential) -> Bool
    /// Whether `refresh` can do anything for it.
    func renews(_ credential: Credential) -> Bool
    /// What it gives is kept in the store; false for what comes from somewhere safe each time.
    var stores: Bool { get }
    /// Nobody has to sign in: `obtain` gives a credential.
    var obtains: Bool { get }
    /// A credential without a person, where there are such; nil otherwise.
    func obtain() async throws(IngestError) -> Credential?
    /// Asks the provider whether it still holds, and whose it is. `unauthorized` when it does not.
    func account(of credential: Credential) async throws(IngestError) -> Account
    /// Tells the provider that it is not needed any more.
    func revoke(_ credential: Credential) async throws(IngestError)
}

extension AccountGrant {
    public func renews(_ credential: Credential) -> Bool { credential.refresh != nil }
    public var stores: Bool { true }
    public var obtains: Bool { false }
    public func obtain() async throws(IngestError) -> Credential? { nil }
    public func account(of credential: Credential) async throws(IngestError) -> Account { credential.account }
    public func revoke(_ credential: Credential) async throws(IngestError) {}
}
