import FilmgateCore
import Synchronization

/// Which bodies the files of one card come from: many movies name their model and not their serial number, and their
/// clock is that of the photos beside them.
final class BodySerials: Sendable {
    private struct Model: Hashable { var make: String?, model: String }
    private struct State {
        var serials: [Model: Set<String>] = [:]
        /// What is known of a model beyond this card, asked for once.
        var elsewhere: [Model: Set<String>] = [:]
    }
    private let state = Mutex(State())

    /// In card order, so that a plan and its run know the same.
    func note(_ facts: MediaFacts) {
        guard let model = facts.model, let serial = facts.serial, !serial.isEmpty else { return }
        state.withLock { _ = $0.serials[Model(make: facts.make, model: model), default: []].insert(serial) }
    }

    /// Of the photos of that model on this card; empty when there were none yet.
    private func here(_ key: Model) -> Set<String> { state.withLock { $0.serials[key] ?? [] } }

    private func elsewhere(_ key: Model, _ ledger: any LedgerReader) async throws(IngestError) -> Set<String> {
        if let known = state.withLock({ $0.elsewhere[key] }) { return known }
        let known = Set(try await ledger.bodies(make: key.make, model: key.model))
        state.withLock { $0.elsewhere[key] = known }
        return known
    }

    /// True for a movie that does not say which body it comes from: the photos beside it may.
    static func asksPhotos(_ facts: MediaFacts, _ kind: MediaKind) -> Bool {
        kind == .video && (facts.serial ?? "").isEmpty && facts.model != nil
    }

    /// What holds for `facts`, with the clock of the only body that a movie without a serial number can come from.
    ///
    /// Where two bodies of a model are known, nobody guesses.
    func resolve(_ facts: MediaFacts, _ kind: MediaKind, _ profiles: ProfileSet, _ ledger: any LedgerReader)
        async throws(IngestError)
        -> ResolvedProfile
    {
        let profile = profiles.resolve(make: facts.make, model: facts.model, serial: facts.serial, owner: facts.owner)
        guard Self.asksPhotos(facts, kind), let model = facts.model else { return profile }
        let key = Model(make: facts.make, model: model)
        var serials = here(key)
        if serials.isEmpty { serials = try await elsewhere(key, ledger) }
        guard serials.count == 1, let serial = serials.first else { return profile }
        let whole = profiles.resolve(make: facts.make, model: model, serial: serial, owner: facts.owner)
        return profile.taking(clockOf: whole)
    }
}
