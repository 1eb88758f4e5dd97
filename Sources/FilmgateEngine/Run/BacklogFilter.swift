import FilmgateCore

/// Leaves out what a camera held before the run.
struct BacklogFilter: Sendable {
    private let rule: Backlog, volume: String, context: RunContext
    /// What is left there, as hashes; nil before the first listing.
    private var stock: Set<Int>?

    init(_ rule: Backlog, _ volume: String, _ context: RunContext) {
        (self.rule, self.volume, self.context) = (rule, volume, context)
    }

    /// The entries to take.
    ///
    /// On the first meeting with `since-last`, writes down what is left on the camera.
    mutating func keep(_ entries: [SourceEntry], known: [KnownFile]) async throws(IngestError) -> [SourceEntry] {
        if let stock { return stock.isEmpty ? entries : entries.filter { !Self.isIn(stock, $0.origin) } }
        let left: [SourceEntry]
        switch rule {
        case .all: left = []
        case .sinceLast: left = try await sinceLast(entries, known)
        case .nothing:
            let rows = Recognition(known, hourShift: false)
            left = entries.filter { Self.isLeftThere(rows.find($0.origin)) ?? true }
        }
        let ids = Set(left.map(\.origin.id.hashValue))
        stock = ids
        return ids.isEmpty ? entries : entries.filter { !ids.contains($0.origin.id.hashValue) }
    }

    private func sinceLast(_ entries: [SourceEntry], _ known: [KnownFile]) async throws(IngestError) -> [SourceEntry] {
        let meeting = AssetID(rawValue: "met\u{1F}\(volume)")
        if try await !context.reader.notes(of: meeting, limit: 1).isEmpty {
            let rows = Recognition(known, hourShift: false)
            return entries.filter { Self.isLeftThere(rows.find($0.origin)) ?? false }
        }
        let rows = Recognition(known, hourShift: false)
        let left = entries.filter { Self.isLeftThere(rows.find($0.origin)) ?? true }
        let now = context.clock.now.wall
        var changes = left.map { entry in
            var row = AssetRow(origin: entry.origin, run: context.run, kind: entry.kind, shot: entry.shot, at: now)
            (row.ending, row.reason) = (.filtered, "on the camera before it was first met (backlog: since-last)")
            return LedgerChange.asset(row)
        }
        changes.append(.note(asset: meeting, at: now, text: "first met with \(left.count) files, which are left there"))
        try await context.writer?.record(changes)
        return left
    }

    /// Without evidence in the listing it may be another file, of another card, under the name of one that was left
    /// there: it is taken.
    private static func isIn(_ stock: Set<Int>, _ origin: Origin) -> Bool {
        origin.evidence > .nothing && stock.contains(origin.id.hashValue)
    }

    /// Whether the ledger says that the file was left on the camera; nil when it does not know the file.
    private static func isLeftThere(_ file: KnownFile?) -> Bool? {
        file.map { $0.ending == .filtered && !$0.hasContent }
    }
}
