import ArgumentParser
import FilmgateEngine

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of pipeline files, for editors.",
        discussion: """
            EXAMPLE:
              filmgate schema > filmgate.schema.json
              # then, first line of a pipeline: # yaml-language-server: $schema=./filmgate.schema.json
            """)

    @OptionGroup var options: CommonOptions

    func run() async throws { Console.out(PipelineSchema.json(registry: try Workplace(options).registry)) }
}
