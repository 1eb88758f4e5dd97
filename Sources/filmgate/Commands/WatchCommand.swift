import ArgumentParser
import FilmgateCore
import FilmgateEngine
import Glibc

struct WatchCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Watch folders and take each file once it is complete, until stopped.",
        discussion: """
            What lies in the folders already is taken too. A file is taken once its writer is done and it is whole.

            EXAMPLES:
              filmgate watch ~/Hot --to ~/Pictures
              filmgate watch ~/Hot --pipeline wedding.yaml --event smith --take move
            """)

    @Argument(help: "The folders to watch, with all that is below them.", completion: .directory)
    var folders: [String] = []

    @OptionGroup var how: TakingOptions
    @OptionGroup var following: PipelineOptions

    @Option(
        help: ArgumentHelp(
            "How long a file must stay as it is before it is taken. (default: 2s)", valueName: "duration"))
    var settle: String?

    @Option(help: ArgumentHelp("What happens to the files. (default: copy)", valueName: "copy|move|inplace"))
    var take: String?

    @Flag(help: "Take all that the folders hold now, and end.")
    var once = false

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation), wait = try following.patience()
        guard !folders.isEmpty, !folders.contains("") else { throw ValidationError("Say which folders to watch.") }
        for folder in folders where !once && access(invocation.paths.absolute(folder), F_OK) != 0 {
            context.console.err("warning: \(Describe.name(folder)) is not there yet; waiting for it.")
        }
        let loaded = try how.load(context, following)
        let pipeline = try watching(loaded, context)
        if following.event == nil { await AccountChoices(context: context).follow([pipeline]) }
        let event = try ChosenEvent(state: context.state).event(following.event, for: pipeline.event)
        var run = RunOptions(
            verb: "watch", event: event, photographer: following.photographer, again: how.again, wait: wait,
            state: context.state)
        run.isEventOrdered = following.event != nil
        run.holdsForEvent = pipeline.event.hold && event == nil
        let session = RunSession(context: context, options: run, errorOnEmpty: how.errorOnEmpty)
        if once {
            try await session.run([pipeline], .together)
        } else {
            try await LiveSession(session: session).run(pipeline)
        }
    }

    /// The folders replace the pipeline's sources; the options of its first folder source stay.
    private func watching(_ pipeline: PipelineFile, _ context: CommandContext) throws -> PipelineFile {
        try refuseBadValues(context)
        var pipeline = pipeline
        let model =
            pipeline.sources.first { $0.module == "folder" }
            ?? ModuleUse(name: "folder", module: "folder", node: ConfigNode(.map([])), mark: Mark())
        pipeline.sources = folders.map { path in
            var folder = model
            folder.node.set("path", ConfigNode(.scalar(context.invocation.paths.absolute(path), quoted: true)))
            if let settle { folder.node.set("settle", settle) }
            if let take { folder.node.set("take", take) }
            return folder
        }
        let mistakes = pipeline.sources.flatMap { context.registry.entry(.source, "folder")?.lint($0.node) ?? [] }
        if let first = mistakes.first {
            throw ValidationError([first.message, first.hint].compactMap { $0 }.joined(separator: " "))
        }
        return pipeline
    }

    /// What is wrong with a value that was given here, by the name of its option; the module knows what is allowed.
    private func refuseBadValues(_ context: CommandContext) throws {
        for (key, value) in [("settle", settle), ("take", take)] {
            guard let value else { continue }
            var node = ConfigNode(.map([]))
            node.set("path", "/")
            node.set(key, value)
            guard let mistake = context.registry.entry(.source, "folder")?.lint(node).first else { continue }
            let isBare = mistake.code == "wrong-unit" && Duration(text: value + "s") != nil
            let hint = isBare ? "Did you mean `--\(key) \(value)s`?" : mistake.hint
            let words = ["--\(key) \(value.isEmpty ? "''" : Describe.name(value)): \(mistake.message)", hint]
            throw ValidationError(words.compactMap { $0 }.joined(separator: " "))
        }
    }
}
