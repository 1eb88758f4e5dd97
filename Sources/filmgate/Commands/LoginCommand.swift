import ArgumentParser
import AuthKit
import FilmgateCore
import FilmgateEngine
import FilmgateExternal

struct LoginCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in to the services that a pipeline uses.",
        discussion: """
            Tokens and typed-in secrets go into secrets.json in the state directory, readable by you alone, and are renewed from there.

            EXAMPLES:
              filmgate login wedding.yaml
              filmgate login studio --device
              pass show gallery | filmgate login gallery
              filmgate login studio --register
              filmgate login studio --identity-token - < token
              filmgate login studio --another-account
              filmgate login --check
              filmgate login --protect --unlock-with "/usr/local/bin/fingerprint-then-passphrase"
            """)

    @Argument(
        help: "A pipeline file, or names under its `auth:`; absent: all that are not signed in.", completion: .file())
    var what: [String] = []

    @Option(help: ArgumentHelp("The pipeline; absent: the ones used before.", valueName: "file"))
    var pipeline: String?

    @Flag(help: "Only say whether everything is signed in, asking the providers.") var check = false
    @Flag(help: "Sign in with a code that is typed into any browser.") var device = false
    @Flag(help: "Sign in with this machine's browser.") var browser = false
    @Flag(help: "Sign in with any browser, and paste the address of the last page here.") var paste = false
    @Flag(
        help:
            "Make an account first; asks for what a new one needs, on the terminal or from stdin: e-mail address, password, code."
    )
    var register = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Exchange another provider's identity token, read from stdin, for a sign-in.", valueName: "-"))
    var identityToken: String?

    @Flag(
        help:
            "Let another account have the sign-in than the last one; only where nothing waits or counts with it any more."
    )
    var anotherAccount = false

    @Flag(help: "Do not open a browser; only print the address.") var noBrowser = false
    @Flag(help: "Encrypt the secret store with a passphrase.") var protect = false
    @Flag(help: "Store the secrets without a passphrase again.") var unprotect = false

    @Option(
        help: ArgumentHelp(
            "With --protect: a program that prints the passphrase once it knows who you are.", valueName: "program"))
    var unlockWith: String?

    @Option(
        help: ArgumentHelp("With --protect: forget the passphrase after so long without use.", valueName: "duration"))
    var lockAfter = "15m"

    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard [device, browser, paste].filter({ $0 }).count <= 1 else {
            throw ValidationError("Use only one of --device, --browser and --paste.")
        }
        // Not shown again: what stands here may be the token itself.
        guard identityToken == nil || identityToken == "-" else {
            throw ValidationError(
                "--identity-token takes `-`: the token is read from stdin, since anybody here can read arguments.")
        }
        guard !isSpecial || !(device || browser || paste || check || protect || unprotect) else {
            throw ValidationError("Use --register and --identity-token alone or with each other.")
        }
        guard !anotherAccount || !(check || protect || unprotect) else {
            throw ValidationError("Use --another-account without --check, --protect and --unprotect.")
        }
        guard !(protect && unprotect) else { throw ValidationError("Use only one of --protect and --unprotect.") }
        guard Duration(text: lockAfter) != nil else {
            throw ValidationError("--lock-after takes a duration such as 15m.")
        }
        guard unlockWith?.hasPrefix("/") != false else {
            throw ValidationError("--unlock-with takes a program by its whole path.")
        }
    }

    /// Not the way that the pipeline file means.
    private var isSpecial: Bool { register || identityToken != nil }
    /// For one sign-in, which is made anew.
    private var isForOne: Bool { isSpecial || anotherAccount }

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation)
        if protect || unprotect { return try await seal(context) }
        let all = try await SignIns(context: context).all(what, pipeline: pipeline, keeping: true)
        if check { return try await WhoamiCommand.tell(all, asking: true, context) }
        if isForOne, all.count != 1 {
            let names = all.map(\.name).joined(separator: ", ")
            throw context.refuse("Say which sign-in it is for\(names.isEmpty ? "" : ": \(names)").")
        }
        let held = anotherAccount ? try await AccountTakeover(entry: all[0]).hold(context) : nil
        var failed: IngestError?
        for entry in all where !entry.stored.isEmpty || entry.account != nil || isSpecial {
            if !isNamed(entry), !isForOne, await entry.line(asking: false).isFine, entry.isTypedIn(context.vault) {
                continue
            }
            let result = await Result { () async throws(IngestError) in try await signIn(entry, context) }
            if case .success(let account) = result {
                await entry.tell(context) { $0.signedIn(entry.name, account: account?.shown) }
            }
            if case .failure(let error) = result {
                failed = failed ?? error
                context.console.tell(
                    IngestError(error.code, "\(entry.name): \(error.message)", advice: error.advice), json: options.json
                )
            }
        }
        context.close(held)
        if let failed { throw Exit(Failure.exitCode(failed)) }
        let used = (what + [pipeline].compactMap { $0 }).filter(SignIns.isFile)
        await AccountChoices(context: context).follow(
            try used.isEmpty ? EventsCommand.pipelines(nil, context) : used.map { try context.load($0) })
        try await WhoamiCommand.tell(all, asking: false, context)
    }

    /// Whoever is named signs in anew.
    private func isNamed(_ entry: SignIn) -> Bool { what.contains(entry.name) }

    /// The account; nil for a sign-in that has none but its secrets.
    private func signIn(_ entry: SignIn, _ context: CommandContext) async throws(IngestError) -> Account? {
        try refuseWhatItCannot(entry)
        let prompter = prompter(entry.name, context, opensBrowser: !noBrowser)
        var isOther = false
        // What comes by stdin is for the special way alone.
        let isKnown = isSpecial && entry.isTypedIn(context.vault)
        for typed in entry.stored where !isKnown {
            let value = SecretValue(try await prompter.ask("\(typed.option) of \(entry.name)", hidden: true))
            if try TypedSecret.keep(value, as: typed.entry, for: typed.addresses, in: context.vault) { isOther = true }
        }
        guard let account = entry.account else {
            // Whose the new secret is, nobody says.
            if isOther { try await forgetEvents(entry, nil, prompter, context) }
            return nil
        }
        let before = try? await account.restore(validating: false).state
        let fresh = try await account.signIn(prompter, wish)
        if case .signedIn(let old)? = before, old.id != fresh.id {
            await prompter.tell(
                "was \(old.shown), is \(fresh.shown) now.")
        }
        // What is left was the other's.
        try? CreditStore(state: context.state).forget(auth: entry.name)
        // Whoever was signed in before may not be known any more; whose events are remembered is.
        try await forgetEvents(entry, fresh, prompter, context)
        return fresh
    }

    private func prompter(_ name: String, _ context: CommandContext, opensBrowser: Bool) -> TerminalPrompter {
        TerminalPrompter(name: name, json: options.json, opensBrowser: opensBrowser, console: context.console)
    }

    private var wish: SignInPreference {
        let flow: SignInPreference.Flow? =
            identityToken != nil ? .identityToken : device ? .device : browser ? .browser : paste ? .paste : nil
        return SignInPreference(flow: flow, registers: register, takesOver: anotherAccount)
    }

    /// Before anybody is asked for anything.
    private func refuseWhatItCannot(_ entry: SignIn) throws(IngestError) {
        let can = entry.account?.abilities ?? []
        let place = "the way that `\(entry.name)` (\(entry.module)) signs in"
        if identityToken != nil, !can.contains(.identityToken) {
            throw IngestError(
                .misconfigured, "There is no exchange of identity tokens in \(place).",
                advice: "Sign in with `filmgate login \(entry.name)`.")
        }
        if register, !can.contains(.registration) {
            throw IngestError(
                .misconfigured, "There is no registration in \(place).",
                advice: "Make the account on the service's own page, then run `filmgate login \(entry.name)`.")
        }
    }

    /// Events that another account saw by this sign-in are remembered no more.
    private func forgetEvents(
        _ entry: SignIn, _ account: Account?, _ prompter: TerminalPrompter, _ context: CommandContext
    ) async throws(IngestError) {
        guard try EventIDs(state: context.state).forget(auth: entry.name, unless: account?.id) else { return }
        await prompter.tell(
            "events remembered for another account are forgotten, with the choice among them; choose anew with `filmgate events use`."
        )
    }

    private func seal(_ context: CommandContext) async throws {
        let vault = context.vault
        let prompter = prompter("secret store", context, opensBrowser: false)
        try await context.telling { () async throws(IngestError) in
            if unprotect { return try vault.protect(with: nil) }
            let hook = unlockWith?.split(separator: " ").map(String.init) ?? []
            let passphrase = try await newPassphrase(vault, prompter, hook)
            let seconds = Int(Duration(text: lockAfter)?.components.seconds ?? 900)
            try vault.protect(with: passphrase, hook: hook, idle: min(864_000, seconds))
        }
        context.console.err(
            unprotect ? "The secret store no longer needs a passphrase." : "The secret store is encrypted.")
    }

    /// From where it will come when the store is opened, else from the person; where there is a seal already, those
    /// open the old one.
    private func newPassphrase(_ vault: Vault, _ prompter: TerminalPrompter, _ hook: [String]) async throws(IngestError)
        -> SecretValue
    {
        if try !vault.isProtected(), let given = try PassphraseSource().passphrase(hook: hook) { return given }
        let passphrase = try await prompter.ask("New passphrase", hidden: true)
        if Terminal.isThere, try await prompter.ask("Once more", hidden: true) != passphrase {
            throw IngestError(.misconfigured, "The two passphrases differ; nothing was changed.")
        }
        return SecretValue(passphrase)
    }
}
