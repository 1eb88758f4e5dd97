import ArgumentParser
import FilmgateCore
import FilmgateEngine

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "The event that imports belong to, and those that the galleries have.",
        subcommands: [List.self, Use.self, Show.self], defaultSubcommand: Show.self)

    struct Show: Verb {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "The event that is chosen.",
            discussion: """
                EXAMPLE:
                  filmgate events show
                """)

        @OptionGroup var options: CommonOptions

        func run(in invocation: Invocation) async throws {
            let state = options.stateDirectory(from: invocation.paths)
            do throws(IngestError) { try StateAccess(state, options).check(mustExist: true) } catch {
                throw CommandContext.end(error, options, invocation.console)
            }
            EventsCommand.tellChosen(ChosenEvent(state: state), json: options.json, invocation.console)
        }
    }

    static func tellChosen(_ gate: ChosenEvent, json: Bool, _ console: Console) {
        let event = gate.chosen
        guard json else {
            console.out(event.map { "The event is \(Describe.name($0))." } ?? "No event is chosen.")
            for (gallery, id) in shownIDs(gate) { console.out("  \(Describe.name("\(gallery): \(id)"))") }
            return
        }
        var line = JSONWriter(), ids = JSONWriter()
        for (gallery, id) in shownIDs(gate) { ids.add(gallery, id) }
        line.add("type", "event")
        line.add("name", event)
        line.add("chosen", event != nil)
        line.add("ids", ids)
        console.out(line.finished)
    }

    /// By gallery, and where several sign-ins have ids there, by those too.
    private static func shownIDs(_ gate: ChosenEvent) -> [(gallery: String, id: String)] {
        let ids = gate.chosenIDs, several = Dictionary(grouping: ids, by: \.place.gallery).filter { $1.count > 1 }
        return ids.map { known in
            let place = known.place
            return (
                several[place.gallery] == nil
                    ? place.gallery : "\(place.gallery) (\(place.signIns.joined(separator: ", ")))", known.id
            )
        }
    }

    /// The pipelines named, or those used before.
    static func pipelines(_ file: String?, _ context: CommandContext) throws -> [PipelineFile] {
        let files = file.map { [$0] } ?? PipelineSnapshot(state: context.state).files()
        // What was used before may name a module that is gone since: that hides no other pipeline's events.
        return try file == nil
            ? files.compactMap { context.loader().load(path: $0).pipeline } : files.map { try context.load($0) }
    }
}
