import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateExternal

struct SchemaCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of pipeline files, for editors.",
        discussion: """
            EXAMPLE:
              filmgate schema > filmgate.schema.json
              # then, first line of a pipeline: # yaml-language-server: $schema=./filmgate.schema.json
            """)

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation)
        let programs = context.programs.all().compactMap { try? $0.module.get() }
        let registry = (try? ModuleRegistry(context.registry.entries + programs)) ?? context.registry
        let lines = PipelineSchema.json(registry: registry).split(separator: "\n")
        // Line breaks stand between values only, so that the document is the same on one line.
        context.console.out(
            options.json
                ? "{\"type\":\"schema\",\"schema\":" + lines.map { $0.drop { $0 == " " } }.joined() + "}"
                : lines.joined(separator: "\n"))
    }
}
