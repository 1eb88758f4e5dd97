import GRDB

/// The tables, as a list of migrations that only ever grows: one that was released is never edited.
///
/// Text is compared as bytes (SQLite's BINARY), so two names that differ only in Unicode normalisation stay two files;
/// only `delivery.path_folded` is folded and normalised. Times are nanoseconds since 1970.
enum LedgerSchema {
    static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 assets and deliveries", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: names + contents + assets + deliveries)
        }
        migrator.registerMigration("2 what earlier runs did", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: past)
        }
        migrator.registerMigration("3 runs side by side", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: pastAnew)
        }
        migrator.registerMigration("4 what targets said later", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: denials)
        }
        migrator.registerMigration("5 the parts of a name", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: nameParts)
        }
        migrator.registerMigration("6 the disks of folders", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: disks)
        }
        migrator.registerMigration("7 marks", foreignKeyChecks: .immediate) { db in try db.execute(sql: marks) }
        migrator.registerMigration("8 what stations tell", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: StationTables.sql)
        }
        migrator.registerMigration("9 what is being told", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: StationTables.telling)
        }
        migrator.registerMigration("10 words of other stations", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: StationTables.hearsay)
        }
        migrator.registerMigration("11 files that are open", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: openFiles)
        }
        migrator.registerMigration("12 the cluster of a catalogue", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: StationTables.cluster)
        }
        migrator.registerMigration("13 what was only found", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: onlyFound)
        }
        return migrator
    }()

    /// Words that many rows share, and the runs.
    private static let names = """
        CREATE TABLE target (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, name TEXT NOT NULL) STRICT;
        CREATE TABLE volume (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE place (id INTEGER PRIMARY KEY, root TEXT NOT NULL, source TEXT NOT NULL, UNIQUE (root, source)) STRICT;
        CREATE TABLE run (
            id INTEGER PRIMARY KEY AUTOINCREMENT, verb TEXT NOT NULL, event TEXT, started INTEGER NOT NULL, ended INTEGER, exit INTEGER,
            set_aside INTEGER, pending INTEGER, delivered INTEGER, duplicate INTEGER, already_seen INTEGER, filtered INTEGER,
            bytes INTEGER, bytes_read INTEGER, seconds REAL
        ) STRICT;
        CREATE TABLE note (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, asset TEXT, text TEXT NOT NULL) STRICT;
        CREATE INDEX note_asset ON note (asset) WHERE asset IS NOT NULL;

        """

    /// What is known of bytes, whatever file they came in.
    ///
    /// `known` = 1 once the metadata was read, even where there was none. Few cameras make many files, so what tells
    /// them apart is kept once.
    private static let contents = """
        CREATE TABLE camera (id INTEGER PRIMARY KEY, make TEXT, model TEXT, serial TEXT, owner TEXT) STRICT;
        CREATE INDEX camera_serial ON camera (serial, model, make, owner);
        CREATE TABLE content (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, known INTEGER NOT NULL DEFAULT 0, camera_id INTEGER REFERENCES camera (id),
            captured TEXT, sha1 TEXT, md5 TEXT, xxh128 TEXT, artist TEXT, lens_model TEXT, lens_serial TEXT, exposure_num INTEGER,
            exposure_den INTEGER, aperture_num INTEGER, aperture_den INTEGER, iso INTEGER, focal_num INTEGER, focal_den INTEGER, orientation INTEGER,
            width INTEGER, height INTEGER, latitude REAL, longitude REAL, altitude REAL, rating INTEGER, image_number INTEGER, duration REAL
        ) STRICT;

        """

    /// The key is what makes it the same file; a card's files lie side by side in its order.
    ///
    /// `root_path` only where the path below the root is not the path below the volume. `run` may be 0: outside any
    /// run. `since` is when the file was first recorded, `at` when last.
    private static let assets = """
        CREATE TABLE asset (
            volume_id INTEGER NOT NULL REFERENCES volume (id), path TEXT NOT NULL, size INTEGER NOT NULL,
            modified INTEGER NOT NULL, born INTEGER NOT NULL, inode INTEGER NOT NULL, changed INTEGER NOT NULL,
            place_id INTEGER NOT NULL REFERENCES place (id), root_path TEXT, run INTEGER NOT NULL, kind TEXT NOT NULL,
            shot TEXT NOT NULL, stem TEXT NOT NULL, inner_path TEXT, sidecar_of TEXT, content_id INTEGER REFERENCES content (id),
            flags TEXT, wanted TEXT, ending TEXT, reason TEXT, twin TEXT, event TEXT, photographer TEXT, at INTEGER NOT NULL,
            since INTEGER NOT NULL, PRIMARY KEY (volume_id, path, size, modified, born, inode, changed)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX asset_content ON asset (content_id);
        CREATE INDEX asset_run ON asset (run, ending);
        CREATE INDEX asset_made ON asset (ending) WHERE flags = 'made';

        """

    /// What a run left of a file that a later run went on with: the columns of `asset`, in their order.
    ///
    /// Written only where that happens, so that the first import of a card costs nothing more.
    private static let past = """
        CREATE TABLE past (
            volume_id INTEGER NOT NULL REFERENCES volume (id), path TEXT NOT NULL, size INTEGER NOT NULL,
            modified INTEGER NOT NULL, born INTEGER NOT NULL, inode INTEGER NOT NULL, changed INTEGER NOT NULL,
            place_id INTEGER NOT NULL REFERENCES place (id), root_path TEXT, run INTEGER NOT NULL, kind TEXT NOT NULL,
            shot TEXT NOT NULL, stem TEXT NOT NULL, inner_path TEXT, sidecar_of TEXT, content_id INTEGER REFERENCES content (id),
            flags TEXT, wanted TEXT, ending TEXT, reason TEXT, twin TEXT, event TEXT, photographer TEXT, at INTEGER NOT NULL,
            since INTEGER NOT NULL, PRIMARY KEY (run, volume_id, path, size, modified, born, inode, changed)
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER asset_past BEFORE UPDATE ON asset WHEN OLD.run <> NEW.run BEGIN
            INSERT OR REPLACE INTO past SELECT * FROM asset WHERE volume_id = OLD.volume_id AND path = OLD.path AND size = OLD.size
                AND modified = OLD.modified AND born = OLD.born AND inode = OLD.inode AND changed = OLD.changed;
        END;
        """

    /// Two runs may take turns at one file: the later word of each counts.
    ///
    /// Inside an upsert SQLite takes the upsert's conflict rule for the trigger's own `OR REPLACE`, so what is replaced
    /// is deleted by name.
    private static let pastAnew = """
        DROP TRIGGER asset_past;
        CREATE TRIGGER asset_past BEFORE UPDATE ON asset WHEN OLD.run <> NEW.run BEGIN
            DELETE FROM past WHERE run IN (OLD.run, NEW.run) AND volume_id = OLD.volume_id AND path = OLD.path AND size = OLD.size
                AND modified = OLD.modified AND born = OLD.born AND inode = OLD.inode AND changed = OLD.changed;
            INSERT INTO past SELECT * FROM asset WHERE volume_id = OLD.volume_id AND path = OLD.path AND size = OLD.size
                AND modified = OLD.modified AND born = OLD.born AND inode = OLD.inode AND changed = OLD.changed;
        END;
        """

    /// How `path` is made, for what is not done yet: `pattern` with places for event, number and suffix; all NULL where
    /// it cannot change.
    private static let nameParts = """
        ALTER TABLE delivery ADD COLUMN pattern TEXT;
        ALTER TABLE delivery ADD COLUMN counter INTEGER;
        ALTER TABLE delivery ADD COLUMN suffix INTEGER;
        """

    /// Where a folder was when something was delivered there last; NULL for what is no folder.
    private static let disks = "ALTER TABLE target ADD COLUMN disk TEXT;"

    /// What people say of pictures: all of it in tables of its own, which are written beside the run that holds the
    /// state, and by content, so that no number in them is new.
    ///
    /// Each word names the order that said it (`…_revision`); a revision without a word: it was taken back. `mark_past`
    /// is what stood before an order, kept while `kept` = 1 so that it can be undone; `MarkHistory` says how. A delivery
    /// may wait for marks: for those of which picture, and how it is judged.
    private static let marks = """
        CREATE TABLE mark_order (
            revision INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT NOT NULL UNIQUE, said_by TEXT NOT NULL, at INTEGER NOT NULL,
            pictures INTEGER NOT NULL, kept INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX mark_order_kept ON mark_order (revision) WHERE kept = 1;
        CREATE TABLE mark (
            sha256 TEXT NOT NULL PRIMARY KEY, rating INTEGER, rating_revision INTEGER NOT NULL, pick TEXT, pick_revision INTEGER NOT NULL,
            colour INTEGER, colour_revision INTEGER NOT NULL, revision INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX mark_latest ON mark (revision);
        CREATE TABLE mark_past (
            revision INTEGER NOT NULL, sha256 TEXT NOT NULL, rating INTEGER, rating_revision INTEGER NOT NULL, pick TEXT,
            pick_revision INTEGER NOT NULL, colour INTEGER, colour_revision INTEGER NOT NULL, PRIMARY KEY (revision, sha256)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE delivery ADD COLUMN mark_of TEXT;
        ALTER TABLE delivery ADD COLUMN mark_rule TEXT;
        CREATE INDEX delivery_mark ON delivery (mark_of) WHERE mark_of IS NOT NULL;
        """

    /// Few files wait or were set aside: they are found without going through all that were delivered.
    ///
    /// A file that is delivered at once never enters it, so that writing costs no more.
    private static let openFiles =
        "CREATE INDEX asset_open ON asset (ending, at) WHERE ending IN ('pending', 'setAside');"

    /// Receipts of earlier releases did not tell what a target found from what it named the digest of: all that may be the
    /// former counts as that.
    ///
    /// `http` asked also after sending, where the answer to that said nothing.
    private static let onlyFound = """
        UPDATE delivery SET verified = 'found' WHERE state = 'done' AND verified = 'server'
            AND (existed = 1 OR attempts > 1 OR target_id IN (SELECT id FROM target WHERE identity LIKE 'http:%'));
        """

    /// Few copies are ever denied, so they have a table of their own, which may be written beside the run that holds
    /// the state: no number in it is new, and the writer remembers none of it.
    ///
    /// Few files have flags: those that are damaged are counted by that index.
    private static let denials = """
        CREATE TABLE denial (
            content_id INTEGER NOT NULL REFERENCES content (id), target_id INTEGER NOT NULL REFERENCES target (id),
            kind TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (content_id, target_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX asset_flags ON asset (flags) WHERE flags IS NOT NULL;
        """

    /// `own_sha256` = 1 where the receipt's SHA-256 is the content's; `sha256` then stays empty.
    private static let deliveries = """
        CREATE TABLE delivery (
            content_id INTEGER NOT NULL REFERENCES content (id), target_id INTEGER NOT NULL REFERENCES target (id),
            state TEXT NOT NULL, size INTEGER NOT NULL, path TEXT NOT NULL, path_folded TEXT NOT NULL, event TEXT,
            receipt_path TEXT, url TEXT, remote_id TEXT, sha256 TEXT,
            own_sha256 INTEGER NOT NULL, verified TEXT NOT NULL, at INTEGER NOT NULL, reason TEXT, existed INTEGER NOT NULL,
            file TEXT, staged INTEGER NOT NULL, attempts INTEGER NOT NULL, next_try INTEGER,
            PRIMARY KEY (content_id, target_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX delivery_open ON delivery (state, target_id) WHERE state <> 'done';
        CREATE INDEX delivery_path ON delivery (target_id, path_folded);
        CREATE TABLE shot_name (
            target_id INTEGER NOT NULL REFERENCES target (id), event TEXT NOT NULL, shot TEXT NOT NULL,
            counter INTEGER NOT NULL, suffix INTEGER NOT NULL, base TEXT NOT NULL, PRIMARY KEY (target_id, event, shot)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX shot_name_counter ON shot_name (target_id, event, counter) WHERE counter > 0;
        """
}
