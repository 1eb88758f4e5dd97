import FilmgateCore
import FilmgateLedger

/// Whether a catalogue still takes this state directory for the station that it joined as.
struct MembershipCheck {
    let catalog: any Catalog
    /// Nil where there is no state directory.
    let reader: SQLiteReader?

    /// A run notes a session right after the catalogue has opened it.
    private static let tries = 3, pause = Duration.milliseconds(100)
    /// What the catalogue says of the station; any other error says something of the catalogue.
    private static let refusals: Set<IngestError.Code> = [.notFound, .rejected, .unauthorized, .stateLocked]

    /// What the catalogue says to an import that may tell nothing.
    ///
    /// Nil where an import may, where this state directory has not joined, and where the catalogue's tables are older
    /// than this question.
    func refusal() async throws(IngestError) -> IngestError? {
        guard let reader else { return nil }
        var refusal: IngestError?
        for attempt in 1...Self.tries {
            guard let place = try await reader.station() else { return nil }
            let found = await Result { () async throws(IngestError) in
                try await catalog.applied(of: place.membership, last: place.session)
            }
            switch found {
            case .success(let applied): return try await untold(applied, reader)
            case .failure(let error):
                guard Self.refusals.contains(error.code) else { throw error }
                refusal = error
            }
            guard refusal?.code == .stateLocked, attempt < Self.tries else { break }
            try? await Task.sleep(for: Self.pause)
        }
        return refusal
    }

    /// The ledger is read after the answer: what a run tells meanwhile was noted there before.
    private func untold(_ applied: Int64?, _ reader: SQLiteReader) async throws(IngestError) -> IngestError? {
        guard let applied, let place = try await reader.station() else { return nil }
        let isOwn = applied <= place.acknowledged || applied == place.telling
        return isOwn ? nil : Self.ahead(known: applied, told: place.acknowledged)
    }

    /// A role may be that of several stations, and the catalogue tells it things as long as one of them is not shut
    /// out: who is, asks nothing.
    static func requireAdmitted(_ catalog: any Catalog, _ context: CommandContext) async throws(IngestError) {
        let reader = try SQLiteLedger.reader(directory: context.state) as? SQLiteReader
        let refusal = try await MembershipCheck(catalog: catalog, reader: reader).refusal()
        if let refusal, refusal.code == .unauthorized { throw refusal }
    }

    /// The catalogue knows changes of this station that its ledger has not told.
    static func ahead(known: Int64, told: Int64) -> IngestError {
        IngestError(
            .rejected,
            "catalog: it knows \(known) of our changes, we told it \(told): this state directory was restored or copied.",
            advice: "Nothing is reported until `filmgate catalog join --as-new`.")
    }

    /// What a catalogue says whose tables can be asked, of one that cannot.
    static func takenAnew(_ station: String) -> IngestError {
        IngestError(
            .rejected, "catalog: the identity of \(station) was taken anew elsewhere.",
            advice: "If this state directory was restored or copied, `filmgate catalog join --as-new` takes the "
                + "identity for it.")
    }

    /// A catalogue that does not know this station, or knows another one by its identity, is none that it can use: the
    /// same code as where there are no tables.
    static func plain(_ error: IngestError) -> IngestError {
        guard [.notFound, .rejected].contains(error.code) else { return error }
        return IngestError(.misconfigured, error.message, advice: error.advice, cause: error)
    }
}
