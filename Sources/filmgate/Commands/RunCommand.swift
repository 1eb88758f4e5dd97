import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateStudio

/// What every verb that follows a pipeline file takes.
struct PipelineOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The event that the frames belong to.", valueName: "name"))
    var event: String?

    @Option(help: ArgumentHelp("The photographer's name.", valueName: "name"))
    var photographer: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Change one value of the pipeline, such as stages.select.min_rating=3.", valueName: "key=value"))
    var set: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            At the end, leave the rest pending after this long without progress. Given to import, also wait so long for what is \
            switched on later. (default: 2m)
            """,
            valueName: "duration"))
    var wait: String?

    func overrides() throws -> [Override] {
        try set.map { text in
            guard let override = Override(text) else {
                throw ValidationError("--set takes key=value, such as --set stages.select.min_rating=3.")
            }
            return override
        }
    }

    func patience() throws -> Duration {
        guard let wait = Duration(text: wait ?? "2m") else {
            throw ValidationError("--wait takes a duration such as 30s or 2m.")
        }
        return wait
    }

    /// How long a camera that is not there is looked for; nil: not at all.
    func arrival() throws -> Duration? { wait == nil ? nil : try patience() }
}

struct RunCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Take from all sources of a pipeline at once, until stopped.",
        discussion: """
            A card is taken whole, cameras give what is new since last time (see `backlog`), and lost cameras are waited for. The first \
            Ctrl-C finishes what is in flight, the second stops at once; nothing is lost either way.

            EXAMPLE:
              filmgate run wedding.yaml --event smith
            """)

    @Argument(help: "The pipeline file.", completion: .file(extensions: ["yaml", "yml"]))
    var pipeline: String

    @Flag(help: "Take all that the sources hold now, and end.")
    var once = false

    @Option(
        help: ArgumentHelp(
            "What is taken of the files that a camera held before: all, since-last or none. (default: what the pipeline says, else since-last)",
            valueName: "rule"))
    var backlog: String?

    @Option(help: ArgumentHelp("Serve Prometheus metrics there, such as 127.0.0.1:9464.", valueName: "address"))
    var metrics: String?

    @Option(
        help: ArgumentHelp(
            "Serve the page there while the run lasts, such as 127.0.0.1:8484 (see `filmgate studio`).",
            valueName: "address"))
    var studio: String?

    @Flag(help: "Encrypt the page with a certificate of its own (see `filmgate studio serve --help`).")
    var studioSelfSigned = false

    @Option(
        help: ArgumentHelp("Encrypt the page with this certificate, a PEM file.", valueName: "file"),
        completion: .file())
    var studioCertificate: String?

    @Option(
        help: ArgumentHelp("The key of the page's certificate, a PEM file.", valueName: "file"), completion: .file())
    var studioKey: String?

    @Flag(help: "Exit with status 9 when nothing new was delivered.")
    var errorOnEmpty = false

    @OptionGroup var following: PipelineOptions
    @OptionGroup var tracing: TraceOptions
    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try context(invocation), wait = try following.patience(), overrides = try following.overrides()
        let file = invocation.paths.absolute(pipeline)
        let pipeline = try context.load(file, overrides: overrides)
        guard !pipeline.sources.isEmpty else {
            throw context.refuse("This pipeline has no sources to run.")
        }
        if following.event == nil { await AccountChoices(context: context).follow([pipeline]) }
        let event = try ChosenEvent(state: context.state).event(following.event, for: pipeline.event)
        var run = RunOptions(
            verb: "run", event: event, photographer: following.photographer, wait: wait, state: context.state)
        run.isEventOrdered = following.event != nil
        run.holdsForEvent = pipeline.event.hold && event == nil
        if let backlog {
            guard let rule = Backlog(rawValue: backlog) else {
                throw ValidationError("--backlog takes all, since-last or none.")
            }
            run.backlog = rule
        }
        guard metrics == nil || !once else {
            throw ValidationError("--metrics needs a run without --once: it serves only while the run lasts.")
        }
        guard studio == nil || !once else {
            throw ValidationError("--studio needs a run without --once: it serves the page only while the run lasts.")
        }
        let listening = try metrics.map(MetricsServer.address)
        let page = try studio.map { try StudioLink.place($0, "--studio") }
        if let page { try await check(page, context) }
        let session = RunSession(context: context, options: run, errorOnEmpty: errorOnEmpty)
        if once { return try await session.run([pipeline], .together) }
        var live = LiveSession(session: session)
        live.load = { context.loader(overrides: overrides).load(path: file) }
        live.metrics = listening
        live.studio = page.map {
            StudioSupervisor(
                $0, pipeline: file, state: context.state, json: options.json, encryption: encryption, invocation)
        }
        try await live.run(pipeline)
    }

    private var encryption: StudioEncryption {
        StudioEncryption(
            isSelfSigned: studioSelfSigned, certificate: studioCertificate, key: studioKey, prefix: "--studio-")
    }

    /// What the page could not be served with is told before the run begins.
    private func check(_ page: ListenAddress, _ context: CommandContext) async throws {
        try encryption.validate()
        try await context.telling { () throws(IngestError) in
            try StudioServer.check(host: page.host, isEncrypted: encryption.isWanted, options: encryption.prefix)
            if studioCertificate != nil {
                _ = try encryption.load(state: context.state, names: [], from: context.invocation.paths)
            }
        }
    }

    private func context(_ invocation: Invocation) throws -> CommandContext {
        var context = try CommandContext(options, invocation)
        try context.trace(tracing)
        return context
    }
}
