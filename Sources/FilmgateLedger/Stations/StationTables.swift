import GRDB

/// What this state directory tells a catalogue: two tables that stay empty where there is none.
///
/// Changes are noted by triggers, which exist only while the ledger has joined a catalogue: in the same transaction as
/// the row itself, whoever writes it, and without a catalogue nothing is done at all.
enum StationTables {
    /// `told` has what changed, not the change: rows are read when they are told, so that three changes of one are told
    /// once.
    ///
    /// A line is either a file (volume, path) or a delivery (content, target). Numbers are never used twice, also when
    /// lines are gone.
    static let sql = """
        CREATE TABLE station (
            one INTEGER PRIMARY KEY CHECK (one = 1), uuid TEXT NOT NULL, name TEXT NOT NULL, epoch INTEGER NOT NULL, catalog TEXT NOT NULL,
            acknowledged INTEGER NOT NULL, session INTEGER, timeline INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE told (
            seq INTEGER PRIMARY KEY AUTOINCREMENT, volume_id INTEGER, path TEXT, content_id INTEGER, target_id INTEGER
        ) STRICT;
        """

    /// Up to where a report goes that is being told, noted before: what the catalogue says to know is that or what it
    /// said last, or somebody else told it in this station's name.
    static let telling = "ALTER TABLE station ADD COLUMN telling INTEGER;"

    /// Whose history `timeline` is; NULL where the server did not say, or a program of before met it.
    static let cluster = "ALTER TABLE station ADD COLUMN cluster INTEGER;"

    /// Of a delivery that only another station says to have made, the proof says so; before, its reason alone did.
    static let hearsay = """
        UPDATE delivery SET verified = 'hearsay'
        WHERE state = 'done' AND verified = 'none' AND reason LIKE '%says that it delivered it%';
        """

    private static let file = "INSERT INTO told (volume_id, path) VALUES (NEW.volume_id, NEW.path)"
    private static func delivery(_ row: String) -> String {
        "INSERT INTO told (content_id, target_id) VALUES (\(row).content_id, \(row).target_id)"
    }
    private static let receipts = ["state", "verified", "receipt_path", "url", "remote_id", "sha256"]
        .map { "NEW.\($0) IS NOT OLD.\($0)" }.joined(separator: " OR ")

    /// By name; each makes a line in `told`.
    private static let triggers: [(name: String, sql: String)] = [
        ("told_asset_new", "AFTER INSERT ON asset WHEN NEW.ending IS NOT NULL BEGIN \(file); END"),
        (
            "told_asset",
            "AFTER UPDATE ON asset WHEN NEW.ending IS NOT NULL AND (NEW.ending IS NOT OLD.ending OR NEW.content_id IS NOT OLD.content_id) "
                + "BEGIN \(file); END"
        ),
        ("told_delivery_new", "AFTER INSERT ON delivery WHEN NEW.state = 'done' BEGIN \(delivery("NEW")); END"),
        (
            "told_delivery",
            "AFTER UPDATE ON delivery WHEN (NEW.state = 'done' OR OLD.state = 'done') AND (\(receipts)) BEGIN \(delivery("NEW")); END"
        ),
        ("told_delivery_gone", "AFTER DELETE ON delivery WHEN OLD.state = 'done' BEGIN \(delivery("OLD")); END"),
        ("told_denial_new", "AFTER INSERT ON denial BEGIN \(delivery("NEW")); END"),
        ("told_denial", "AFTER UPDATE ON denial WHEN NEW.kind IS NOT OLD.kind BEGIN \(delivery("NEW")); END"),
        ("told_denial_gone", "AFTER DELETE ON denial BEGIN \(delivery("OLD")); END"),
    ]

    static func listen(_ db: Database) throws {
        for trigger in triggers { try db.execute(sql: "CREATE TRIGGER IF NOT EXISTS \(trigger.name) \(trigger.sql)") }
    }

    static func stopListening(_ db: Database) throws {
        for trigger in triggers { try db.execute(sql: "DROP TRIGGER IF EXISTS \(trigger.name)") }
    }
}
