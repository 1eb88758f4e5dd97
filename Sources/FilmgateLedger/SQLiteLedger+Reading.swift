public import FilmgateCore

/// Reading while writing: all through `reader`.
extension SQLiteLedger {
    /// The ledger in `directory` for reading, whether or not a writer lives, in this process or another; never locks
    /// the state.
    ///
    /// Empty when there is none yet. `misconfigured` for a ledger of a newer version, `unexpected` for a damaged one.
    public static func reader(directory path: String) throws(IngestError) -> any LedgerReader {
        try Connection.reader(StateDirectory(path)) ?? EmptyLedger()
    }

    /// What is wrong with the ledger in `directory`: empty when it is sound or when there is none.
    ///
    /// Reads the whole file.
    public static func integrityCheck(directory path: String) async throws(IngestError) -> [String] {
        let reader: SQLiteReader?
        do throws(IngestError) { reader = try Connection.reader(StateDirectory(path)) } catch {
            if LedgerFailure.isDamage(error.cause) { return [error.message] }
            throw error
        }
        return try await reader?.integrityCheck() ?? []
    }

    /// As for `SQLiteReader`.
    public func integrityCheck() async throws(IngestError) -> [String] { try await reader.integrityCheck() }

    public func known(volume: String) async throws(IngestError) -> [KnownFile] {
        try await reader.known(volume: volume)
    }
    public func known(volume: String, below folder: String) async throws(IngestError) -> [KnownFile] {
        try await reader.known(volume: volume, below: folder)
    }
    public func deliveries(of content: ContentKey) async throws(IngestError) -> [DeliveryRow] {
        try await reader.deliveries(of: content)
    }
    public func receipts(of contents: [ContentKey]) async throws(IngestError) -> [[NamedReceipt]] {
        try await reader.receipts(of: contents)
    }
    public func twin(of content: ContentKey) async throws(IngestError) -> String? { try await reader.twin(of: content) }
    public func neighbour(of picture: String, withSidecar sha256: String) async throws(IngestError) -> String? {
        try await reader.neighbour(of: picture, withSidecar: sha256)
    }
    public func holder(of path: String, at target: String) async throws(IngestError) -> ContentKey? {
        try await reader.holder(of: path, at: target)
    }
    public func shotName(_ shot: String, at target: String, event: String?) async throws(IngestError) -> ShotName? {
        try await reader.shotName(shot, at: target, event: event)
    }
    public func shotNames(
        below prefix: String, at target: String, event: String?
    ) async throws(IngestError) -> [(shot: String, name: ShotName)] {
        try await reader.shotNames(below: prefix, at: target, event: event)
    }
    public func files(named stem: String, at target: String) async throws(IngestError) -> [NamedFile] {
        try await reader.files(named: stem, at: target)
    }
    public func counter(at target: String, event: String?) async throws(IngestError) -> Int {
        try await reader.counter(at: target, event: event)
    }
    public func queue(_ states: Set<Receipt.State>) async throws(IngestError) -> [QueuedDelivery] {
        try await reader.queue(states)
    }
    public func assets(_ filter: AssetFilter) async throws(IngestError) -> [AssetRow] {
        try await reader.assets(filter)
    }
    public func assets(sha256: String) async throws(IngestError) -> [AssetRow] {
        try await reader.assets(sha256: sha256)
    }
    public func runs(limit: Int) async throws(IngestError) -> [RunRow] { try await reader.runs(limit: limit) }
    public func totals() async throws(IngestError) -> LedgerTotals { try await reader.totals() }
    public func delivered(below prefix: String) async throws(IngestError) -> [DeliveryRow] {
        try await reader.delivered(below: prefix)
    }
    public func copies(
        volume: String, below folder: String, _ tell: @escaping @Sendable (DeliveredCopy) -> Void
    ) async throws(IngestError) { try await reader.copies(volume: volume, below: folder, tell) }
    public func uses(ofTargets prefix: String) async throws(IngestError) -> [TargetUse] {
        try await reader.uses(ofTargets: prefix)
    }
    public func disk(of target: String) async throws(IngestError) -> String? { try await reader.disk(of: target) }
    public func disks(ofTargets prefix: String) async throws(IngestError) -> [TargetDisk] {
        try await reader.disks(ofTargets: prefix)
    }
    public func bodies(make: String?, model: String) async throws(IngestError) -> [String] {
        try await reader.bodies(make: make, model: model)
    }
    public func queue(judgedBy sha256s: Set<String>?) async throws(IngestError) -> [QueuedDelivery] {
        try await reader.queue(judgedBy: sha256s)
    }
    public func marks(of sha256s: [String]) async throws(IngestError) -> [String: PictureMark] {
        try await reader.marks(of: sha256s)
    }
    public func notes(of asset: AssetID?, limit: Int) async throws(IngestError) -> [NoteRow] {
        try await reader.notes(of: asset, limit: limit)
    }
}
