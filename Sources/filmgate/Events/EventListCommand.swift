import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateReport

extension EventsCommand {
    struct List: Verb {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "The events of the galleries, and those of earlier runs.",
            discussion: """
                A gallery's list is kept for half a minute per account; when the gallery cannot be asked, the last one is shown. Signing out \
                forgets it. With --watch the galleries are asked again and again, after 2 seconds and then ever less often up to a minute, and \
                what has changed is told, until stopped; a run keeps the event that it began with.

                EXAMPLES:
                  filmgate events list wedding.yaml
                  filmgate events list --json --refresh
                """)

        @Argument(help: "The pipeline; absent: the ones used before.", completion: .file(extensions: ["yaml", "yml"]))
        var pipeline: String?

        @Option(name: .customLong("pipeline"), help: ArgumentHelp("Same as PIPELINE.", valueName: "file"))
        var namedPipeline: String?

        @Flag(help: "Ask the galleries even when their lists are fresh.")
        var refresh = false

        @Flag(help: "Print what changes, until stopped.")
        var watch = false

        @Option(help: "How many events of each gallery to show at most.")
        var limit = 1000

        @OptionGroup var options: CommonOptions

        func validate() throws {
            guard (1...100_000).contains(limit) else { throw ValidationError("--limit is between 1 and 100000.") }
            guard pipeline == nil || namedPipeline == nil else { throw ValidationError("Name the pipeline once.") }
        }

        func run(in invocation: Invocation) async throws {
            let pipeline = pipeline ?? namedPipeline
            let context = try CommandContext(options, invocation), gate = ChosenEvent(state: context.state)
            let galleries = EventDirectories(context: context, limit: limit)
            let pipelines = try EventsCommand.pipelines(pipeline, context)
            let directories = try await context.telling { () async throws(IngestError) in
                try await galleries.directories(pipelines)
            }
            let runs = try await earlierRuns(context, mayBeNone: pipeline != nil)
            var told: Set<String> = [], failed: IngestError?, lists: [Int: EventList] = [:]
            for (index, directory) in directories.enumerated() {
                guard let answer = await galleries.answer(directory, refresh: refresh) else { continue }
                if let trouble = answer.trouble {
                    failed = failed ?? (answer.list == nil ? trouble : nil)
                    context.console.tell(
                        IngestError(trouble.code, "\(answer.target): \(trouble.message)", advice: trouble.advice),
                        json: options.json)
                }
                lists[index] = answer.list
                for item in answer.list?.events ?? [] {
                    guard let label = answer.list?.label(item) else { continue }
                    told.insert(label)
                    var line = EventLine(name: label, chosen: label == gate.chosen, runs: runs[label] ?? 0)
                    (line.target, line.id, line.date, line.note) = (answer.target, item.id, item.date, item.note)
                    line.fetched = answer.list?.fetched
                    tell(line, context.console)
                }
            }
            for event in ([gate.chosen].compactMap { $0 } + runs.keys.sorted()) where told.insert(event).inserted {
                tell(EventLine(name: event, chosen: event == gate.chosen, runs: runs[event] ?? 0), context.console)
            }
            if watch {
                let following = EventFollowing(galleries: galleries, directories: directories, json: options.json)
                failed = await following.follow(lists)
            }
            if let failed { throw Exit(Failure.exitCode(failed)) }
        }

        /// How many runs each event had.
        private func earlierRuns(_ context: CommandContext, mayBeNone: Bool) async throws -> [String: Int] {
            let reader = try await context.readLedger(mustExist: !mayBeNone)
            let runs = try await context.telling { () async throws(IngestError) in
                try await reader.runs(limit: 10_000)
            }
            return runs.compactMap(\.event).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }

        private func tell(_ line: EventLine, _ console: Console) {
            if options.json { return console.out(line.object.finished) }
            let facts = [line.date.map { String($0.prefix(10)) }, line.note, line.target].compactMap { $0 }
            let rest = facts.isEmpty ? "" : "  (\(facts.joined(separator: ", ")))"
            console.out(Describe.name((line.chosen ? "* " : "  ") + line.name + rest))
        }
    }
}
