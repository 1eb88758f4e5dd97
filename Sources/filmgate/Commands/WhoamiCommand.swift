import ArgumentParser
import FilmgateCore
import FilmgateEngine

struct WhoamiCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "whoami",
        abstract: "Show who is signed in where, from what is stored; exits with 4 where a sign-in is missing.",
        discussion: """
            Services that are paid by credits are asked what is left; one that does not answer changes nothing.

            EXAMPLE:
              filmgate whoami wedding.yaml --json
            """)

    @Argument(help: "A pipeline file, or names under its `auth:`; absent: all.", completion: .file())
    var what: [String] = []

    @Option(help: ArgumentHelp("The pipeline; absent: the ones used before.", valueName: "file"))
    var pipeline: String?

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation)
        try await Self.tell(
            try await SignIns(context: context).all(what, pipeline: pipeline, keeping: false), asking: false, context)
    }

    /// One line each; 4 when one is not signed in, 5 when a provider could not be asked.
    static func tell(_ all: [SignIn], asking: Bool, _ context: CommandContext) async throws {
        let console = context.console, json = context.options.json
        var code = ExitStatus.complete
        for entry in all {
            var line = await entry.line(asking: asking)
            await line.addCredits(CreditInquiry(entry.paid, state: context.state))
            console.out(json ? line.json : line.text)
            if !line.isFine {
                code = .signIn
            } else if let trouble = line.trouble, code == .complete {
                code = Failure.exitCode(trouble)
            }
        }
        if all.isEmpty, !json { console.out("The pipeline has no sign-ins.") }
        if code != .complete { throw Exit(code) }
    }
}
