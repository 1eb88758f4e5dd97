import ArgumentParser
import AuthKit
import FilmgateCore
import FilmgateEngine
import FilmgateExternal

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in where a pipeline's targets want it.",
        discussion: """
            Tokens and typed-in secrets go into secrets.json in the state directory, readable by you alone, and are renewed from there.

            EXAMPLES:
              filmgate login wedding.yaml
              filmgate login studio --device
              pass show gallery | filmgate login gallery
              filmgate login --check
              filmgate login --protect --unlock-with "/usr/local/bin/fingerprint-then-passphrase"
            """)

    @Argument(help: "A pipeline file, or names under its `auth:`; absent: all that are not signed in.", completion: .file())
    var what: [String] = []

    @Option(help: ArgumentHelp("The pipeline; absent: the ones used before.", valueName: "file"))
    var pipeline: String?

    @Flag(help: "Only say whether everything is signed in, asking the providers.") var check = false
    @Flag(help: "By a code that is entered in any browser, anywhere.") var device = false
    @Flag(help: "By this machine's browser.") var browser = false
    @Flag(help: "By any browser; the address where it ends is pasted back.") var paste = false
    @Flag(help: "Do not open a browser; only print the address.") var noBrowser = false
    @Flag(help: "Encrypt the secret store with a passphrase.") var protect = false
    @Flag(help: "Store the secrets without a passphrase again.") var unprotect = false

    @Option(help: ArgumentHelp("With --protect: a program that prints the passphrase after it has checked you.", valueName: "program"))
    var unlockWith: String?

    @Option(help: ArgumentHelp("With --protect: forget the passphrase after so long without use.", valueName: "duration"))
    var lockAfter = "15m"

    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard [device, browser, paste].filter({ $0 }).count <= 1 else {
            throw ValidationError("Use only one of --device, --browser and --paste.")
        }
        guard !(protect && unprotect) else { throw ValidationError("Use only one of --protect and --unprotect.") }
        guard Duration(text: lockAfter) != nil else { throw ValidationError("--lock-after takes a duration such as 15m.") }
        guard unlockWith?.hasPrefix("/") != false else { throw ValidationError("--unlock-with takes a program by its whole path.") }
    }

    func run() async throws {
        let workplace = try Workplace(options)
        if protect || unprotect { return try await seal(workplace) }
        let all = try await SignIns(workplace: workplace).all(what, pipeline: pipeline, keeping: true)
        if check { return try await WhoamiCommand.tell(all, asking: true, options) }
        var failed: IngestError?
        for entry in all where !entry.stored.isEmpty || entry.account != nil {
            if !isNamed(entry), await entry.line(asking: false).isFine, entry.isTypedIn(workplace.vault) { continue }
            let result = await Result { () async throws(IngestError) in try await signIn(entry, workplace) }
            if case .success(let account) = result {
                await entry.tell(workplace) { $0.signedIn(entry.name, account: account?.shown) }
            }
            if case .failure(let error) = result {
                failed = failed ?? error
                Failure.tell(IngestError(error.code, "\(entry.name): \(error.message)", advice: error.advice), json: options.json)
            }
        }
        if let failed { throw Exit(Failure.exitCode(failed)) }
        try await WhoamiCommand.tell(all, asking: false, options)
    }

    /// Whoever is named signs in anew.
    private func isNamed(_ entry: SignIn) -> Bool { what.contains(entry.name) }

    /// The account; nil for a sign-in that has none but its secrets.
    private func signIn(_ entry: SignIn, _ workplace: Workplace) async throws(IngestError) -> Account? {
        let desk = TerminalDesk(name: entry.name, json: options.json, opensBrowser: !noBrowser)
        var isOther = false
        for typed in entry.stored {
            let value = SecretValue(try await desk.ask("\(typed.option) of \(entry.name)", hidden: true))
            if try TypedSecret.keep(value, as: typed.entry, for: typed.addresses, in: workplace.vault) { isOther = true }
        }
        guard let account = entry.account else {
            // Whose the new secret is, nobody says.
            if isOther { try await forgetEvents(entry, nil, desk) }
            return nil
        }
        let before = try? await account.restore(validating: false).state
        let fresh = try await account.signIn(desk, SignInWish(flow: device ? .device : browser ? .browser : paste ? .paste : nil))
        if case .signedIn(let old)? = before, old.id != fresh.id {
            await desk.tell(
                "was \(old.shown), is \(fresh.shown) now. What was delivered counts for both; use an entry of its own for another account.")
        }
        // Whoever was signed in before may not be known any more; whose events are remembered is.
        try await forgetEvents(entry, fresh, desk)
        return fresh
    }

    /// Events that another account saw by this sign-in are remembered no more.
    private func forgetEvents(_ entry: SignIn, _ account: Account?, _ desk: TerminalDesk) async throws(IngestError) {
        guard try EventBook(state: options.stateDirectory).forget(auth: entry.name, unless: account?.id) else { return }
        await desk.tell(
            "events remembered for another account are forgotten, with the choice among them; choose anew with `filmgate events use`.")
    }

    private func seal(_ workplace: Workplace) async throws {
        let vault = workplace.vault, desk = TerminalDesk(name: "secret store", json: options.json, opensBrowser: false)
        try await workplace.telling { () async throws(IngestError) in
            if unprotect { return try vault.protect(with: nil) }
            let hook = unlockWith?.split(separator: " ").map(String.init) ?? []
            let passphrase = try await newPassphrase(vault, desk, hook)
            let seconds = Int(Duration(text: lockAfter)?.components.seconds ?? 900)
            try vault.protect(with: passphrase, hook: hook, idle: min(864_000, seconds))
        }
        Console.err(unprotect ? "The secret store no longer needs a passphrase." : "The secret store is encrypted.")
    }

    /// From where it will come when the store is opened, else from the person; where there is a seal already, those open the old one.
    private func newPassphrase(_ vault: Vault, _ desk: TerminalDesk, _ hook: [String]) async throws(IngestError) -> SecretValue {
        if try !vault.isProtected(), let given = try UnlockGate().passphrase(hook: hook) { return given }
        let passphrase = try await desk.ask("New passphrase", hidden: true)
        if Terminal.isThere, try await desk.ask("Once more", hidden: true) != passphrase {
            throw IngestError(.misconfigured, "The two passphrases differ; nothing was changed.")
        }
        return SecretValue(passphrase)
    }
}
