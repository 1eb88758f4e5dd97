import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateExternal

struct ModuleTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Test an external module with the checks that built-in modules pass.",
        discussion: """
            The options come from `test` in the module's hello and from --set. {scratch} stands for an empty folder, for a source one with \
            files in it. What is delivered is counted by asking the module (`copies`), or else in that folder.

            EXAMPLE:
              filmgate modules test ./filmgate-module-shelf
            """)

    @Argument(help: "The program.", completion: .file())
    var path: String

    @Option(
        name: .customLong("set"), help: ArgumentHelp("An option of the module; {scratch} stands for the folder.", valueName: "key=value"))
    var set: [String] = []

    @OptionGroup var options: CommonOptions

    func run() async throws {
        let path = UserPath.absolute(path)
        let trial: ModuleTrial
        do throws(IngestError) { trial = try ModuleTrial(path: path) } catch { throw Workplace.end(error, options) }
        let given = try set.map { text in
            guard let cut = text.firstIndex(of: "="), cut > text.startIndex else { throw ValidationError("--set takes key=value.") }
            return (String(text[..<cut]), String(text[text.index(after: cut)...]))
        }
        let bench = TrialBench(trial: trial, changes: given, logger: options.logger)
        var passed = 0, failed = 0
        for item in bench.cases {
            let trouble = await item.run()
            if trouble == nil { passed += 1 } else { failed += 1 }
            Console.out(options.json ? json(item.name, trouble) : human(item.name, trouble))
        }
        Console.out(options.json ? summary(passed, failed) : "\(trial.entry.manifest.name): \(passed) passed, \(failed) failed")
        if failed > 0 { throw Exit(.failure) }
    }

    private func human(_ name: String, _ trouble: String?) -> String {
        trouble.map { "FAILED  \(name)\n        \(Describe.name($0))" } ?? "passed  \(name)"
    }

    private func json(_ name: String, _ trouble: String?) -> String {
        var line = JSONObject()
        line.add("type", "case")
        line.add("name", name)
        line.add("passed", trouble == nil)
        line.add("message", trouble)
        return line.finished
    }

    private func summary(_ passed: Int, _ failed: Int) -> String {
        var line = JSONObject()
        line.add("type", "summary")
        line.add("passed", passed)
        line.add("failed", failed)
        return line.finished
    }
}
