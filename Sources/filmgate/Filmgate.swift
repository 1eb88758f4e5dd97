import ArgumentParser
import FileKit
import FilmgateCore
import FilmgateEngine
import Glibc

/// The command line; the only place that knows every module.
@main
struct Filmgate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "filmgate",
        abstract:
            "Copies every photo and clip from cards and cameras to your folders and galleries, and verifies every copy.",
        discussion: """
            EXAMPLES:
              filmgate import /media/ann/EOS_DIGITAL --to ~/Pictures
              filmgate import /media/ann/EOS_DIGITAL --pipeline wedding.yaml --event smith
              filmgate safe-to-format /media/ann/EOS_DIGITAL

            EXIT CODES: 0 complete, 1 unexpected failure, 2 usage, 3 finished with files set aside, 4 sign-in needed or refused, \
            5 source not found or lost, 6 verification mismatch, 7 disk or target full, 8 not proven, 9 nothing to do, \
            10 another instance holds the state, 78 pipeline invalid, 130/143 signals.
            """,
        version: "0.1.0",
        subcommands: [
            ImportCommand.self, WatchCommand.self, RunCommand.self, PauseCommand.self, ResumeCommand.self,
            PlanCommand.self, InspectCommand.self, CheckCommand.self, ModulesCommand.self, SchemaCommand.self,
            ProfileCommand.self, LoginCommand.self, LogoutCommand.self, WhoamiCommand.self, StatusCommand.self,
            HistoryCommand.self, RetryCommand.self, AssignCommand.self, CancelCommand.self, MarkCommand.self,
            EventsCommand.self,
            VerifyCommand.self, SafeToFormatCommand.self, CatalogCommand.self, StationsCommand.self,
            StudioCommand.self,
            CamerasCommand.self, ClockCommand.self, DemoCommand.self, SampleCommand.self, CameraCommand.self,
            DoctorCommand.self,
        ])

    /// Usage mistakes end with 2 (ArgumentParser's own code is 64); everything else with the code that the verb threw.
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        // No file that is opened may become a stream that was closed: words would go into it.
        for stream: CInt in 0...2 where fcntl(stream, F_GETFD) < 0 {
            _ = open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY)
        }
        HeapMemory.keepSteady()
        // A dump of this program's memory would hold tokens. 1 also keeps those away that are piped to a collector
        // (core(5)).
        var none = rlimit(rlim_cur: 1, rlim_max: 1)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        Glibc.exit(Console.status(after: await carryOut(nil, Invocation())))
    }

    /// Does what a command line says and returns its exit code; nil = this process's own.
    ///
    /// JSON Lines end with a summary: verbs that count files write their own, for the others and after errors it is
    /// written here.
    static func carryOut(_ arguments: [String]?, _ invocation: Invocation) async -> Int32 {
        let console = invocation.console
        // What cannot be parsed says by its words whether JSON was asked for.
        let words = arguments ?? Array(CommandLine.arguments.dropFirst())
        var writesLines = words.contains("--json"), status = ExitStatus.complete
        var verb: any ParsableCommand.Type = Filmgate.self
        do {
            if arguments == nil { try requireText() }
            var command = try parseAsRoot(arguments)
            verb = type(of: command)
            writesLines = Self.writesLines(command)
            if let command = command as? any Verb {
                try await command.run(in: invocation)
            } else if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let exit as Exit {
            status = exit.code
        } catch let refusal as Refusal {
            status = .usage
            let error = IngestError(.misconfigured, refusal.message)
            console.tell(error, json: false)
            if writesLines { console.tell(error, json: true) }
        } catch {
            let slip = unknownVerb(words) ?? unknownOption(words, besides: error)
            status = tell(slip?.error ?? error, in: slip?.verb ?? verb, json: writesLines, console)
            if status == .complete { writesLines = false }
        }
        if writesLines, !console.hasSummary { console.out(SummaryLine.json(RunOutcome(), exit: status)) }
        return status.rawValue
    }

    /// Arguments are read as text, and bytes that are none would be taken for another path: that of a folder which may
    /// exist.
    private static func requireText() throws(Refusal) {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[index], String(validatingCString: bytes) == nil else { continue }
            throw Refusal(
                "\(Describe.name(String(cString: bytes))) is not UTF-8, and no command takes such an argument. "
                    + "Name the folder above it, or a link to it: `ln -s`.")
        }
    }

    private static func writesLines(_ command: any ParsableCommand) -> Bool {
        Mirror(reflecting: command).children.contains {
            ($0.value as? OptionGroup<CommonOptions>)?.wrappedValue.json == true
        }
    }

    /// What is wrong with a command line that begins with no verb, or goes on with none where a verb has verbs of its
    /// own; and whose usage helps.
    private static func unknownVerb(
        _ words: [String]
    ) -> (error: ValidationError, verb: any ParsableCommand.Type)? {
        guard let word = words.first else { return nil }
        if word == "version" {
            return (ValidationError("There is no command called version. Did you mean --version?"), Filmgate.self)
        }
        if word.hasPrefix("--") {
            guard !["--version", "--help"].contains(word), let near = nearest(word, among: ["--version", "--help"])
            else { return nil }
            return (ValidationError("Unknown option \(Describe.name(word)). Did you mean \(near)?"), Filmgate.self)
        }
        guard !word.hasPrefix("-"), word != "help" else { return nil }
        guard let verb = configuration.subcommands.first(where: { $0._commandName == word }) else {
            let hint = nearVerb(word, of: Filmgate.self) ?? "`filmgate --help` lists them."
            return (ValidationError("There is no command called \(Describe.name(word)). \(hint)"), Filmgate.self)
        }
        let own = verb.configuration.subcommands.map { $0._commandName }
        guard words.count > 1, !own.isEmpty, !words[1].hasPrefix("-"), !own.contains(words[1]) else { return nil }
        guard let error = slip(words[1], below: verb) else { return nil }
        return (error, verb)
    }

    /// What is wrong with a word behind a verb that is none of its own verbs; nil where it may be something else.
    static func slip(_ word: String, below verb: any ParsableCommand.Type) -> ValidationError? {
        let list = verb.configuration.defaultSubcommand == nil ? "`\(name(of: verb)) --help` lists them." : nil
        guard let hint = nearVerb(word, of: verb) ?? list else { return nil }
        return ValidationError("There is no command called \(verb._commandName) \(Describe.name(word)). \(hint)")
    }

    private static func nearVerb(_ word: String, of verb: any ParsableCommand.Type) -> String? {
        nearest(word, among: verb.configuration.subcommands.map { $0._commandName }).map { "Did you mean \($0)?" }
    }

    /// Help goes to stdout; a mistake in the words to stderr, and with `--json` as an `error` object to stdout too.
    ///
    /// `verb`: what the words asked for.
    private static func tell(
        _ error: any Error, in verb: any ParsableCommand.Type, json: Bool, _ console: Console
    ) -> ExitStatus {
        if exitCode(for: error) == .success {
            console.out(fullMessage(for: error))
            return .complete
        }
        // One style for all errors; the library's own differs by a letter.
        let text = fullText(of: error, in: verb)
        console.err(text.hasPrefix("Error: ") ? "e" + text.dropFirst() : text)
        if json { console.tell(IngestError(.misconfigured, message(for: error)), json: true) }
        return .usage
    }

    /// What a verb finds wrong once it runs is told with that verb's usage, as what the parser finds is; the library
    /// knows only the program's.
    private static func fullText(of error: any Error, in verb: any ParsableCommand.Type) -> String {
        guard error is ValidationError, verb != Filmgate.self else { return fullMessage(for: error) }
        let usage = usageString(for: verb)
        return "Error: \(message(for: error))\nUsage: \(usage)\n  See '\(name(of: verb)) --help' for more information."
    }

    /// `filmgate profile show`.
    private static func name(of verb: any ParsableCommand.Type) -> String {
        func path(from command: any ParsableCommand.Type) -> [String]? {
            if command == verb { return [command._commandName] }
            return command.configuration.subcommands.lazy.compactMap { path(from: $0) }.first.map {
                [command._commandName] + $0
            }
        }
        return (path(from: Filmgate.self) ?? [_commandName]).joined(separator: " ")
    }
}
