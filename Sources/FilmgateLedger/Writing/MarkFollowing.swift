import FilmgateCore
import GRDB

/// What becomes of deliveries that wait for marks, or that marks have ended, when a picture's marks change.
///
/// So the ledger is right at once, whether or not a run goes on; a run that has such a delivery comes to the same when
/// it is told.
struct MarkFollowing {
    private let db: Database, writer: ChangeWriter

    init(_ db: Database) { (self.db, writer) = (db, ChangeWriter(db)) }

    func follow(_ sha256: String, at: Int64) throws {
        let rows = try DeliveryReading.all(db, Self.waiting) { $0.bind(sha256) }
        if rows.isEmpty { return }
        let mark = try MarkReading.mark(of: sha256, db) ?? PictureMark()
        for row in rows { try follow(row, mark, at: at) }
    }

    private func follow(_ old: DeliveryRow, _ mark: PictureMark, at: Int64) throws {
        // What a person took back is not a matter of marks any more.
        guard let gate = old.gate, old.receipt.state != .excluded || old.isUnwanted else { return }
        var row = old
        switch gate.decision(on: mark) {
        case .refuses(let reason):
            if row.isUnwanted { return }
            let words = row.isDoubtful ? DeliveryRow.doubted(reason, at: row.targetName) : reason
            (row.receipt, row.attempts, row.nextTry) = (
                Receipt(state: .excluded, at: at, reason: words),
                row.mayHaveArrived ? DeliveryRow.unwantedThere : DeliveryRow.unwanted, nil
            )
            // Its bytes stay named: the mark may be taken back.
            try writer.following.cancel(row, run: 0, at: at)
        case .waits(let reason): try wait(row, reason, at: at)
        case .takes, .undecided: try wait(row, nil, at: at)
        }
    }

    private func wait(_ old: DeliveryRow, _ reason: String?, at: Int64) throws {
        var row = old
        if row.isUnwanted {
            (row.receipt, row.attempts) = (
                Receipt(state: .pending, at: at, reason: reason), row.mayHaveArrived ? 1 : 0
            )
            try writer.write(row)
            return try reopen(row, reason, at: at)
        }
        let isOld = row.receipt.reason == MarkRule.notPicked || row.receipt.reason == MarkRule.notRated
        guard reason != nil || isOld, row.receipt.reason != reason else { return }
        row.receipt.reason = reason
        if row.receipt.state == .held, reason != nil { row.receipt.state = .pending }
        try writer.write(row)
        try writer.following.tellWaiting(row.content)
    }

    /// Files that ended without this delivery wait for it again.
    private func reopen(_ row: DeliveryRow, _ reason: String?, at: Int64) throws {
        let target = try writer.names.target(row.target)
        var query = try Query(db, Self.reopen)
        query.bind("\(row.targetName): \(reason ?? Receipt.notSent)")
        query.bind(at)
        query.bind(row.content.rawValue)
        query.bind(",\(target),")
        try query.execute()
    }

    static let waiting = "WHERE d.mark_of = ? AND d.state IN ('pending', 'held', 'excluded')"
    static let reopen = """
        UPDATE asset SET ending = 'pending', reason = ?, at = ? WHERE content_id = (SELECT id FROM content WHERE key = ?)
            AND ending IN ('filtered', 'delivered', 'duplicate') AND instr(',' || wanted || ',', ?) > 0
        """
}
