public import FilmgateCore

extension ModuleContext {
    /// The program's secret store, or one of its own over the state directory.
    public var vault: Vault { lookup.service(Vault.self) ?? Vault(directory: state) }
}
