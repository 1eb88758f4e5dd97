public import FilmgateCore
import GRDB

/// What filters of lists ask of files' bytes, as the ledger has it now.
extension SQLiteReader {
    /// Bodies with that in their make and model, in capitals or not; with `serials` also those with that serial number.
    public func cameras(called name: String, serials: Bool) async throws(IngestError) -> NumberSet {
        try await scan { db in
            var query = try Query(db, Self.camerasCalled + (serials ? " OR serial = ?" : "")), found = NumberSet()
            for _ in 0..<(serials ? 2 : 1) { query.bind(name) }
            while try query.next() { found.insert(query.int()) }
            return found
        }
    }

    /// Bodies by what they say of themselves, those that were seen last first: make and model, serial number and owner.
    public func camerasSeen(limit: Int) async throws(IngestError) -> [MediaFacts] {
        try await scan { db in
            var query = try Query(db, Self.camerasSeen), found: [MediaFacts] = []
            query.bind(limit)
            while try query.next() {
                var body = MediaFacts()
                (body.make, body.model) = (query.textOrNil(), query.textOrNil())
                (body.serial, body.owner) = (query.textOrNil(), query.textOrNil())
                found.append(body)
            }
            return found
        }
    }

    static let camerasSeen = """
        SELECT make, model, serial, owner FROM camera WHERE make <> '' AND model <> '' ORDER BY id DESC LIMIT ?
        """

    /// Contents with deliveries in these states, nil = in any; `target`: to targets of that name, nil = to any.
    ///
    /// What is not done has an index by its state; what is done is the rest of what its target was to have.
    public func contents(ofTarget target: String?, states: Set<Receipt.State>?) async throws(IngestError) -> NumberSet {
        try await scan { db in
            var targets: [Int64] = [], found = NumberSet()
            var query = try Query(db, "SELECT id FROM target" + (target == nil ? "" : " WHERE name = ?"))
            if let target { query.bind(target) }
            while try query.next() { targets.append(query.int()) }
            for target in targets {
                if states?.contains(.done) ?? true {
                    var all = try Self.contents(db, Self.ordered) { $0.bind(target) }
                    if states != nil {
                        for state in Self.undone {
                            for open in try Self.contents(state, of: target, db).numbers { all.remove(open) }
                        }
                    }
                    found.formUnion(all)
                }
                for state in states ?? [] where state != .done {
                    found.formUnion(try Self.contents(state, of: target, db))
                }
            }
            return found
        }
    }

    private static func contents(_ state: Receipt.State, of target: Int64, _ db: Database) throws -> NumberSet {
        try contents(db, orderedOpen) { query in
            query.bind(state.rawValue)
            query.bind(target)
        }
    }

    private static func contents(_ db: Database, _ sql: String, bind: (inout Query) -> Void) throws -> NumberSet {
        var query = try Query(db, sql), found = NumberSet()
        bind(&query)
        while try query.next() { found.insert(query.int()) }
        return found
    }

    private static let undone: [Receipt.State] = [.pending, .held, .excluded, .failed]
    static let camerasCalled =
        "SELECT id FROM camera WHERE instr(lower(coalesce(make, '') || ' ' || coalesce(model, '')), lower(?)) > 0"
    /// Both are read from an index alone.
    static let ordered = "SELECT content_id FROM delivery INDEXED BY delivery_path WHERE target_id = ?"
    static let orderedOpen =
        "SELECT content_id FROM delivery WHERE state <> 'done' AND state = ? AND target_id = ?"
}
