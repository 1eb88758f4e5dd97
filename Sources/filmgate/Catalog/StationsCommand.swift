import ArgumentParser
import FilmgateCore

struct StationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stations",
        abstract: "The stations of the catalogue: who is there, since when not, and whose clock is wrong.",
        discussion: """
            With --watch the catalogue is asked every 5 seconds until stopped: a terminal shows all stations anew, anything else those that \
            have changed.

            EXAMPLE:
              filmgate stations --pipeline desk.yaml
              filmgate stations --watch
            """,
        subcommands: [List.self, Revoke.self, Release.self], defaultSubcommand: List.self)

    struct List: Verb {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List them; also without this word.")

        @Flag(help: "Go on showing what changes, until stopped.")
        var watch = false

        @OptionGroup var choice: CatalogOptions
        @OptionGroup var options: CommonOptions

        func run(in invocation: Invocation) async throws {
            let context = try CommandContext(options, invocation),
                catalog = try await ChosenCatalog(choice, context).catalog
            let ask = { () async throws(IngestError) -> [StationSummary] in
                try await MembershipCheck.requireAdmitted(catalog, context)
                return try await catalog.stations()
            }
            let stations = try await context.telling(ask)
            for station in stations {
                context.console.out(
                    options.json ? CatalogLine.summary(station).finished : CatalogStatusCommand.text(station))
            }
            if stations.isEmpty { context.console.err("No station has joined yet: `filmgate catalog join`.") }
            let following = StationFollowing(json: options.json, console: context.console, ask: ask)
            let refusal = watch ? await following.follow(stations) : nil
            await catalog.close()
            if let refusal { throw context.end(refusal) }
        }
    }

    struct Revoke: Verb {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract:
                "Shut a station out, such as a laptop that was stolen: it is told nothing any more, and may tell nothing.",
            discussion: """
                Needs a role that may change the tables, as `filmgate catalog migrate` does. Its role joins no new station, and is told nothing \
                unless it has another station. Take its role its sign-in, too: that is the database's.

                EXAMPLE:
                  filmgate stations revoke lap-214 --set catalog.postgres.url=postgresql://postgres@/filmgate
                """)

        @Argument(help: "The station's name.")
        var name: String

        @OptionGroup var choice: CatalogOptions
        @OptionGroup var options: CommonOptions

        func run(in invocation: Invocation) async throws {
            let context = try CommandContext(options, invocation),
                catalog = try await ChosenCatalog(choice, context).catalog
            let name = name
            let isKnown = try await context.telling { () async throws(IngestError) in try await catalog.revoke(name) }
            await catalog.close()
            guard isKnown else { throw context.end(StationsCommand.unknown(name)) }
            if !options.json { context.console.out("\(Describe.name(name)) is shut out.") }
        }
    }

    struct Release: Verb {
        static let configuration = CommandConfiguration(
            commandName: "release",
            abstract: "Give free what a station that is gone had claimed, once somebody has looked at the target.",
            discussion: """
                Needs a role that may change the tables. Other stations then send what it may or may not have sent.

                EXAMPLE:
                  filmgate stations release desk-3 --set catalog.postgres.url=postgresql://postgres@/filmgate
                """)

        @Argument(help: "The station's name.")
        var name: String

        @OptionGroup var choice: CatalogOptions
        @OptionGroup var options: CommonOptions

        func run(in invocation: Invocation) async throws {
            let context = try CommandContext(options, invocation),
                catalog = try await ChosenCatalog(choice, context).catalog
            let name = name
            let count = try await context.telling { () async throws(IngestError) in
                try await catalog.release(claimsOf: name)
            }
            await catalog.close()
            guard let count else { throw context.end(StationsCommand.unknown(name)) }
            if !options.json {
                context.console.out("\(Describe.count(count, "claim")) of \(Describe.name(name)) given free.")
            }
        }
    }

    private static func unknown(_ name: String) -> IngestError {
        IngestError(.notFound, "There is no station \(Describe.name(name)).", advice: "`filmgate stations` lists them.")
    }
}
