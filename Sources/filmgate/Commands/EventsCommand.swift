import ArgumentParser
import FilmgateCore

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "The event that imports belong to.",
        subcommands: [List.self, Use.self, Show.self], defaultSubcommand: Show.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "The events that this state knows, the latest first.",
            discussion: """
                EXAMPLE:
                  filmgate events list --json
                """)

        @OptionGroup var options: CommonOptions

        func run() async throws {
            let workplace = try Workplace(options)
            let reader = try await workplace.readLedger()
            let runs = try await workplace.telling { () async throws(IngestError) in try await reader.runs(limit: 10_000) }
            let chosen = EventGate(state: options.stateDirectory).chosen
            var told: Set<String> = []
            for event in [chosen].compactMap({ $0 }) + runs.compactMap(\.event) where told.insert(event).inserted {
                tell(event, chosen: event == chosen, runs: runs.filter { $0.event == event }.count)
            }
        }

        private func tell(_ event: String, chosen: Bool, runs: Int) {
            guard options.json else { return Console.out((chosen ? "* " : "  ") + Describe.name(event)) }
            var line = JSONObject()
            line.add("type", "event")
            line.add("name", event)
            line.add("chosen", chosen)
            line.add("runs", runs)
            Console.out(line.finished)
        }
    }

    struct Use: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "use", abstract: "Choose the event of all imports without --event.",
            discussion: """
                EXAMPLES:
                  filmgate events use smith-wedding
                  filmgate events use --none
                """)

        @Argument(help: "The event.")
        var event: String?

        @Flag(help: "Go on without an event.")
        var none = false

        @OptionGroup var options: CommonOptions

        func run() async throws {
            guard (event == nil) == none else { throw ValidationError("Say which event, or --none.") }
            let workplace = try Workplace(options), event = try event.map(EventGate.checked)
            try await workplace.telling { () throws(IngestError) in try EventGate(state: options.stateDirectory).choose(event) }
            EventsCommand.tellChosen(event, json: options.json)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "The event that is chosen.",
            discussion: """
                EXAMPLE:
                  filmgate events show
                """)

        @OptionGroup var options: CommonOptions

        func run() async throws { EventsCommand.tellChosen(EventGate(state: options.stateDirectory).chosen, json: options.json) }
    }

    private static func tellChosen(_ event: String?, json: Bool) {
        guard json else { return Console.out(event.map { "The event is \(Describe.name($0))." } ?? "No event is chosen.") }
        var line = JSONObject()
        line.add("type", "event")
        line.add("name", event)
        line.add("chosen", event != nil)
        Console.out(line.finished)
    }
}
