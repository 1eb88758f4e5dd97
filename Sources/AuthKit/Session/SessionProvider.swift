public import FilmgateCore
public import HTTPKit

/// A sign-in that is a session and sends a bearer token: a module adds how to sign in, and gets the rest from here.
public protocol SessionProvider: AccountProvider {
    var session: AccountSession { get }
    var scope: CredentialScope { get }
    /// The token that servers get.
    func bearer(_ credential: Credential) throws(IngestError) -> SecretValue
    /// The header that carries it, and what stands before it there.
    var header: (name: String, prefix: String) { get }
}

extension SessionProvider {
    public func bearer(_ credential: Credential) throws(IngestError) -> SecretValue { credential.access }

    public var header: (name: String, prefix: String) { ("Authorization", "Bearer ") }

    public func bind(to address: String) throws(IngestError) { try scope.bind(address) }

    public func ready() async throws(IngestError) { _ = try await session.credential() }

    public func sign(_ request: HTTPRequest) async throws(IngestError) -> HTTPRequest {
        try scope.require(request)
        let credential = try await session.credential()
        try credential.require(request, name: session.name)
        var signed = request
        signed.set(header.name, header.prefix + (try bearer(credential)).reveal())
        return signed
    }

    public func renew(after rejection: Rejection) async throws(IngestError) -> Bool {
        let header = header, sent = rejection.request?[header: header.name]
        let fresh = try await session.credential { credential in
            (try? bearer(credential)).map { header.prefix + $0.reveal() == sent } ?? true
        }
        return fresh != nil
    }

    public func states() async -> AsyncStream<AccountState> { await session.states() }

    /// What was made for other addresses than the pipeline's is as good as ended: nothing is sent with it there.
    public func restore(validating: Bool) async throws(IngestError) -> AccountFacts {
        var facts = try await session.restore(validating: validating)
        if case .signedIn = facts.state, !facts.origins.isEmpty,
            let new = scope.origins.first(where: { !facts.origins.contains($0) })
        {
            facts.state = .expired("It was made for \(facts.origins.joined(separator: ", ")), not for \(new).")
        }
        return facts
    }

    public func signOut() async throws(IngestError) { try await session.signOut() }
}

extension Credential {
    /// `untrusted` when it was made for other origins: an edit of the pipeline file does not send it anywhere new.
    ///
    /// `name`: the entry's in the pipeline file.
    func require(_ request: HTTPRequest, name: String) throws(IngestError) {
        guard !origins.isEmpty, let origin = WebAddress(request.url)?.origin, !origins.contains(origin) else { return }
        throw IngestError(
            .untrusted,
            "The sign-in `\(name)` was made for \(origins.joined(separator: ", ")), not for \(origin); nothing was sent.",
            advice: "If the new address is right, run `filmgate login \(name)` again.")
    }
}
