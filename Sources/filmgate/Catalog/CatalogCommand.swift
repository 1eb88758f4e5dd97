import ArgumentParser
import FilmgateCore
import FilmgateEngine
import FilmgateLedger
import PQKit

struct CatalogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog", abstract: "The catalogue that this station shares with others.",
        discussion: """
            A pipeline names it under `catalog:`. Every station keeps its own ledger and works without the catalogue; what it did is told \
            there as soon as it can be reached.
            """,
        subcommands: [
            CatalogCheckCommand.self, CatalogMigrateCommand.self, CatalogJoinCommand.self, CatalogShareCommand.self,
            CatalogSeedCommand.self, CatalogStatusCommand.self, CatalogFindCommand.self, CatalogWhereCommand.self,
        ])
}

/// What every verb of the catalogue takes.
struct CatalogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The pipeline that names the catalogue; absent: those used before.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var pipeline: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Change one value of the pipeline, such as catalog.postgres.url=postgresql://…", valueName: "key=value"))
    var set: [String] = []

    /// What the page asks: a run that holds the state has the secrets, and asks the catalogue for it.
    @Flag(help: .hidden)
    var byRun = false

    /// Ends the verb with the run's answer where `byRun` was said and a run takes jobs.
    func handOver(_ options: CommonOptions, _ invocation: Invocation) throws {
        guard byRun, invocation.job == nil else { return }
        let arguments = Array(CommandLine.arguments.dropFirst()), state = options.stateDirectory(from: invocation.paths)
        guard let code = ControlClient.handOver(arguments, state: state, invocation) else { return }
        throw Exit(ExitStatus(rawValue: code) ?? .failure)
    }

    func overrides() throws -> [Override] {
        try set.map { text in
            guard let override = Override(text) else { throw ValidationError("--set takes key=value.") }
            return override
        }
    }
}

/// The catalogue that a verb is about.
struct ChosenCatalog {
    let catalog: any Catalog
    let use: CatalogUse
    /// The pipeline that names it.
    let pipeline: PipelineFile

    /// The first of the pipelines that names one; ends the verb where none does.
    ///
    /// Without `isFenced`, what earlier runs know of its servers does not count.
    init(_ options: CatalogOptions, _ context: CommandContext, isFenced: Bool = true) async throws {
        for pipeline in try Self.pipelines(options, context) {
            guard
                let found = try await context.telling({ () async throws(IngestError) in
                    try await Self.of(pipeline, context, isFenced: isFenced)
                })
            else {
                continue
            }
            self = found
            return
        }
        throw context.refuse(await Self.absent(options, context))
    }

    /// The one that was named, else those that were used here.
    static func pipelines(_ options: CatalogOptions, _ context: CommandContext) throws -> [PipelineFile] {
        let overrides = try options.overrides()
        if let file = options.pipeline {
            return [try context.load(context.invocation.paths.absolute(file), overrides: overrides)]
        }
        // What was used before may be broken since: that hides no other pipeline's catalogue.
        return PipelineSnapshot(state: context.state).files().compactMap {
            context.loader(overrides: overrides).load(path: $0).pipeline
        }
    }

    /// Why none is known.
    private static func absent(_ options: CatalogOptions, _ context: CommandContext) async -> String {
        let write = "Write `catalog: { postgres: { url: … } }` there, and say which file with --pipeline."
        if options.pipeline != nil { return "This pipeline names no catalogue. \(write)" }
        let found = await Result { () async throws(IngestError) in
            try await (SQLiteLedger.reader(directory: context.state) as? SQLiteReader)?.station()
        }
        guard case .success(let place?) = found else {
            return "No pipeline that was used here names a catalogue. \(write)"
        }
        let name = Describe.name(place.membership.name)
        return "This state directory is the station \(name) of a catalogue (\(place.told)), but no import or run here "
            + "used a pipeline that names it: say which file does with --pipeline."
    }

    private init(_ catalog: any Catalog, _ use: CatalogUse, _ pipeline: PipelineFile) {
        (self.catalog, self.use, self.pipeline) = (catalog, use, pipeline)
    }

    /// Nil where the pipeline names none.
    static func of(
        _ pipeline: PipelineFile, _ context: CommandContext, isFenced: Bool = true
    ) async throws(IngestError) -> ChosenCatalog? {
        guard let use = pipeline.catalog else { return nil }
        let reader = try SQLiteLedger.reader(directory: context.state)
        let place = try await (reader as? SQLiteReader)?.station()
        let services: [any Sendable] = [PQFence(isFenced ? place?.history : nil)]
        return try context.builder(ledger: nil).catalog(of: pipeline, services: services).map {
            ChosenCatalog($0, use, pipeline)
        }
    }
}

/// What a run tells of, as the reporter wants it.
struct LedgerOfStation: StationLedger {
    let ledger: SQLiteLedger, claims: StationClaims

    func standing() async throws(IngestError) -> StationStanding? { try await ledger.standing() }
    func note(session: Int64, history: ServerHistory?) async throws(IngestError) {
        try await ledger.note(session: session, history: history)
    }
    func note(telling upTo: Int64) async throws(IngestError) { try await ledger.note(telling: upTo) }
    /// Nothing before a plan has said which targets are shared.
    func untold(after seq: Int64, upTo last: Int64?, limit: Int) async throws(IngestError) -> StationReport? {
        guard claims.knowsTargets else { return nil }
        return try await ledger.untold(after: seq, upTo: last, limit: limit).map(claims.qualified)
    }
    func acknowledge(_ applied: Int64) async throws(IngestError) { try await ledger.acknowledge(applied) }
    func status() async throws(IngestError) -> StationStatus? { try await ledger.status().map(claims.complete) }
    func openTargets() async throws(IngestError) -> [OpenTarget] { try await ledger.reader.openTargets() }
}
