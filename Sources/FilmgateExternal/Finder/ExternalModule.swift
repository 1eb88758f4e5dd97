public import FilmgateCore
import HTTPKit
import Logging

/// Makes a program's hello the same kind of entry that a built-in module has.
public enum ExternalModule {
    /// Starts the program at `path` for its hello and lets it go.
    ///
    /// Blocks, for seconds at worst. `misconfigured`, `unavailable`.
    public static func entry(path: String) throws(IngestError) -> ModuleEntry { try entry(try ModuleProgram(path)) }

    static func entry(_ program: ModuleProgram) throws(IngestError) -> ModuleEntry {
        let hello = try Hello.of(program), fields = hello.fields
        return ModuleEntry(
            kind: hello.kind, manifest: hello.manifest, fields: fields.map(\.description), make: make(program, hello),
            lint: { OptionReader($0, fields).errors }, references: { Array(OptionReader($0, fields).signIns.values) })
    }

    private static func make(_ program: ModuleProgram, _ hello: Hello) -> ModuleEntry.Make {
        switch hello.kind {
        case .target:
            .target { node, context, errors throws(IngestError) in
                try ExternalTarget(try Use(program, hello, node, context, &errors))
            }
        case .stage:
            .stage { node, context, errors throws(IngestError) in
                try ExternalStage(try Use(program, hello, node, context, &errors))
            }
        case .auth:
            .auth { node, context, errors throws(IngestError) in
                try ExternalAuth(try Use(program, hello, node, context, &errors))
            }
        case .source:
            .source { node, context, errors throws(IngestError) in
                try ExternalSource(try Use(program, hello, node, context, &errors))
            }
        // No hello says so: `Hello` refuses it.
        case .catalog:
            .catalog { _, _, _ throws(IngestError) in
                throw IngestError(.misconfigured, "No program can be a catalogue.")
            }
        }
    }
}

/// One use of an external module in a pipeline file: what its children are told, and what they may ask for.
struct Use: Sendable {
    let setup: Setup
    let context: ModuleContext
    let signer: RequestSigner?
    var name: String { setup.program.name }

    /// Mistakes in the node are appended; `misconfigured` when a child would be started with them.
    init(
        _ program: ModuleProgram, _ hello: Hello, _ node: ConfigNode, _ context: ModuleContext,
        _ errors: inout [ConfigError]
    ) throws(IngestError) {
        let reader = OptionReader(node, hello.fields)
        errors += reader.errors
        if let first = reader.errors.first {
            throw IngestError(.misconfigured, "`\(context.name)`: \(first.message)", advice: first.hint)
        }
        setup = Setup(
            program: program, entry: context.name, options: reader.options, secrets: reader.secrets,
            event: context.event, state: context.state)
        self.context = context
        signer = try RequestSigner(reader.signIns, hello.fields, reader.options, context)
    }

    func children(width: Int = 1, preamble: Request? = nil) -> ChildPool {
        var setup = setup
        setup.preamble = preamble
        return ChildPool(setup, width: width, context.lookup.secrets, context.logger)
    }
}
