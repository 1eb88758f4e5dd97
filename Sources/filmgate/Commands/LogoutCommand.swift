import ArgumentParser
import AuthKit
import FilmgateCore
import FilmgateExternal

struct LogoutCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Forget a sign-in here, then tell the provider.",
        discussion: """
            EXAMPLE:
              filmgate logout studio
            """)

    @Argument(help: "A pipeline file, or names under its `auth:`; absent: all.", completion: .file())
    var what: [String] = []

    @Option(help: ArgumentHelp("The pipeline; absent: the ones used before.", valueName: "file"))
    var pipeline: String?

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation)
        let all = try await SignIns(context: context).all(what, pipeline: pipeline, keeping: false)
        for entry in all { try? CreditStore(state: context.state).forget(auth: entry.name) }
        var failed: IngestError?
        for entry in all where !entry.stored.isEmpty || entry.account != nil {
            do throws(IngestError) {
                for typed in entry.stored { try context.vault.set(VaultSecrets.entry(typed.entry), nil) }
                if let told = try await forget(entry) {
                    context.console.err(
                        "\(entry.name): forgotten here, but the provider could not be told: \(Describe.name(told.message))"
                    )
                }
                try EventIDs(state: context.state).forget(auth: entry.name)
                await entry.tell(context) { $0.signedOut(entry.name) }
                if !options.json { context.console.out("\(entry.name): signed out") }
            } catch {
                failed = failed ?? error
                context.console.tell(error, json: options.json)
            }
        }
        if options.json { for entry in all { context.console.out(await entry.line(asking: false).json) } }
        if let failed { throw Exit(Failure.exitCode(failed)) }
    }

    /// Nil when the provider was told too; throws when it could not even be forgotten here.
    private func forget(_ entry: SignIn) async throws(IngestError) -> IngestError? {
        guard let account = entry.account else { return nil }
        do throws(IngestError) { try await account.signOut() } catch {
            let state = try? await account.restore(validating: false).state
            guard state == .signedOut else { throw error }
            return error
        }
        return nil
    }
}
