import FilmgateCore
import FilmgateEngine

/// What pipelines call a target now, where the ledger knows it by the name that it had when something was last written
/// down of it.
struct PresentNames {
    let context: CommandContext
    /// The pipeline whose names count; nil = those of earlier runs, where the ledger knows none.
    let pipeline: String?

    /// The identity of the target that is called `name` now; the name itself where no pipeline says more than the
    /// ledger.
    ///
    /// What the pipeline that was named calls so is meant also where the ledger knows nothing of it: that name may once
    /// have been another place's, whose deliveries are not meant.
    ///
    /// `known`: the ledger's targets, by their names and identities. Throws where the name stands for several places,
    /// and where that pipeline cannot tell what it calls so.
    func meant(_ name: String, among known: [(name: String, identity: String)]) throws -> String {
        let start = context.invocation.paths
        if pipeline == nil, known.contains(where: { OrderChoice.isMeant($0.identity, $0.name, by: name, from: start) })
        {
            return name
        }
        let called = Set(
            try plans().flatMap(\.connections).filter { $0.name == name }.map { $0.target.traits.identity })
        let there = called.filter { identity in
            known.contains { OrderChoice.isMeant($0.identity, "", by: identity, from: start) }
        }
        guard there.count < 2 else {
            let list = there.sorted().map { "--target '\(TargetLabel.place(of: $0))'" }.joined(separator: " or ")
            throw Refusal("`\(name)` stands for several places; say which: \(list).")
        }
        return there.first ?? (pipeline == nil ? nil : called.first) ?? name
    }

    private func plans() throws -> [Plan] {
        guard let pipeline else {
            let earlier = PipelineSnapshot(state: context.state).files()
            // What was used before may be broken since.
            return earlier.compactMap { context.loader().load(path: $0).pipeline }.compactMap { try? plan($0) }
        }
        let file = try context.load(pipeline)
        do throws(IngestError) { return [try plan(file)] } catch { throw context.end(error) }
    }

    /// Its targets are all that is asked for: a source that is out of order keeps nobody from naming one.
    private func plan(_ pipeline: PipelineFile) throws(IngestError) -> Plan {
        var targets = pipeline
        targets.sources = []
        return try context.builder(ledger: nil).plan(targets)
    }
}
