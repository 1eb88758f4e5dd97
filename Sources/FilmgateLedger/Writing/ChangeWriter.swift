import FilmgateCore
import GRDB

/// Applies changes to the writing connection, within a transaction that its caller holds.
///
/// Used on that connection's queue only.
final class ChangeWriter {
    let statements: Statements
    let names: NameNumbers
    let contents: ContentNumbers
    /// What the present transaction wrote; nil while nobody wants to know.
    var written: WrittenFiles?

    init(_ db: Database) {
        statements = Statements(db)
        names = NameNumbers(statements)
        contents = ContentNumbers(statements, names)
    }

    var db: Database { statements.db }
    var following: FileFollowing { FileFollowing(self) }

    func apply(_ change: LedgerChange) throws {
        switch change {
        case .asset(let row): try write(row)
        case .delivery(let row): try write(row)
        case .withdraw(let key, let target, let heir, let event):
            try withdraw(key, target: target, heir: heir, event: event)
        case .assigned(let row, let old): try following.assign(row, from: old)
        case .heard(let key, let target, let denial): try hear(key, target: target, denial)
        case .cancelled(let row, let run, let at): try following.cancel(row, run: run, at: at)
        case .followed(let key, let twin, let run, let at): try following.follow(key, twin: twin, run: run, at: at)
        case .shotName(let name, let shot, let target, let event):
            try write(name, shot: shot, target: target, event: event)
        case .disk(let disk, let target, let name): try write(disk: disk, of: target, name)
        case .marked(let sha256, let mark): try MarkWriter(db).inherit(mark, sha256)
        case .note(let asset, let at, let text): try write(text, at: at, of: asset)
        case .endRun(let run, let at, let exit, let summary): try end(run, at: at, exit: exit, summary)
        }
    }

    /// Forgets every number that it remembers: those given in a transaction that was rolled back do not exist.
    func forget() {
        names.forget()
        contents.forget()
    }

    func query(_ command: Command) throws -> Query { try statements.query(command) }
}

/// The columns of `delivery` after its key, in the order in which `write` binds them.
enum DeliveryWriting {
    static let facts = [
        "state", "size", "path", "path_folded", "event", "receipt_path", "url", "remote_id", "sha256", "own_sha256",
        "verified", "at",
        "reason",
        "existed", "file", "staged", "attempts", "next_try",
        "pattern", "counter", "suffix", "mark_of", "mark_rule",
    ]
}

extension ChangeWriter {
    /// Inserts the delivery or replaces all that was known of that content at that target.
    func write(_ row: DeliveryRow) throws {
        let content = try contents.number(of: row.content), target = try names.target(row.target, name: row.targetName)
        var query = try query(.putDelivery)
        query.bind(content)
        query.bind(target)
        query.bind(row.receipt.state.rawValue)
        query.bind(row.size)
        query.bind(row.path)
        query.bind(PathKey.folded(row.path))
        query.bind(row.event)
        bind(row.receipt, of: row.content, to: &query)
        query.bind(row.file)
        query.bind(row.staged)
        query.bind(row.attempts)
        query.bind(row.nextTry)
        let name = row.receipt.state == .done ? nil : row.name
        query.bind(name?.pattern)
        query.bind(name?.counter)
        query.bind(name?.suffix)
        let gate = row.receipt.state == .done ? nil : row.gate
        query.bind(gate?.sha256)
        query.bind(gate?.text)
        try query.execute()
        written?.contents.insert(content)
    }

    /// Forgets the delivery, if there is one; files that wait for it wait for `heir`, and those that have other
    /// targets, too, are not for it any more.
    func withdraw(_ key: ContentKey, target identity: String, heir: String, event: String?) throws {
        let content = try contents.number(of: key), target = try names.target(identity), heir = try names.target(heir)
        var query = try query(.removeDelivery)
        query.bind(content)
        query.bind(target)
        try query.execute()
        written?.contents.insert(content)
        try following.inherit(content, from: target, heir, event: event)
        if target != heir { try drop(target, from: content) }
    }

    private func drop(_ target: Int64, from content: Int64) throws {
        let mark = ",\(target),"
        var files = try query(.dropWanted)
        files.bind(mark)
        files.bind(content)
        files.bind(mark)
        try files.execute()
    }

    /// Writes down what the target said against the copy, or forgets what it said.
    func hear(_ key: ContentKey, target identity: String, _ denial: Denial?) throws {
        let content = try contents.number(of: key), target = try names.target(identity)
        var query = try query(denial == nil ? .removeDenial : .putDenial)
        query.bind(content)
        query.bind(target)
        if let denial {
            query.bind(denial.kind.rawValue)
            query.bind(denial.reason)
            query.bind(denial.at)
        }
        try query.execute()
    }

    private func bind(_ receipt: Receipt, of content: ContentKey, to query: inout Query) {
        let own = receipt.sha256 != nil && receipt.sha256 == content.sha256
        query.bind(receipt.path)
        query.bind(receipt.url)
        query.bind(receipt.id)
        query.bind(own ? nil : receipt.sha256)
        query.bind(own)
        query.bind(receipt.verified.rawValue)
        query.bind(receipt.at)
        query.bind(receipt.reason)
        query.bind(receipt.existed)
    }

    func write(_ name: ShotName, shot: String, target identity: String, event: String?) throws {
        let target = try names.target(identity)
        var query = try query(.putShotName)
        query.bind(target)
        query.bind(event ?? "")
        query.bind(shot)
        query.bind(name.counter)
        query.bind(name.suffix)
        query.bind(name.base)
        try query.execute()
    }

    func write(disk: String, of identity: String, _ name: String) throws {
        let id = try names.target(identity, name: name)
        var query = try query(.setDisk)
        query.bind(disk)
        query.bind(id)
        try query.execute()
    }
}
