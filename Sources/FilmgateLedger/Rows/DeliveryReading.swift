import FilmgateCore
import GRDB

/// Reads rows of `delivery` with the content's key and the target's names.
enum DeliveryReading {
    /// What `read` expects, in its order.
    static let columns = """
        c.key, t.identity, t.name, d.state, d.size, d.path, d.event, d.receipt_path, d.url, d.remote_id, d.sha256, d.own_sha256, d.verified,
        d.at, d.reason, d.existed, d.file, d.staged, d.attempts, d.next_try,
        d.pattern, d.counter, d.suffix, d.mark_of, d.mark_rule,
        n.kind, n.reason, n.at
        """
    static let joins = " JOIN content c ON c.id = d.content_id JOIN target t ON t.id = d.target_id" + denials
    static let denials = " LEFT JOIN denial n ON n.content_id = d.content_id AND n.target_id = d.target_id "

    static func read(_ query: inout Query) -> DeliveryRow {
        let content = ContentKey(rawValue: query.text()), target = query.text(), name = query.text()
        var receipt = Receipt(state: Receipt.State(rawValue: query.text()) ?? .failed)
        let size = query.size(), path = query.text(), event = query.textOrNil()
        (receipt.path, receipt.url, receipt.id) = (query.textOrNil(), query.textOrNil(), query.textOrNil())
        let sha256 = query.textOrNil()
        receipt.sha256 = query.int() == 1 ? content.sha256 : sha256
        receipt.verified = Receipt.Proof(rawValue: query.text()) ?? .none
        (receipt.at, receipt.reason, receipt.existed) = (query.int(), query.textOrNil(), query.int() == 1)
        var row = DeliveryRow(
            content: content, target: target, targetName: name, receipt: receipt, size: size, path: path)
        (row.event, row.file, row.staged) = (event, query.textOrNil(), query.int() == 1)
        (row.attempts, row.nextTry) = (Int(query.int()), query.intOrNil())
        row.name = parts(&query)
        row.gate = gate(&query)
        row.denial = denial(&query)
        return row
    }

    /// State, path, address, id, digests, proof, time, reason and whether it existed, in this order.
    static func receipt(_ query: inout Query, of content: ContentKey) -> Receipt {
        var receipt = Receipt(state: Receipt.State(rawValue: query.text()) ?? .failed)
        (receipt.path, receipt.url, receipt.id) = (query.textOrNil(), query.textOrNil(), query.textOrNil())
        let sha256 = query.textOrNil()
        receipt.sha256 = query.int() == 1 ? content.sha256 : sha256
        receipt.verified = Receipt.Proof(rawValue: query.text()) ?? .none
        (receipt.at, receipt.reason, receipt.existed) = (query.int(), query.textOrNil(), query.int() == 1)
        return receipt
    }

    private static func gate(_ query: inout Query) -> MarkGate? {
        let sha256 = query.textOrNil(), rule = query.textOrNil()
        guard let sha256, let rule else { return nil }
        return MarkGate(rule, sha256: sha256)
    }

    private static func parts(_ query: inout Query) -> DeliveryName? {
        guard let pattern = query.textOrNil() else {
            query.skip(2)
            return nil
        }
        return DeliveryName(pattern: pattern, counter: Int(query.int()), suffix: Int(query.int()))
    }

    /// The three columns of `denial`, in their order.
    static func denial(_ query: inout Query) -> Denial? {
        let kind = query.textOrNil().flatMap { Denial.Kind(rawValue: $0) }, reason = query.textOrNil(), at = query.int()
        return kind.map { Denial($0, reason ?? "", at: at) }
    }

    static func all(_ db: Database, _ clauses: String, bind: (inout Query) -> Void) throws -> [DeliveryRow] {
        var query = try Query(db, "SELECT " + columns + " FROM delivery d" + joins + clauses), rows: [DeliveryRow] = []
        bind(&query)
        while try query.next() { rows.append(read(&query)) }
        return rows
    }
}
