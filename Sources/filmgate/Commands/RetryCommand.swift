import ArgumentParser
import FilmgateCore
import FilmgateEngine

struct RetryCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Send again what is pending or held.",
        discussion: """
            EXAMPLE:
              filmgate retry --failed --target gallery
              filmgate retry --failed IMG_0007.JPG
            """)

    @Argument(help: ArgumentHelp("Only these files: \(WaitingFiles.naming).", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(help: ArgumentHelp("The pipeline to use; absent: the targets of earlier runs.", valueName: "file"))
    var pipeline: String?

    @Option(help: "Only this target.")
    var target: String?

    @Flag(help: "Also send what the target refused.")
    var failed = false

    @Flag(help: "Also send what another station may have sent, or says that it sent: look at the target first.")
    var anyway = false

    @Option(help: ArgumentHelp("Give up after this long without progress.", valueName: "duration"))
    var wait = "2m"

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation)
        guard let wait = Duration(text: wait) else {
            throw ValidationError("--wait takes a duration such as 30s or 2m.")
        }
        let states: Set<Receipt.State> = failed ? [.pending, .held, .failed] : [.pending, .held]
        let paths = pipeline.map { [$0] } ?? PipelineSnapshot(state: context.state).files()
        let pipelines = try paths.map { try context.load($0) }
        var run = RunOptions(verb: "retry", wait: wait, state: context.state)
        run.anyway = anyway
        var session = RunSession(context: context, options: run)
        let names = try NamesFromInput.read(files, &session.context.invocation)
        try await session.resume(pipelines, ResumeOrder(states, target: target), of: names)
    }
}
