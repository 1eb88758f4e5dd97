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
    /// `known`: the ledger's targets, by their names and identities. Throws where the name stands for several places.
    func meant(_ name: String, among known: [(name: String, identity: String)]) throws -> String {
        if pipeline == nil, known.contains(where: { OrderChoice.isMeant($0.identity, $0.name, by: name) }) {
            return name
        }
        let own = try pipelines().compactMap { try? context.builder(ledger: nil).plan($0) }
        let called = Set(own.flatMap(\.connections).filter { $0.name == name }.map { $0.target.traits.identity })
        let there = called.filter { identity in
            known.contains { OrderChoice.isMeant($0.identity, "", by: identity) }
        }
        guard there.count < 2 else {
            let list = there.sorted().map { "--target '\(TargetLabel.place(of: $0))'" }.joined(separator: " or ")
            throw Refusal("`\(name)` stands for several places; say which: \(list).")
        }
        return there.first ?? name
    }

    private func pipelines() throws -> [PipelineFile] {
        if let pipeline { return [try context.load(pipeline)] }
        let state = context.options.stateDirectory
        return PipelineSnapshot(state: state).files().compactMap { context.loader().load(path: $0).pipeline }
    }
}
