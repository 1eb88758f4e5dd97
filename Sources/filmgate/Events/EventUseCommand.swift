import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateLedger

extension EventsCommand {
    struct Use: Verb {
        static let configuration = CommandConfiguration(
            commandName: "use", abstract: "Choose the event of all imports without --event.",
            discussion: """
                By its name, or by its id at a gallery. A run that has begun keeps the event that it began with, unless --now lets it begin \
                anew: then what it takes from now on is the event's, and what it took before stays with the earlier one.

                EXAMPLES:
                  filmgate events use smith-wedding
                  filmgate events use --now smith-party
                  filmgate events use --none
                """)

        @Argument(help: "The event: its name, or its id at a gallery.")
        var event: String?

        @Option(help: ArgumentHelp("The pipeline; absent: the ones used before.", valueName: "file"))
        var pipeline: String?

        @Flag(help: "Go on without an event.")
        var none = false

        @Flag(help: "Also restart the active run with this event, now.")
        var now = false

        @OptionGroup var options: CommonOptions

        func run(in invocation: Invocation) async throws {
            guard (event == nil) == none else { throw ValidationError("Say which event, or --none.") }
            guard !now || !none else {
                throw ValidationError(
                    "A run goes on with an event: --now does not go with --none. "
                        + "Say --none alone, then stop the run and start it again without --event.")
            }
            if now, invocation.job == nil { try handOver(invocation) }
            let context = try CommandContext(options, invocation), given = try event.map(ChosenEvent.checked)
            let (name, ids) =
                if let given { try await found(given, context) } else { (nil as String?, [ChosenEvent.ChosenID]()) }
            let gate = ChosenEvent(state: context.state)
            if now, let name, let job = invocation.job {
                try await context.telling { () async throws(IngestError) in
                    try await Self.switchRun(of: job, to: name, invocation) { () throws(IngestError) in
                        try gate.choose(name, ids: ids)
                    }
                }
            } else {
                try await context.telling { () throws(IngestError) in try gate.choose(name, ids: ids) }
                if now { context.console.err("No run is active: the next one has this event.") }
            }
            let pipelines = try EventsCommand.pipelines(pipeline, context)
            await AccountChoices(context: context).follow(pipelines, chosen: .event)
            EventsCommand.tellChosen(gate, json: options.json, context.console)
        }

        /// The run that goes on does it itself; returns where there is none.
        private func handOver(_ invocation: Invocation) throws {
            let state = options.stateDirectory(from: invocation.paths)
            guard StateHolder(directory: state) != nil else { return }
            let arguments = Array(CommandLine.arguments.dropFirst())
            if let code = ControlClient.handOver(arguments, state: state, invocation) {
                throw Exit(ExitStatus(rawValue: code) ?? .failure)
            }
            let error = IngestError(
                .stateLocked, "The active command cannot change its event.",
                advice: "Choose the event without --now; imports end by themselves, and the next one has it.")
            throw CommandContext.end(error, options, invocation.console)
        }

        /// What the run cannot go on with is not chosen: the next one would begin with it.
        private static func switchRun(
            of job: HostedJob, to event: String, _ invocation: Invocation,
            _ choose: @Sendable () throws(IngestError) -> Void
        ) async throws(IngestError) {
            let services = job.services
            try await services.switching.begin(with: event, invocation) { () throws(IngestError) in
                try choose()
                services.liveStatus.begin(event: event)
            }
            services.changes.noteRun()
        }

        /// The event's name and its ids at the galleries that know it; a name that none knows is taken as it is.
        private func found(_ given: String, _ context: CommandContext) async throws -> (String?, [ChosenEvent.ChosenID])
        {
            let galleries = EventDirectories(context: context)
            let pipelines = try EventsCommand.pipelines(pipeline, context)
            let directories = try await context.telling { () async throws(IngestError) in
                try await galleries.directories(pipelines)
            }
            var names: Set<String> = [], ids: [ChosenEvent.ChosenID] = [], asked = 0
            for directory in directories {
                var answer = await galleries.answer(directory, refresh: false)
                // It may be younger than the list, or beyond where that was cut.
                if answer?.list?.find(given) == nil, answer?.trouble == nil {
                    answer = await galleries.answer(directory, refresh: true, seeking: [given])
                }
                guard let answer else { continue }
                if let trouble = answer.trouble {
                    context.console.err(
                        Describe.name("\(answer.target) could not be asked for its events: \(trouble.message)"))
                }
                guard let list = answer.list else { continue }
                asked += 1
                try refuseUnsure(given, list)
                guard let item = list.find(given) else { continue }
                ids += directory.places.map { ChosenEvent.ChosenID(place: $0, account: list.account, id: item.id) }
                names.insert(list.label(item))
            }
            if names.isEmpty, asked > 0 {
                context.console.err("No gallery knows \(Describe.name(given)); it is taken as it is.")
            }
            return (names.count == 1 ? names.first : given, ids)
        }

        private func refuseUnsure(_ given: String, _ list: EventList) throws {
            let same = list.events.filter { $0.name == given }
            guard same.count > 1, list.find(given) == nil else { return }
            let choices = same.map { "\($0.id)\($0.date.map { " (\($0.prefix(10)))" } ?? "")" }.joined(separator: ", ")
            throw Refusal(
                "Several events are named \(Describe.name(given)): say which by its id, \(Describe.name(choices)).")
        }
    }
}
