import ArgumentParser
import FilmgateCore
import FilmgateEngine

struct PauseCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Let the active run take nothing new for a while; deliveries continue.",
        discussion: """
            Cameras are not read. What comes into watched folders and by FTP is noted and taken once, after `filmgate resume`.

            EXAMPLE:
              filmgate pause
            """)

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        try Pause(options: options, invocation: invocation).set(true)
    }
}

struct ResumeCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let a paused run continue, with what came in the meantime.",
        discussion: """
            EXAMPLE:
              filmgate resume
            """)

    @OptionGroup var options: CommonOptions

    func run(in invocation: Invocation) async throws {
        try Pause(options: options, invocation: invocation).set(false)
    }
}

/// Asks the run that holds the state, which does it in its own process.
private struct Pause {
    let options: CommonOptions, invocation: Invocation

    func set(_ on: Bool) throws {
        guard let job = invocation.job else { return try handOver() }
        let isNew = job.services.liveStatus.pause(on), console = invocation.console
        if options.json { return console.out(Self.json(on)) }
        switch (on, isNew) {
        case (true, true):
            console.out("Paused: nothing new is taken; deliveries continue. `filmgate resume` ends the pause.")
        case (true, false): console.out("It is paused already.")
        case (false, true): console.out("Resumed: new files are taken again.")
        case (false, false): console.out("It was not paused.")
        }
    }

    static func json(_ on: Bool) -> String {
        var line = JSONWriter()
        line.add("type", "status")
        line.add("paused", on)
        return line.finished
    }

    private func handOver() throws {
        let state = options.stateDirectory(from: invocation.paths)
        if let code = ControlClient.handOver(Array(CommandLine.arguments.dropFirst()), state: state, invocation) {
            throw Exit(ExitStatus(rawValue: code) ?? .failure)
        }
        throw CommandContext.end(
            IngestError(
                .notFound, "No run uses the state directory \(state).",
                advice: "Start one with `filmgate run`, or say which with --state."),
            options, invocation.console)
    }
}
