import FilmgateCore
import FilmgateEngine
import FilmgateLedger

/// What a plan says of a catalogue that a run could not use; nothing where it could.
struct CatalogForecast {
    let context: CommandContext
    /// How long a plan waits for a catalogue, in all.
    private static let patience = Duration.seconds(5)

    /// Asks the catalogue, and writes nothing there or here.
    func tell(_ pipeline: PipelineFile) async {
        guard pipeline.catalog != nil else { return }
        let found = await Result { () async throws(IngestError) in try await trouble(pipeline) }
        switch found {
        case .success(nil): break
        case .success(let words?): RunTelling.tell(words, json: context.options.json)
        case .failure(let error):
            let words =
                [.unavailable, .network, .cancelled].contains(error.code)
                ? "not reachable (\(RunTelling.inner(error.message))); an import would go on alone." : error.description
            RunTelling.tell(RunTelling.plain(words), json: context.options.json)
        }
    }

    /// Why the catalogue could not be used, in a sentence.
    private func trouble(_ pipeline: PipelineFile) async throws(IngestError) -> String? {
        let reader = try SQLiteLedger.reader(directory: context.state)
        guard let place = try await (reader as? SQLiteReader)?.station() else {
            return
                "this state directory has not joined; nothing would be told or claimed until `filmgate catalog join`."
        }
        guard let catalog = try await ChosenCatalog.of(pipeline, context)?.catalog else { return nil }
        let found = await Self.problems(of: catalog, reader as? SQLiteReader)
        await catalog.close()
        let problems = try found.get()
        return problems.tables ?? problems.another(than: place.membership) ?? problems.station
    }

    private static func problems(
        of catalog: any Catalog, _ reader: SQLiteReader?
    ) async -> Result<CatalogProblems, IngestError> {
        let asking = Task {
            await Result { () async throws(IngestError) in try await CatalogProblems.ask(catalog, reader) }
        }
        let impatience = Task { if (try? await Task.sleep(for: patience)) != nil { asking.cancel() } }
        defer { impatience.cancel() }
        let found = await asking.value
        guard case .failure(let error) = found, error.code == .cancelled else { return found }
        let slow = "\(catalog.place): no answer within \(patience.components.seconds) seconds"
        return .failure(IngestError(.unavailable, slow))
    }
}
