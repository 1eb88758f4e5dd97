public import FilmgateCore
import GRDB

extension SQLiteReader {
    public func totals() async throws(IngestError) -> LedgerTotals {
        try await scan { db in
            var totals = LedgerTotals(assets: [:], unfinished: 0, targets: try TargetTotals(db).targets)
            var all = try Query(db, Self.assetCount)
            totals.assets[.delivered] = try all.next() ? Int(all.int()) : 0
            var rest = try Query(db, Self.restCounts)
            while try rest.next() {
                let ending = rest.textOrNil(), count = Int(rest.int())
                totals.assets[.delivered, default: 0] -= count
                Self.add(count, ending, to: &totals)
            }
            var made = try Query(db, Self.madeCounts)
            while try made.next() {
                let ending = made.textOrNil()
                Self.add(Int(made.int()), ending, to: &totals)
            }
            var damaged = try Query(db, Self.damaged)
            if try damaged.next() { totals.damaged = Int(damaged.int()) }
            totals.assets = totals.assets.filter { $0.value != 0 }
            return totals
        }
    }

    private static func add(_ count: Int, _ ending: String?, to totals: inout LedgerTotals) {
        if let ending = ending.flatMap({ Ending(rawValue: $0) }) {
            totals.assets[ending, default: 0] += count
        } else {
            totals.unfinished += count
        }
    }

    static let assetCount = "SELECT count(*) FROM asset"
    /// All that was not delivered, run by run: what was delivered is most, and is the rest.
    static let restCounts = """
        WITH RECURSIVE runs (id) AS (
            SELECT min(run) FROM asset UNION ALL
            SELECT (SELECT min(run) FROM asset WHERE run > runs.id) FROM runs WHERE runs.id IS NOT NULL
        )
        SELECT ending, count(*) FROM (\(rests.joined(separator: " UNION ALL "))) GROUP BY ending
        """
    private static let rests = ["IS NULL", "< 'delivered'", "> 'delivered'"].map {
        "SELECT a.ending FROM runs CROSS JOIN asset a ON a.run = runs.id WHERE a.ending \($0)"
    }
    /// By the index of the few files that have flags.
    static let damaged =
        "SELECT count(*) FROM asset WHERE flags IS NOT NULL AND instr(flags, '\(AssetFlag.truncated)') > 0"
    /// Files that were made here were not seen on any source.
    static let madeCounts = "SELECT ending, -count(*) FROM asset WHERE flags = '\(AssetFlag.made)' GROUP BY ending"
}

/// Counts the deliveries of each target.
///
/// What is done is the rest of all: only what is not done has an index that tells its state.
struct TargetTotals {
    private var rows: [Int64: LedgerTotals.Target] = [:]
    private var order: [Int64] = []

    /// In the order in which the targets were first used; those that were wanted but never delivered to are left out.
    var targets: [LedgerTotals.Target] { order.compactMap { rows[$0] } }

    init(_ db: Database) throws {
        try readAll(db)
        try readOpen(db)
        try readWaiting(db)
        try readReasons(db)
        try readDenials(db)
    }

    private mutating func readAll(_ db: Database) throws {
        var query = try Query(db, Self.all)
        while try query.next() {
            let id = query.int(), identity = query.text(), name = query.text()
            order.append(id)
            rows[id] = .init(
                identity: identity, name: name, states: [.done: Int(query.int())], bytesWaiting: 0, oldestWaiting: nil,
                nextTry: nil, lastReason: nil)
        }
    }

    private mutating func readOpen(_ db: Database) throws {
        var query = try Query(db, Self.open)
        while try query.next() {
            let id = query.int(), state = Receipt.State(rawValue: query.text()), count = Int(query.int())
            rows[id]?.states[.done, default: 0] -= count
            if let state { rows[id]?.states[state] = count }
        }
        for id in order where rows[id]?.states[.done] == 0 { rows[id]?.states[.done] = nil }
    }

    private mutating func readWaiting(_ db: Database) throws {
        var query = try Query(db, Self.waiting)
        while try query.next() {
            let id = query.int(), bytes = query.doubleOrNil() ?? 0
            rows[id]?.bytesWaiting = UInt64(min(max(bytes, 0), 9e18))
            rows[id]?.oldestWaiting = query.intOrNil()
            rows[id]?.nextTry = query.intOrNil()
        }
    }

    private mutating func readReasons(_ db: Database) throws {
        var query = try Query(db, Self.reasons)
        while try query.next() { rows[query.int()]?.lastReason = query.text() }
    }

    private mutating func readDenials(_ db: Database) throws {
        var query = try Query(db, Self.denials)
        while try query.next() {
            let id = query.int(), count = Int(query.int())
            rows[id]?.denied = count
            rows[id]?.lastDenial = DeliveryReading.denial(&query)
        }
    }

    /// Of a delivery that is under way anew nothing more is to be said.
    static let denials = """
        SELECT n.target_id, count(*), n.kind, n.reason, max(n.at) FROM denial n
        JOIN delivery d ON d.content_id = n.content_id AND d.target_id = n.target_id WHERE d.state = 'done' GROUP BY n.target_id
        """
    static let all = """
        SELECT t.id, t.identity, t.name, d.count
        FROM (SELECT target_id, count(*) AS count FROM delivery GROUP BY target_id) d JOIN target t ON t.id = d.target_id ORDER BY t.id
        """
    static let open = "SELECT target_id, state, count(*) FROM delivery WHERE state <> 'done' GROUP BY state, target_id"
    /// A target that did not answer is left alone as a whole until its next try, which the delivery that failed last
    /// knows.
    ///
    /// Held ones wait for a person.
    static let waiting = """
        SELECT target_id, total(max(size, 0)), min(at), max(next_try) FILTER (WHERE state = 'pending')
        FROM delivery WHERE state <> 'done' AND state IN ('pending', 'held') GROUP BY target_id
        """
    static let reasons = """
        SELECT target_id, reason, max(at) FROM delivery
        WHERE state <> 'done' AND state IN ('pending', 'held', 'failed') AND reason IS NOT NULL GROUP BY target_id
        """
}
