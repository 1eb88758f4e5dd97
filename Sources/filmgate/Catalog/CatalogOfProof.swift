import FilmgateCore
import FilmgateEngine
import FilmgateLedger

extension CommandContext {
    /// What follows the words of other stations for a card; nil where the pipeline has no catalogue, and, with a word
    /// to people, where this state directory cannot ask it.
    func stationProof(
        _ pipeline: PipelineFile, _ reader: any LedgerReader, asking targets: ProofTargets, _ proof: CardProof
    ) async -> StationProof? {
        guard pipeline.catalog != nil else { return nil }
        let found = await Result { () async throws(IngestError) -> (catalog: any Catalog, station: String)? in
            guard let place = try await (reader as? SQLiteReader)?.station() else {
                throw IngestError(
                    .misconfigured, "This state directory has not joined.", advice: "`filmgate catalog join`.")
            }
            return try await ChosenCatalog.of(pipeline, self).map {
                (catalog: $0.catalog, station: place.membership.name)
            }
        }
        switch found {
        case .success(let found):
            return found.map { StationProof($0.catalog, station: $0.station, asking: targets, proof) }
        case .failure(let error):
            console.err("catalog: other stations are not asked: \(Describe.name(error.description))")
            return nil
        }
    }
}
