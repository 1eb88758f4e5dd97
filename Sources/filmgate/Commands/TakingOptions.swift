import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine

/// How `import`, `plan` and `watch` take what they find, and where to.
///
/// No group of options is a part of another one: in a debug build ArgumentParser checks a group within a group so often
/// that reading the command line takes most of a second.
struct TakingOptions: ParsableArguments {
    @Option(
        name: [.long, .customLong("out"), .customLong("output"), .customLong("dest")],
        help: ArgumentHelp("Copy everything to this folder, by date; may be given several times.", valueName: "dir"))
    var to: [String] = []

    @Option(help: ArgumentHelp("The pipeline file; the paths replace its sources.", valueName: "file"))
    var pipeline: String?

    @Option(
        help: ArgumentHelp(
            "How copies are proven: reread (from the disk itself) or size. (default: reread, or what the pipeline says)",
            valueName: "how"))
    var verify: VerifyMode?

    @Flag(help: "Write an ASC MHL manifest beside the copies.")
    var mhl = false

    @Flag(help: "Take known files again; bring back what was removed at a target.")
    var again = false

    @Flag(help: "Exit with status 9 when nothing new was delivered.")
    var errorOnEmpty = false

    func validate() throws {
        if to.contains("") { throw ValidationError("--to needs a folder.") }
        for folder in to { try UserPath.refuseOthersHome(folder, "--to") }
        if pipeline == "" { throw ValidationError("--pipeline needs a file.") }
    }

    /// The pipeline that the options name or describe.
    func load(_ context: CommandContext, _ following: PipelineOptions) throws -> PipelineFile {
        let overrides = try following.overrides()
        if let file = pipeline {
            guard to.isEmpty else {
                throw ValidationError("Give --to or --pipeline, not both: the pipeline names the targets.")
            }
            return proving(try context.load(file, overrides: overrides))
        }
        guard !to.isEmpty else { throw ValidationError("Say where the files go: --to DIR, or --pipeline FILE.") }
        let start = context.invocation.paths
        try refuseNested(from: start)
        let node = BuiltinPipeline.importing(
            to: to.map(start.absolute), verify: (verify ?? .reread).rawValue, mhl: mhl)
        return try context.checked(context.loader(overrides: overrides).load(node: node))
    }

    /// A copy inside the folder of another one passes for a second copy, and goes with the first when that is moved or
    /// deleted.
    ///
    /// Another disk that is mounted inside the first folder is another place.
    private func refuseNested(from start: UserPath) throws {
        for outer in to {
            for inner in to
            where inner != outer && FileSystem.encloses(start.absolute(outer), start.absolute(inner)) {
                let (above, below) = (start.absolute(outer), start.absolute(inner))
                guard !FileSystem.isOneFolder(above, below), FileSystem.same(above, below) else { continue }
                throw ValidationError(
                    "--to \(Describe.name(inner)) lies inside --to \(Describe.name(outer)), on the same disk: the second copy would be a part "
                        + "of the first. Name folders that lie beside each other, best on two disks.")
            }
        }
    }

    /// `--verify` and `--mhl` with a pipeline: for every target that knows those options.
    private func proving(_ pipeline: PipelineFile) -> PipelineFile {
        var pipeline = pipeline
        for index in pipeline.targets.indices where pipeline.targets[index].module == "folder" {
            if let verify = verify { pipeline.targets[index].node.set("verify", verify.rawValue) }
            if mhl { pipeline.targets[index].node.set("mhl", "true") }
        }
        return pipeline
    }
}
