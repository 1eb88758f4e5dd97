import FilmgateCore

/// Services that put uploads off, and go on with them by themselves: what they have need not be sent again.
struct PutOffUploads: Sendable {
    let ledger: any Ledger
    let targets: [PlannedTarget]
    let stopping: CancelToken

    /// Has those go on that something of `all` is for.
    ///
    /// What keeps a service from it the deliveries meet, too, and are held for it. A service that was sent something
    /// which was taken back since is not asked: it would publish that, too.
    func takeUpAgain(_ all: [NamePlanner.PlannedAsset]) async throws(IngestError) {
        let takenBack = Set(try await ledger.queue([.excluded]).map(\.delivery).filter(\.isCancelled).map(\.target))
        let wanted = Set(all.flatMap { $0.deliveries.map(\.id.target) }).subtracting(takenBack)
        for target in targets where wanted.contains(target.identity) && !stopping.isSet {
            guard let service = target.target as? any PutOffTarget else { continue }
            _ = await Result { () async throws(IngestError) in
                try await target.health?.pass()
                return try await service.takeUpAgain()
            }
        }
    }
}
