public import FilmgateCore

extension TargetTraits.SignIn {
    /// Whose sign-in a target has.
    ///
    /// `account`: as the pipeline file says it, "" as without a sign-in; else what the sign-in says of itself, or the
    /// name of its entry. `place`: kind and address.
    public init(
        _ auth: AuthReference?, account: String?, _ provider: (any AuthProvider)?, place: String,
        _ context: ModuleContext
    ) {
        let signed = provider.map { $0.account ?? auth?.name ?? "" }
        self.init(place: place, account: account.map { $0.isEmpty ? nil : $0 } ?? signed, event: context.event)
    }

    public var identity: String { [place, account, event].compactMap(\.self).joined(separator: ":") }
}
