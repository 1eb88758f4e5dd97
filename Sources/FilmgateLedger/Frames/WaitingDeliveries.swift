public import FilmgateCore
import GRDB

/// A part of a list, and how long the whole is.
public struct ListPart<Element: Sendable>: Sendable {
    public var elements: [Element], total: Int
}

extension SQLiteReader {
    /// Deliveries that are not done, oldest first: what waits, is held or failed.
    ///
    /// `target`: its name in the pipeline file; nil = all of them. `event`: only those of it, `DeliveryRow.unassigned`
    /// for what waits for one; nil = of any and of none.
    public func openDeliveries(
        _ states: Set<Receipt.State>, target: String?, event: String? = nil, from start: Int, limit: Int
    ) async throws(IngestError) -> ListPart<DeliveryRow> {
        try await scan { db in
            let states = states.subtracting([.done]).sorted { $0.rawValue < $1.rawValue }
            let clauses = Self.open(states.count, target != nil, event != nil)
            func bind(_ query: inout Query) {
                for state in states { query.bind(state.rawValue) }
                if let target { query.bind(target) }
                if let event { query.bind(event) }
            }
            var count = try Query(db, "SELECT count(*) FROM delivery d JOIN target t ON t.id = d.target_id " + clauses)
            bind(&count)
            let total = try count.next() ? Int(count.int()) : 0
            let rows = try DeliveryReading.all(
                db, clauses + " ORDER BY d.at, d.content_id, d.target_id LIMIT ? OFFSET ?"
            ) { query in
                bind(&query)
                query.bind(Int64(limit))
                query.bind(Int64(start))
            }
            return ListPart(elements: rows, total: total)
        }
    }

    /// The index on what is not done serves every query that says so.
    static func open(_ states: Int, _ hasTarget: Bool, _ hasEvent: Bool = false) -> String {
        let list = Array(repeating: "?", count: states).joined(separator: ", ")
        return "WHERE d.state <> 'done' AND d.state IN (\(list))" + (hasTarget ? " AND t.name = ?" : "")
            + (hasEvent ? " AND d.event = ?" : "")
    }

    /// What a run did with its files, also with those that a later one went on with.
    public func assets(ofRun run: Int64, from start: Int, limit: Int) async throws(IngestError) -> ListPart<AssetRow> {
        try await scan { db in
            var count = try Query(db, "SELECT count(*) FROM " + Self.ofRun)
            count.bind(run)
            count.bind(run)
            let total = try count.next() ? Int(count.int()) : 0
            let rows = try AssetReading.all(db, from: Self.ofRun, "ORDER BY a.since, a.path LIMIT ? OFFSET ?") {
                query in
                query.bind(run)
                query.bind(run)
                query.bind(Int64(limit))
                query.bind(Int64(start))
            }
            return ListPart(elements: rows, total: total)
        }
    }

    /// The run with that number; nil when there is none.
    public func run(_ id: Int64) async throws(IngestError) -> RunRow? {
        try await scan { db in
            var query = try Query(db, "SELECT " + RunRow.columns + " FROM run WHERE id = ?")
            query.bind(id)
            return try query.next() ? RunRow(&query) : nil
        }
    }
}
