import FilmgateCore
import FilmgateEngine

/// The targets of pipelines that name one catalogue.
struct UsedTargets {
    let chosen: ChosenCatalog, context: CommandContext

    /// What all stations call those that they share: of the chosen pipeline, and of those of `others` that name the
    /// same catalogue.
    func shared(with others: [PipelineFile]) async throws(IngestError) -> SharedTargets {
        var plans = [try plan(chosen.pipeline)]
        for pipeline in others {
            let other = await Result { () async throws(IngestError) in try await ChosenCatalog.of(pipeline, context) }
            guard (try? other.get())?.catalog.place == chosen.catalog.place else { continue }
            // What was used before may be broken since.
            if let plan = try? self.plan(pipeline) { plans.append(plan) }
        }
        return Plan.union(plans).shared
    }

    private func plan(_ pipeline: PipelineFile) throws(IngestError) -> Plan {
        var targets = pipeline
        targets.sources = []
        return try context.builder(ledger: nil).plan(targets)
    }

    /// Keeps that for the runs of a station that joins: what it tells them first may have been delivered with any of
    /// the pipelines that were used here.
    func keep() async {
        let state = context.state, loader = context.loader()
        let others = PipelineSnapshot(state: state).files().compactMap { loader.load(path: $0).pipeline }
        let found = await Result { () async throws(IngestError) in try await shared(with: others) }
        // Where the pipeline is wrong its own run says so.
        if case .success(let shared) = found { KeptSharedTargets(state: state).note(shared) }
    }
}
