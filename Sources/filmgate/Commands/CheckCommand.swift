import ArgumentParser
import FilmgateCore
import FilmgateEngine

struct CheckCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Find the mistakes in a pipeline file. Needs no secrets.",
        discussion: """
            EXAMPLE:
              filmgate check wedding.yaml --connect
            """)

    @Argument(help: "Pipeline files.", completion: .file(extensions: ["yaml", "yml"]))
    var pipelines: [String]

    @Flag(help: "Also try every target, with its sign-in, and look for the cameras.")
    var connect = false

    @Option(help: "With --connect: the event that targets are tried with; absent: the chosen one.")
    var event: String?

    @Flag(help: "Allow sign-ins that exist for tests only.")
    var allowMock = false

    @Option(name: .customLong("set"), help: ArgumentHelp("Change one value of the pipeline.", valueName: "key=value"))
    var set: [String] = []

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation)
        let overrides = try set.map { text in
            guard let override = Override(text) else { throw ValidationError("--set takes key=value.") }
            return override
        }
        var invalid = false, refused: IngestError?
        for path in pipelines {
            var loaded = context.loader(overrides: overrides).load(path: invocation.paths.opened(path))
            if let pipeline = loaded.pipeline {
                loaded.diagnostics +=
                    ListenerCheck.warnings(pipeline, from: invocation.paths) + Self.withoutSignIn(pipeline)
                loaded.diagnostics += context.builder(ledger: nil).warnings(in: pipeline)
            }
            tell(loaded, context.console)
            guard let pipeline = loaded.pipeline, !refuses(pipeline, loaded, context),
                !hasMistakes(pipeline, loaded, context)
            else {
                invalid = true
                continue
            }
            let failed = connect ? try await tryAll(pipeline, context) : nil
            refused = refused ?? failed
            if !options.json {
                context.console.out(
                    failed == nil ? "\(path): valid" : "\(path): valid, but not all of it can be used now")
            }
        }
        if invalid { throw Exit(.invalidPipeline) }
        // A secret that is not there is what `misconfigured` means to a file that is valid.
        if let refused { throw Exit(Self.lacksSecret(refused) ? .signIn : Failure.exitCode(refused)) }
    }

    private static func lacksSecret(_ error: IngestError) -> Bool {
        error.code == .misconfigured && !(error.cause is UntruthfulAnswer)
    }

    private static func withoutSignIn(_ pipeline: PipelineFile) -> [Diagnostic] {
        pipeline.targets.filter { Modules.signInTargets.contains($0.module) && $0.node["auth"] == nil }.map { use in
            .warning(
                use.mark, "no-sign-in", "`\(use.module)` requires a sign-in, and `\(use.name)` has none.",
                hint: "Name an entry under `auth:` with `auth: NAME`.")
        }
    }

    /// More mistakes than somebody mends at once are counted, but for programs.
    private func tell(_ loaded: LoadedPipeline, _ console: Console) {
        let shown = options.json || options.verbose > 0 ? loaded.diagnostics.count : Self.shown
        for diagnostic in loaded.diagnostics.prefix(shown) {
            console.out(options.json ? DiagnosticLine.json(diagnostic) : DiagnosticLine.human(diagnostic, loaded))
        }
        if loaded.diagnostics.count > shown {
            console.out("and \(Describe.count(loaded.diagnostics.count - shown, "more remark")); -v tells all")
        }
    }
    private static let shown = 10

    /// A module that protects nothing must not slip from a test into a wedding.
    private func refuses(_ pipeline: PipelineFile, _ loaded: LoadedPipeline, _ context: CommandContext) -> Bool {
        if allowMock { return false }
        let found = pipeline.auth.filter { context.registry.entry(.auth, $0.module)?.manifest.testsOnly == true }
        for use in found {
            let diagnostic = Diagnostic(
                .error,
                ConfigError(
                    use.mark, "tests-only", "`\(use.module)` is for tests: it protects nothing.",
                    hint: "In a test, say --allow-mock."))
            context.console.out(
                options.json ? DiagnosticLine.json(diagnostic) : DiagnosticLine.human(diagnostic, loaded))
        }
        return !found.isEmpty
    }

    private func hasMistakes(_ pipeline: PipelineFile, _ loaded: LoadedPipeline, _ context: CommandContext) -> Bool {
        let found = context.builder(ledger: nil).mistakes(in: pipeline)
        for diagnostic in found {
            context.console.out(
                options.json ? DiagnosticLine.json(diagnostic) : DiagnosticLine.human(diagnostic, loaded))
        }
        return found.contains { $0.severity == .error }
    }

    /// Asks every target and looks for every camera; the first refusal decides the exit code.
    private func tryAll(_ pipeline: PipelineFile, _ context: CommandContext) async throws -> IngestError? {
        let event = try event.map(ChosenEvent.checked) ?? ChosenEvent(state: context.state).chosen
        let plan = try await context.telling { () async throws(IngestError) in
            if let event { try await EventDirectories(context: context).learn(event, [pipeline]) }
            return try context.ordering(pipeline.sources, context.builder(ledger: nil, event: event)).plan(pipeline)
        }
        var first: IngestError?
        for (name, target) in plan.connections {
            let result = await Result { () async throws(IngestError) in try await target.check() }
            switch result {
            case .success: if !options.json { context.console.out("\(name): reachable") }
            case .failure(let error):
                first = first ?? error
                context.console.tell(
                    IngestError(error.code, "\(name): \(error.message)", advice: error.advice), json: options.json)
            }
        }
        let failed = await CameraProbe(context: context).run(pipeline, plan)
        return first ?? failed
    }
}
