import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateExternal

struct ModulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "modules",
        abstract: "List the registered modules, or one with its options; try out an external one.",
        discussion: """
            External modules are programs called filmgate-module-NAME on the search path, in ~/.local/lib/filmgate/modules or in \
            /usr/lib/filmgate/modules.

            EXAMPLES:
              filmgate modules folder
              filmgate modules test ./filmgate-module-shelf
            """,
        subcommands: [ModuleList.self, ModuleTest.self], defaultSubcommand: ModuleList.self)
}

struct ModuleList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the registered modules, or one with its options.",
        discussion: """
            EXAMPLE:
              filmgate modules list folder --json
            """)

    @Argument(help: "A module's name.")
    var name: String?

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let context = try CommandContext(options, invocation), registry = context.registry, console = context.console
        guard let name else {
            for entry in registry.entries { console.out(options.json ? json(entry) : line(entry)) }
            return listPrograms(context)
        }
        var found = registry.entries.filter { $0.manifest.name == name }
        if let outside = registry.stranger(name) {
            found = [try await context.telling { () throws(IngestError) in try outside.get() }]
        }
        guard !found.isEmpty else {
            let hint =
                nearest(name, among: registry.entries.map(\.manifest.name)).map { " Did you mean `\($0)`?" } ?? ""
            throw Refusal("There is no module called `\(name)`.\(hint)")
        }
        for entry in found { console.out(options.json ? json(entry) : page(entry)) }
    }

    /// Programs that are modules; one that does not work is told of and does not hide the others.
    private func listPrograms(_ context: CommandContext) {
        for (name, module) in context.programs.all()
        where !context.registry.entries.contains(where: { $0.manifest.name == name }) {
            switch module {
            case .success(let entry): context.console.out(options.json ? json(entry) : line(entry))
            case .failure(let error): context.console.tell(error, json: options.json)
            }
        }
    }

    private func line(_ entry: ModuleEntry) -> String {
        let manifest = entry.manifest
        return pad(entry.kind.rawValue, 8) + pad(manifest.name, 10) + pad(manifest.stability.rawValue, 14)
            + manifest.summary
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private func page(_ entry: ModuleEntry) -> String {
        var lines = [
            "\(entry.manifest.name) (\(entry.kind.rawValue), \(entry.manifest.stability.rawValue))",
            entry.manifest.summary,
        ]
        for field in ModuleOptions.flat(entry.fields) {
            let limits = [field.required ? "required" : nil, field.defaultText.map { "default \($0)" }, field.range]
                .compactMap { $0 }
            lines.append(
                "  \(field.name): \(ModuleOptions.word(field.kind))\(limits.isEmpty ? "" : " (\(limits.joined(separator: ", ")))")"
            )
            lines.append("      \(field.help)")
        }
        return lines.joined(separator: "\n")
    }

    private func json(_ entry: ModuleEntry) -> String {
        var object = JSONWriter()
        object.add("type", "module")
        object.add("kind", entry.kind.rawValue)
        object.add("name", entry.manifest.name)
        object.add("summary", entry.manifest.summary)
        object.add("stability", entry.manifest.stability.rawValue)
        object.add("needs", entry.manifest.needs.map(\.rawValue).sorted())
        object.add("gives", entry.manifest.gives.map(\.rawValue).sorted())
        object.add(
            "options",
            objects: ModuleOptions.flat(entry.fields).map { field in
                var option = JSONWriter()
                option.add("name", field.name)
                option.add("kind", ModuleOptions.word(field.kind))
                option.add("required", field.required)
                option.add("default", field.defaultText)
                option.add("range", field.range)
                option.add("help", field.help)
                return option
            })
        return object.finished
    }
}
