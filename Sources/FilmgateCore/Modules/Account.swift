/// Who is signed in, as the provider says it; holds no secret.
public struct Account: Sendable, Hashable {
    /// The provider's own, stable name for the account (`sub`); never an e-mail address.
    public var id: String
    public var name: String?, email: String?
    /// Who vouches for it; nil where `id` is a word of ours, because the provider does not say whose the sign-in is.
    public var issuer: String?

    public init(id: String, name: String? = nil, email: String? = nil, issuer: String? = nil) {
        (self.id, self.name, self.email, self.issuer) = (id, name, email, issuer)
    }

    /// What a person would call it.
    public var shown: String { email ?? name ?? id }
}

/// Where a sign-in stands.
public enum AccountState: Sendable, Hashable {
    case signedOut
    case signingIn
    case signedIn(Account)
    /// The provider no longer takes what is stored; the reason in a sentence. Only signing in again helps.
    case expired(String)
    /// Stored, but behind a passphrase that nobody has given yet.
    case locked
    /// The store itself is in trouble, in a sentence.
    case error(String)

    /// Stable word for programs.
    public var word: String {
        switch self {
        case .signedOut: "signedOut"
        case .signingIn: "signingIn"
        case .signedIn: "signedIn"
        case .expired: "expired"
        case .locked: "locked"
        case .error: "error"
        }
    }
}

/// What is known about a sign-in without asking anybody; no secrets.
public struct AccountFacts: Sendable, Hashable {
    public var state: AccountState
    /// Seconds since 1970 when the present token ends; it is renewed before.
    public var expires: Int?
    /// Renews by itself.
    public var renews: Bool
    public var scope: String?
    /// Origins that it may be used for.
    public var origins: [String]

    public init(
        state: AccountState, expires: Int? = nil, renews: Bool = false, scope: String? = nil, origins: [String] = []
    ) {
        (self.state, self.expires, self.renews, self.scope, self.origins) = (state, expires, renews, scope, origins)
    }
}

/// A sign-in with an account behind it: signed in once by a person, restored and renewed from then on.
///
/// All members may be called from many tasks at once.
public protocol AccountProvider: AuthProvider {
    /// The present state, and each later one as it comes; ends with the provider.
    func states() async -> AsyncStream<AccountState>
    /// Reads what is stored. `validating`: renews it where that is due, and asks the provider whether it still holds.
    /// Trouble with the network, and a store that cannot be opened, are thrown and never sign out.
    func restore(validating: Bool) async throws(IngestError) -> AccountFacts
    /// What it can be wished for; the caller asks for nothing else.
    var abilities: Set<SignInAbility> { get }
    /// Signs a person in and stores what comes of it. `unauthorized` when it was refused or took too long;
    /// `misconfigured`, with nothing stored, when the entry is another account's.
    func signIn(_ prompter: any SignInPrompter, _ preference: SignInPreference) async throws(IngestError) -> Account
    /// Forgets what is stored, first and whatever happens, then tells the provider. An error is about the second half
    /// only.
    func signOut() async throws(IngestError)
}

extension AccountProvider {
    public var abilities: Set<SignInAbility> { [] }
}

/// What not every sign-in can do.
public enum SignInAbility: Sendable, Hashable, CaseIterable {
    /// Makes an account for somebody who has none.
    case registration
    /// Takes the identity token of another sign-in for its own.
    case identityToken
}

/// How a person wants to sign in, where the provider leaves a choice.
public struct SignInPreference: Sendable, Hashable {
    public enum Flow: String, Sendable, Hashable, CaseIterable {
        /// A code, typed into any browser anywhere.
        case device
        /// This machine's browser, which comes back by itself.
        case browser
        /// Any browser; the address where it ends is pasted back.
        case paste
        /// The identity token of another sign-in, asked for at the desk and exchanged at the provider
        /// (`SignInAbility.identityToken`).
        case identityToken
    }
    /// Nil = what the options say.
    public var flow: Flow?
    /// Makes the account first (`SignInAbility.registration`).
    public var registers: Bool
    /// Another account than the last may have the entry: nothing that was delivered with it counts any more.
    public var takesOver: Bool
    public init(flow: Flow? = nil, registers: Bool = false, takesOver: Bool = false) {
        (self.flow, self.registers, self.takesOver) = (flow, registers, takesOver)
    }
}

/// Where a person sits while signing in: shows addresses, asks questions.
public protocol SignInPrompter: Sendable {
    /// Shows where to go, and with which code. Returns at once.
    func invite(_ prompt: SignInPrompt) async
    /// Asks for one line; `hidden` for secrets. `unauthorized` when there is nobody to ask.
    func ask(_ question: String, hidden: Bool) async throws(IngestError) -> String
    /// Says something on the way.
    func tell(_ sentence: String) async
}

/// An address to open, for a person.
public struct SignInPrompt: Sendable, Hashable {
    public var url: String
    /// What to type in there.
    public var code: String?
    /// The address with the code in it.
    public var completeURL: String?
    /// This machine's own browser may be opened for it.
    public var opens: Bool

    public init(url: String, code: String? = nil, completeURL: String? = nil, opens: Bool = false) {
        (self.url, self.code, self.completeURL, self.opens) = (url, code, completeURL, opens)
    }
}
