public import FilmgateCore

/// Whose sign-in a target has, and what that makes of its identity: kind, place, account and event.
public struct WebSignIn: Sendable {
    public let identity: String
    /// For `TargetTraits.signIn`.
    public let unsure: TargetTraits.SignIn?

    /// `account`: as the pipeline file says it, "" as without a sign-in; `place`: kind and address.
    public init(
        _ auth: AuthReference?, account: String?, _ provider: (any AuthProvider)?, _ place: String,
        _ context: ModuleContext
    ) {
        let signed = provider.map { $0.account ?? auth?.name ?? "" }
        let name = account.map { $0.isEmpty ? nil : $0 } ?? signed
        identity = ([place] + [name, context.event].compactMap { $0 }).joined(separator: ":")
        unsure = account == nil ? TargetTraits.SignIn(place: place, account: name, event: context.event) : nil
    }
}
