import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateExternal

struct ModuleTest: Verb {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Test an external module with the checks that built-in modules pass.",
        discussion: """
            The options come from `test` in the module's hello and from --set. {scratch} stands for an empty folder, for a source one with \
            files in it. What is delivered is counted by asking the module (`copies`), or else in that folder.

            Secrets are canaries, values that open nothing, so that no check can give a real one away. A module that signs in somewhere gets \
            its own with --secret; '${env:NAME}' as the value is read from the environment, and nobody sees it among the processes.

            EXAMPLES:
              filmgate modules test ./filmgate-module-shelf
              filmgate modules test ./filmgate-module-gallery --secret 'key=${env:GALLERY_KEY}'
            """)

    @Argument(help: "The program.", completion: .file())
    var path: String

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("An option of the module; {scratch} stands for the folder.", valueName: "key=value"))
    var set: [String] = []

    @Option(
        name: .customLong("secret"),
        help: ArgumentHelp(
            "A secret of the module, or a reference such as ${env:NAME}; absent: a canary.", valueName: "key=value"))
    var secret: [String] = []

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        let path = invocation.paths.absolute(path), console = invocation.console
        let trial: ModuleTrial
        do throws(IngestError) { trial = try ModuleTrial(path: path) } catch {
            throw CommandContext.end(error, options, console)
        }
        let given = try set.map { text in
            guard let cut = text.firstIndex(of: "="), cut > text.startIndex else {
                throw ValidationError("--set takes key=value.")
            }
            return (String(text[..<cut]), String(text[text.index(after: cut)...]))
        }
        let bench = TrialBench(
            trial: trial, changes: given, secrets: try secrets(of: trial), logger: options.logger(console))
        var passed = 0, failed = 0, told: [String: String] = [:]
        for item in bench.cases {
            let trouble = await item.run()
            if trouble == nil { passed += 1 } else { failed += 1 }
            console.out(options.json ? json(item.name, trouble) : human(item.name, trouble, &told))
        }
        console.out(
            options.json ? summary(passed, failed) : "\(trial.entry.manifest.name): \(passed) passed, \(failed) failed")
        if failed > 0 { throw Exit(.failure) }
    }

    private func secrets(of trial: ModuleTrial) throws -> TrialSecrets {
        guard let secrets = TrialSecrets(secret) else { throw ValidationError("--secret takes key=value.") }
        let known = trial.entry.fields.filter { $0.kind == .secret }.map(\.name)
        if let name = secrets.names.first(where: { !known.contains($0) }) {
            let list = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
            throw Refusal("`\(trial.entry.manifest.name)` has no secret called `\(name)`: \(list).")
        }
        return secrets
    }

    /// One cause is written out once.
    private func human(_ name: String, _ trouble: String?, _ told: inout [String: String]) -> String {
        guard let trouble else { return "passed  \(name)" }
        if let first = told[trouble] { return "FAILED  \(name)\n        as in \"\(first)\"" }
        told[trouble] = name
        return "FAILED  \(name)\n        \(Describe.name(trouble))"
    }

    private func json(_ name: String, _ trouble: String?) -> String {
        var line = JSONWriter()
        line.add("type", "case")
        line.add("name", name)
        line.add("passed", trouble == nil)
        line.add("message", trouble)
        return line.finished
    }

    private func summary(_ passed: Int, _ failed: Int) -> String {
        var line = JSONWriter()
        line.add("type", "summary")
        line.add("passed", passed)
        line.add("failed", failed)
        return line.finished
    }
}
