import ArgumentParser
import CardSource
import ExifStage
import FilmgateCore
import FilmgateEngine

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Say what files say about themselves. Touches no state.",
        discussion: """
            EXAMPLE:
              filmgate inspect IMG_0001.CR3 ~/Pictures/2026 --json
            """)

    @Argument(help: "Files, folders, cards.", completion: .file())
    var paths: [String]

    @OptionGroup var options: CommonOptions

    func run() async throws {
        let workplace = try Workplace(options)
        let json = options.json
        let problems = try await workplace.telling { () async throws(IngestError) in
            try await Inspection(paths: paths.map { UserPath.literal(UserPath.absolute($0)) }, logger: options.logger).run {
                asset, problem in
                if let problem {
                    Console.err("\(Describe.name(asset.origin.path)): \(problem)")
                } else {
                    Console.out(json ? ItemLine.facts(of: asset) : FactsText.of(asset))
                }
            }
        }
        if problems > 0 { throw Exit(.setAside) }
    }
}
