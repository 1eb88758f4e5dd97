import ArgumentParser
import CardSource
import ExifStage
import FileKit
import FilmgateCore
import FilmgateEngine
import FilmgateReport

struct InspectCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Show what files say about themselves. Neither reads nor writes the ledger.",
        discussion: """
            EXAMPLE:
              filmgate inspect IMG_0001.CR3 ~/Pictures/2026 --json
            """)

    @Argument(help: "Files, folders, cards.", completion: .file())
    var paths: [String]

    @OptionGroup var options: CommonOptions

    func validate() throws {
        if paths.contains("") { throw ValidationError("The path of a file or folder is empty.") }
    }

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation), json = options.json, console = context.console
        var problems = 0
        for path in paths {
            let pattern = UserPath.literal(invocation.paths.absolute(path)), told = FirstAsset()
            problems += try await context.telling { () async throws(IngestError) in
                try await Inspection(paths: [pattern], logger: context.logger).run { asset, problem in
                    told.note(asset)
                    if let problem {
                        console.err("\(Describe.name(asset.origin.path)): \(problem)")
                    } else {
                        console.out(json ? ItemLine.facts(of: asset) : FactsText.of(asset))
                    }
                }
            }
            if told.first == nil { problems += try tellNothing(at: path, invocation) }
        }
        if problems > 0 { throw Exit(.setAside) }
    }

    /// Nothing was told of it: a file that is named is no media file, a folder holds none.
    private func tellNothing(at path: String, _ invocation: Invocation) throws -> Int {
        let whole = FileSystem.canonical(invocation.paths.absolute(path))
        let isFolder = (try? FileFacts.of(whole))??.kind == .directory
        let words =
            isFolder
            ? "\(path) holds no media files." : "\(path) is no media file: its name and kind are unknown to Filmgate."
        invocation.console.tell(IngestError(.rejected, words), json: options.json)
        return isFolder ? 0 : 1
    }
}
