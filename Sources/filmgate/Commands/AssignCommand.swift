import ArgumentParser
import FilmgateCore
import FilmgateEngine

struct AssignCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "Give what was held without an event to an event, and send it.",
        discussion: """
            A shot has one event: RAW and JPEG, sidecars and memos go with the picture that is named, and what waits for other targets \
            than --target belongs to it, too. Where this breaks off, `filmgate retry` sends the rest.

            EXAMPLE:
              filmgate assign smith-wedding
              filmgate assign smith-wedding /media/ann/CARD/DCIM/100MEDIA
            """)

    @Argument(help: "The event.")
    var event: String

    @Argument(help: ArgumentHelp("Only these files: \(WaitingFiles.naming).", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(help: ArgumentHelp("The pipeline to use; absent: the targets of earlier runs.", valueName: "file"))
    var pipeline: String?

    @Option(help: "Only this target.")
    var target: String?

    @Option(help: ArgumentHelp("Give up after this long without progress.", valueName: "duration"))
    var wait = "2m"

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation), event = try ChosenEvent.checked(event)
        guard let wait = Duration(text: wait) else {
            throw ValidationError("--wait takes a duration such as 30s or 2m.")
        }
        let paths = pipeline.map { [$0] } ?? PipelineSnapshot(state: context.state).files()
        let pipelines = try paths.map { try context.load($0) }
        let run = RunOptions(verb: "assign", event: event, wait: wait, state: context.state)
        var session = RunSession(context: context, options: run)
        let order = ResumeOrder([.held, .pending], target: target, assigning: true)
        let names = try NamesFromInput.read(files, &session.context.invocation)
        try await session.resume(pipelines, order, of: names)
    }
}
