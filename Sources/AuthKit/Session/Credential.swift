public import FilmgateCore
import HTTPKit

/// What a sign-in left behind: tokens, whose they are, and where they may go.
///
/// No printed form shows a token.
public struct Credential: Sendable {
    /// Who gave it, and to which client; one made by another provider is not used.
    public var issuer: String, client: String
    public var access: SecretValue
    public var refresh: SecretValue?
    /// The ID token, where the provider gave one.
    public var identity: SecretValue?
    /// Seconds since 1970, by this machine's clock: when `access` ends (nil = unknown), and when it was obtained.
    public var expires: Int?, obtained: Int
    public var scope: String?
    public var account: Account
    /// Counts renewals, over all processes.
    public var generation = 0
    /// Origins that it was made for; no other gets it, whatever the pipeline file says later.
    public var origins: [String] = []
    /// Why the provider would not renew it: nobody needs to ask again, in this process or a later one.
    public var ended: String?
    /// What else the provider needs; secret.
    public var extra: [String: SecretValue] = [:]

    public init(issuer: String, client: String, access: SecretValue, obtained: Int, account: Account) {
        (self.issuer, self.client, self.access, self.obtained, self.account) = (
            issuer, client, access, obtained, account
        )
    }

    /// Nil when `text` is not what `text` of a credential gives.
    init?(text: SecretValue) {
        guard let json = JSONValue(Array(text.reveal().utf8)), let issuer = json["issuer"]?.text,
            let client = json["client"]?.text,
            let access = json["access"]?.text, case .integer(let obtained)? = json["obtained"],
            let id = json["account"]?["id"]?.text
        else { return nil }
        let account = Account(
            id: id, name: json["account"]?["name"]?.text, email: json["account"]?["email"]?.text,
            issuer: json["account"]?["issuer"]?.text)
        self.init(
            issuer: issuer, client: client, access: SecretValue(access), obtained: Int(obtained), account: account)
        refresh = json["refresh"]?.text.map { SecretValue($0) }
        identity = json["identity"]?.text.map { SecretValue($0) }
        (scope, ended) = (json["scope"]?.text, json["ended"]?.text)
        if case .integer(let seconds)? = json["expires"] { expires = Int(seconds) }
        if case .integer(let number)? = json["generation"] { generation = Int(number) }
        if case .array(let items)? = json["origins"] { origins = items.compactMap(\.text) }
        if case .object(let members)? = json["extra"] {
            extra = members.compactMapValues { $0.text.map { SecretValue($0) } }
        }
    }

    /// The provider's own id of the account; nil where a word of ours stands for it, as the client's name does in what
    /// earlier versions stored.
    var owner: String? { account.issuer == nil || account.id == client ? nil : account.id }

    /// A minute before its end; half way for tokens that live shorter than two.
    func isDue(at now: Int) -> Bool { expires.map { now >= $0 - min(60, max(0, $0 - obtained) / 2) } ?? false }

    func isOver(at now: Int) -> Bool { expires.map { now >= $0 } ?? false }

    /// Tells one credential from the next; secret itself, and kept in memory only.
    var proof: String { "\(obtained) \(generation) \((refresh ?? access).reveal())" }

    /// For the store.
    var text: SecretValue {
        var who: JSONObject = ["id": .string(account.id)]
        for (key, value) in [("name", account.name), ("email", account.email), ("issuer", account.issuer)] {
            who[key] = value.map { .string($0) }
        }
        var members: JSONObject = [
            "issuer": .string(issuer), "client": .string(client), "access": .string(access.reveal()),
            "obtained": .integer(Int64(obtained)), "generation": .integer(Int64(generation)), "account": .object(who),
            "origins": .array(origins.map { .string($0) }),
            "extra": .object(JSONObject(extra.mapValues { .string($0.reveal()) })),
        ]
        members["refresh"] = refresh.map { .string($0.reveal()) }
        members["identity"] = identity.map { .string($0.reveal()) }
        members["expires"] = expires.map { .integer(Int64($0)) }
        members["scope"] = scope.map { .string($0) }
        members["ended"] = ended.map { .string($0) }
        return SecretValue(JSONValue.object(members).serialized)
    }
}

extension Credential: CustomStringConvertible, CustomReflectable {
    public var description: String { "a credential of \(account.shown)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
