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

    func apply(_ change: LedgerChange) throws {
        switch change {
        case .asset(let row): try write(row)
        case .delivery(let row): try write(row)
        case .withdraw(let key, let target, let heir, let event):
            try withdraw(key, target: target, heir: heir, event: event)
        case .heard(let key, let target, let denial): try hear(key, target: target, denial)
        case .cancelled(let row, let run, let at): try cancel(row, run: run, at: at)
        case .followed(let key, let twin, let run, let at): try follow(key, twin: twin, run: run, at: at)
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
