import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateLedger

/// What `import` and `plan` take from.
struct ImportOptions: ParsableArguments {
    @Argument(help: "Cards, their dumps, or folders.", completion: .directory)
    var paths: [String] = []

    @Option(
        help: ArgumentHelp(
            "Import from a camera: its id, serial number or model as `filmgate cameras` tells, or usb.", valueName: "id"
        ))
    var camera: String?

    @Option(help: ArgumentHelp("With --camera: the module that takes it, such as gphoto2.", valueName: "module"))
    var via: String?

    /// An empty word is a variable that was not set, and never the folder that one happens to be in.
    func validate() throws {
        if paths.contains("") { throw ValidationError("The path of a card or folder is empty.") }
    }

    func refuse(_ tracing: TraceOptions) throws {
        guard via == "gphoto2", tracing.trace != nil else { return }
        throw ValidationError(
            "--trace shows what Filmgate itself says to cameras; with --via gphoto2 libgphoto2 does. Leave out one.")
    }
}

enum VerifyMode: String, ExpressibleByArgument, CaseIterable { case reread, size }

struct ImportCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a memory card, its dump, or what is on a camera.",
        discussion: """
            EXAMPLES:
              filmgate import /media/ann/EOS_DIGITAL --to ~/Pictures --to /mnt/backup
              filmgate import CARD1 CARD2 --pipeline wedding.yaml --event smith --json
              filmgate import --camera usb --to ~/Pictures
            """)

    @OptionGroup var importing: ImportOptions
    @OptionGroup var how: TakingOptions
    @OptionGroup var following: PipelineOptions
    @OptionGroup var tracing: TraceOptions
    @OptionGroup var options: CommonOptions

    @Flag(name: [.long, .customShort("n")], help: "Say what would happen and write nothing.")
    var dryRun = false

    func validate() throws { try importing.refuse(tracing) }

    func run(in invocation: Invocation) async throws {
        try await ImportRun(
            importing: importing, how: how, following: following, tracing: tracing, options: options, dryRun: dryRun
        ).run(in: invocation)
    }
}

struct PlanCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Say what an import would do: fetch, skip and why, deliver where. Writes nothing.",
        discussion: """
            EXAMPLE:
              filmgate plan /media/ann/EOS_DIGITAL --to ~/Pictures
            """)

    @OptionGroup var importing: ImportOptions
    @OptionGroup var how: TakingOptions
    @OptionGroup var following: PipelineOptions
    @OptionGroup var tracing: TraceOptions
    @OptionGroup var options: CommonOptions

    func validate() throws { try importing.refuse(tracing) }

    func run(in invocation: Invocation) async throws {
        try await ImportRun(
            importing: importing, how: how, following: following, tracing: tracing, options: options, dryRun: true
        ).run(in: invocation)
    }
}

/// Makes the pipeline that was asked for and runs it.
struct ImportRun {
    let importing: ImportOptions
    let how: TakingOptions
    let following: PipelineOptions
    let tracing: TraceOptions
    let options: CommonOptions
    let dryRun: Bool

    func run(in invocation: Invocation) async throws {
        let wait = try following.patience()
        var context = try CommandContext(options, invocation)
        try context.trace(tracing)
        if dryRun { context.keepNothing() }
        guard how.pipeline != nil || how.to.isEmpty || !importing.paths.isEmpty || importing.camera != nil else {
            throw ValidationError("Say what to import: the path of a card or a folder, or --camera ID.")
        }
        let given = try takingPaths(try how.load(context, following), invocation.paths)
        let pipeline = try await takingCamera(given, &context)
        if following.event == nil { await AccountChoices(context: context).follow([pipeline]) }
        let event = try ChosenEvent(state: context.state).event(following.event, for: pipeline.event)
        var run = RunOptions(
            verb: "import", event: event, photographer: following.photographer, again: how.again, dryRun: dryRun,
            wait: wait, state: context.state)
        run.isEventOrdered = following.event != nil
        run.arrival = try following.arrival()
        // A job that a run carries out must not wait for a camera that this run holds.
        run.awaitsBusy = invocation.job == nil
        run.holdsForEvent = pipeline.event.hold && event == nil
        if dryRun { await CatalogForecast(context: context).tell(pipeline) }
        try await RunSession(context: context, options: run, errorOnEmpty: how.errorOnEmpty).run([pipeline], .once)
    }

    /// A camera replaces the pipeline's sources; the options of the module that takes it stay.
    private func takingCamera(_ pipeline: PipelineFile, _ context: inout CommandContext) async throws -> PipelineFile {
        guard let id = importing.camera else {
            guard importing.via == nil else { throw ValidationError("--via goes with --camera.") }
            return pipeline
        }
        guard importing.paths.isEmpty else { throw ValidationError("Give paths or --camera, not both.") }
        let chooser = CameraChooser(context: context)
        let state = context.state, arrival = try following.arrival()
        let choice = try await context.telling { () async throws(IngestError) in
            let isFree = StateHolder(directory: state) == nil
            do throws(IngestError) {
                return try await chooser.choose(id, via: importing.via, within: arrival, awaitingBusy: isFree)
            } catch {
                throw error.code == .deviceBusy && StateHolder(directory: state) != nil
                    ? RunSession.cameraInUse(error) : error
            }
        }
        context.buses = [choice.bus]
        var pipeline = pipeline
        pipeline.sources = [choice.use(among: pipeline.sources)]
        return pipeline
    }

    /// PATHs replace the pipeline's sources; the options of its first card source stay.
    private func takingPaths(_ pipeline: PipelineFile, _ start: UserPath) throws -> PipelineFile {
        guard !importing.paths.isEmpty else { return pipeline }
        var pipeline = pipeline
        var card =
            pipeline.sources.first { $0.module == "card" }
            ?? ModuleUse(name: "card", module: "card", node: ConfigNode(.map([])), mark: Mark())
        let paths = importing.paths.map { ConfigNode(.scalar(UserPath.literal(start.absolute($0)), quoted: true)) }
        card.node.set("paths", ConfigNode(.list(paths)))
        pipeline.sources = [card]
        return pipeline
    }
}
