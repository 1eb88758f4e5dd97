import FilmgateCore

/// Changes of several callers in order, how many each brought, and what goes on once they are written.
struct ChangeBatch: Sendable {
    private(set) var changes: [LedgerChange] = [], counts: [Int] = [], steps: [DeliveryStep] = []
    /// Those before them were many.
    var followsMany = false

    mutating func add(_ more: [LedgerChange], then step: DeliveryStep? = nil) {
        changes += more
        counts.append(more.count)
        if let step { steps.append(step) }
    }
}

extension ChangeBatch {
    /// What one caller writes, and nothing goes on with.
    init(_ changes: [LedgerChange]) {
        self.init()
        add(changes)
    }
}

extension Ledger {
    /// Writes them together; where that fails each caller's apart, so that what cannot be written takes nothing else
    /// with it.
    func write(_ batch: ChangeBatch) async -> [IngestError] {
        if let error = await failure(of: batch.changes) {
            if batch.counts.count < 2 { return [error] }
            var rest = batch.changes[...], errors: [IngestError] = []
            for count in batch.counts {
                if let error = await failure(of: Array(rest.prefix(count))) { errors.append(error) }
                rest = rest.dropFirst(count)
            }
            return errors
        }
        return []
    }

    private func failure(of changes: [LedgerChange]) async -> IngestError? {
        do throws(IngestError) { try await record(changes) } catch { return error }
        return nil
    }
}
