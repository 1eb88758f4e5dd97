import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateLedger

/// What `import` and `plan` have in common.
struct ImportOptions: ParsableArguments {
    @Argument(help: "Cards, their dumps, or folders.", completion: .directory)
    var paths: [String] = []

    @Option(help: ArgumentHelp("Copy everything to this folder, by date; may be given several times.", valueName: "dir"))
    var to: [String] = []

    @Option(help: ArgumentHelp("The pipeline file; the paths replace its sources.", valueName: "file"))
    var pipeline: String?

    @Option(
        help: ArgumentHelp("Import from a camera: its id, serial number or model as `filmgate cameras` tells, or usb.", valueName: "id"))
    var camera: String?

    @Option(help: ArgumentHelp("With --camera: the module that takes it, such as gphoto2.", valueName: "module"))
    var via: String?

    @Option(help: "The event that the frames belong to.")
    var event: String?

    @Option(help: "Whose frames these are.")
    var photographer: String?

    @Option(name: .customLong("set"), help: ArgumentHelp("Change one value of the pipeline.", valueName: "key=value"))
    var set: [String] = []

    @Option(help: "How copies are proven: reread (from the disk itself) or size.")
    var verify: VerifyMode?

    @Flag(help: "Write an ASC MHL manifest beside the copies.")
    var mhl = false

    @Flag(help: "Take known files again; bring back what was removed at a target.")
    var again = false

    @Option(help: ArgumentHelp("Leave the rest pending after this long without progress.", valueName: "duration"))
    var wait = "2m"

    @Flag(help: "End with 9 when nothing new was delivered.")
    var errorOnEmpty = false

    /// An empty word is a variable that was not set, and never the folder that one happens to be in.
    func validate() throws {
        if to.contains("") { throw ValidationError("--to takes a folder, and was given nothing.") }
        if paths.contains("") { throw ValidationError("A card or folder is an empty word.") }
        if pipeline == "" { throw ValidationError("--pipeline takes a file, and was given nothing.") }
    }
}

enum VerifyMode: String, ExpressibleByArgument, CaseIterable { case reread, size }

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a memory card, its dump, or what is on a camera.",
        discussion: """
            EXAMPLES:
              filmgate import /media/ann/EOS_DIGITAL --to ~/Pictures --to /mnt/backup
              filmgate import CARD1 CARD2 --pipeline wedding.yaml --event smith --json
              filmgate import --camera usb --to ~/Pictures
            """)

    @OptionGroup var importing: ImportOptions
    @OptionGroup var options: CommonOptions

    @Flag(help: "Say what would happen and write nothing.")
    var dryRun = false

    func run() async throws { try await ImportRun(importing: importing, options: options, dryRun: dryRun).run() }
}

struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Say what an import would do: fetch, skip and why, deliver where. Writes nothing.",
        discussion: """
            EXAMPLE:
              filmgate plan /media/ann/EOS_DIGITAL --to ~/Pictures
            """)

    @OptionGroup var importing: ImportOptions
    @OptionGroup var options: CommonOptions

    func run() async throws { try await ImportRun(importing: importing, options: options, dryRun: true).run() }
}

/// Makes the pipeline that was asked for and runs it.
struct ImportRun {
    let importing: ImportOptions
    let options: CommonOptions
    let dryRun: Bool

    func run() async throws {
        var workplace = try Workplace(options)
        guard let wait = Duration(text: importing.wait) else { throw ValidationError("--wait takes a duration such as 30s or 2m.") }
        let pipeline = try await takingCamera(try takingPaths(try pipeline(workplace)), &workplace)
        let event = try EventGate(state: options.stateDirectory).event(importing.event, for: pipeline.event)
        var run = RunOptions(
            verb: "import", event: event, photographer: importing.photographer, again: importing.again, dryRun: dryRun,
            wait: wait, state: options.stateDirectory)
        run.holdsForEvent = pipeline.event.hold && event == nil
        try await RunSession(workplace: workplace, options: run, errorOnEmpty: importing.errorOnEmpty).run(pipeline)
    }

    /// The pipeline that the options name or describe.
    func pipeline(_ workplace: Workplace) throws -> PipelineFile {
        let overrides = try importing.set.map { text in
            guard let override = Override(text) else {
                throw ValidationError("--set takes key=value, such as --set stages.select.min_rating=3.")
            }
            return override
        }
        if let file = importing.pipeline {
            guard importing.to.isEmpty else {
                throw ValidationError("--to and --pipeline exclude each other: the pipeline names the targets.")
            }
            return proving(try workplace.load(file, overrides: overrides))
        }
        guard !importing.to.isEmpty else { throw ValidationError("Say where to: --to DIR, or --pipeline FILE.") }
        guard !importing.paths.isEmpty || importing.camera != nil else {
            throw ValidationError("Say what to import: the path of a card or a folder, or --camera ID.")
        }
        let node = BuiltinPipeline.importing(
            to: importing.to.map(UserPath.absolute), verify: (importing.verify ?? .reread).rawValue, mhl: importing.mhl)
        return try workplace.checked(workplace.loader(overrides: overrides).load(node: node))
    }

    /// `--verify` and `--mhl` with a pipeline: for every target that knows those options.
    private func proving(_ pipeline: PipelineFile) -> PipelineFile {
        var pipeline = pipeline
        for index in pipeline.targets.indices where pipeline.targets[index].module == "folder" {
            if let verify = importing.verify { pipeline.targets[index].node.set("verify", verify.rawValue) }
            if importing.mhl { pipeline.targets[index].node.set("mhl", "true") }
        }
        return pipeline
    }

    /// A camera replaces the pipeline's sources; the options of the module that takes it stay.
    private func takingCamera(_ pipeline: PipelineFile, _ workplace: inout Workplace) async throws -> PipelineFile {
        guard let id = importing.camera else {
            guard importing.via == nil else { throw ValidationError("--via goes with --camera.") }
            return pipeline
        }
        guard importing.paths.isEmpty else { throw ValidationError("Paths and --camera exclude each other.") }
        let chooser = CameraChooser(workplace: workplace)
        let state = options.stateDirectory
        let choice = try await workplace.telling { () async throws(IngestError) in
            do throws(IngestError) { return try await chooser.choose(id, via: importing.via) } catch {
                throw error.code == .deviceBusy && StateHolder(directory: state) != nil ? RunSession.cameraInUse(error) : error
            }
        }
        workplace.buses = [choice.bus]
        var pipeline = pipeline
        pipeline.sources = [choice.use(among: pipeline.sources)]
        return pipeline
    }

    /// PATHs replace the pipeline's sources; the options of its first card source stay.
    private func takingPaths(_ pipeline: PipelineFile) throws -> PipelineFile {
        guard !importing.paths.isEmpty else { return pipeline }
        var pipeline = pipeline
        var card =
            pipeline.sources.first { $0.module == "card" }
            ?? ModuleUse(name: "card", module: "card", node: ConfigNode(.map([])), mark: Mark())
        let paths = importing.paths.map { ConfigNode(.scalar(UserPath.literal(UserPath.absolute($0)), quoted: true)) }
        card.node.set("paths", ConfigNode(.list(paths)))
        pipeline.sources = [card]
        return pipeline
    }
}
