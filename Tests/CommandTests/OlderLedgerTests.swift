import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// State directories that an earlier release has left: with its tables, and with rows as it wrote them.
@Suite(.ownThreads, .serialized) struct OlderLedgerTests {
    private func python(_ script: String, _ words: [String]) throws {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        shell.arguments = ["python3", "-c", script] + words
        try shell.run()
        shell.waitUntilExit()
        try #require(shell.terminationStatus == 0)
    }

    /// Leaves the ledger as the release with so many migrations would have: that one wrote no name for what was not
    /// done.
    private func age(_ scene: NameTable, to version: Int) throws {
        let script = """
            import sqlite3, sys
            db = sqlite3.connect(sys.argv[1], isolation_level=None)
            steps = {
                13: "UPDATE delivery SET verified = 'server' WHERE verified = 'found';",
                12: "ALTER TABLE station DROP COLUMN cluster;",
                11: "DROP INDEX asset_open;",
                10: "UPDATE delivery SET verified = 'none' WHERE verified = 'hearsay';",
                9: "ALTER TABLE station DROP COLUMN telling;",
                8: "DROP TABLE told; DROP TABLE station;",
                7: "DROP INDEX delivery_mark; ALTER TABLE delivery DROP COLUMN mark_of; ALTER TABLE delivery DROP COLUMN mark_rule;"
                   "DROP TABLE mark_past; DROP TABLE mark; DROP TABLE mark_order;",
                6: "ALTER TABLE target DROP COLUMN disk;",
                5: "ALTER TABLE delivery DROP COLUMN pattern; ALTER TABLE delivery DROP COLUMN counter;"
                   "ALTER TABLE delivery DROP COLUMN suffix;"
                   "DELETE FROM shot_name WHERE target_id IN (SELECT target_id FROM delivery WHERE state <> 'done');",
                4: "DROP TABLE denial; DROP INDEX asset_flags;",
                3: "DROP TRIGGER asset_past; CREATE TRIGGER asset_past BEFORE UPDATE ON asset WHEN OLD.run <> NEW.run BEGIN"
                   " INSERT OR REPLACE INTO past SELECT * FROM asset WHERE volume_id = OLD.volume_id AND path = OLD.path"
                   " AND size = OLD.size AND modified = OLD.modified AND born = OLD.born AND inode = OLD.inode"
                   " AND changed = OLD.changed; END;",
                2: "DROP TRIGGER asset_past; DROP TABLE past;",
            }
            for number in range(13, int(sys.argv[2]), -1):
                db.executescript(steps[number])
                db.execute("DELETE FROM grdb_migrations WHERE identifier LIKE ?", (str(number) + " %",))
            assert db.execute("SELECT count(*) FROM grdb_migrations").fetchone()[0] == int(sys.argv[2])
            assert not list(db.execute("PRAGMA foreign_key_check"))
            """
        try python(script, [scene.table.state + "/ledger.sqlite", "\(version)"])
    }

    @Test(arguments: 1...5) func whatWaitedGoesOnUnderItsName(_ version: Int) throws {
        let scene = try NameTable(), file = try scene.pipeline()
        defer { scene.server.stop() }
        try scene.put("D/IMG_0001.JPG", "one")
        for number in 1...2 { try scene.put("C/IMG_000\(number).JPG", "frame \(number)") }
        #expect(try scene.take("D", file, ["--event", "e"]).status == 0)
        scene.down(true)
        #expect(try scene.take("C", file, ["--event", "e"]).status == 8)
        scene.down(false)
        try age(scene, to: version)
        // What only reads leaves the tables as they are: it says how to go on, or reads them.
        let status = try scene.table.run(["status"])
        #expect(status.status == 0 || status.output.contains("written by an older Filmgate"), "\(status.output)")
        let run = try scene.take("C", file, ["--event", "e"])
        #expect(
            run.status == 0 && run.count("delivered") + run.count("alreadySeen") + run.count("duplicate") == 2,
            "\(run.output)")
        let counts = try #require(try scene.table.run(["status"]).items("status").first?["assets"] as? [String: Int])
        #expect(counts["pending"] == 0 && counts["setAside"] == 0, "\(counts)")
        try scene.put("C/IMG_0001.XMP", "settings of frame 1")
        #expect(try scene.take("C", file, ["--event", "e"]).status == 0)
        let names = ["e/IMG_0001-2.JPG", "e/IMG_0001-2.XMP", "e/IMG_0001.JPG", "e/IMG_0002.JPG"]
        #expect(scene.names("archive") == names)
        #expect(scene.gallery == names.map { "/" + $0 })
        // Such a ledger cannot tell whether the gallery named a digest: it is asked.
        for card in ["C", "D"] {
            let proof = try scene.proof(card, asking: file)
            #expect(proof.status == 0, "\(proof.output)")
        }
        let again = try scene.take("C", file, ["--event", "e"])
        #expect(again.status == 0 && again.count("alreadySeen") == 3, "\(again.output)")
    }

    @Test(arguments: 1...5) func whatWasHeldGetsItsEvent(_ version: Int) throws {
        let scene = try NameTable(), file = try scene.pipeline("event: { hold: true }")
        defer { scene.server.stop() }
        for number in 1...2 { try scene.put("C/IMG_000\(number).JPG", "frame \(number)") }
        #expect(try scene.take("C", file).status == 8)
        try age(scene, to: version)
        #expect(try scene.table.run(["assign", "e", "--wait", "2s"]).status == 0)
        #expect(scene.names("archive") == ["e/IMG_0001.JPG", "e/IMG_0002.JPG"])
        #expect(scene.gallery == ["/e/IMG_0001.JPG", "/e/IMG_0002.JPG"])
        #expect(try scene.proof("C").status == 0)
    }

    /// An earlier release held what had its event already; another event ends it, and nothing is sent twice.
    @Test(arguments: [1, 5], ["zz"]) func whatWasHeldByMistakeHasAWayOut(_ version: Int, _ event: String) throws {
        let scene = try NameTable(), file = try scene.pipeline("event: { hold: true }")
        defer { scene.server.stop() }
        for number in 1...2 { try scene.put("C/IMG_000\(number).JPG", "frame \(number)") }
        #expect(try scene.take("C", file).status == 8)
        let ledger = scene.table.state + "/ledger.sqlite", held = scene.table.path("held.sqlite")
        try python(
            "import sqlite3,sys; sqlite3.connect(sys.argv[1]).execute('VACUUM INTO ?', (sys.argv[2],))", [ledger, held])
        #expect(try scene.table.run(["assign", "e", "--wait", "2s"]).status == 0)
        let script = """
            import sqlite3, sys
            db = sqlite3.connect(sys.argv[1])
            db.execute("ATTACH ? AS held", (sys.argv[2],))
            db.execute("INSERT INTO delivery SELECT * FROM held.delivery")
            db.execute("UPDATE asset SET ending = 'pending', event = '', wanted = (SELECT h.wanted FROM held.asset h "
                       "WHERE h.path = asset.path AND h.volume_id = asset.volume_id)")
            assert db.execute("SELECT count(*) FROM delivery WHERE state = 'held'").fetchone()[0] == 4
            db.commit()
            """
        try python(script, [ledger, held])
        try age(scene, to: version)
        let assigned = try scene.table.run(["assign", event, "--wait", "2s"])
        #expect(assigned.status == 0, "\(assigned.output)\(assigned.errors)")
        #expect(try !scene.table.run(["status"]).output.contains("no event"))
        let proof = try scene.proof("C")
        #expect(proof.status == 0, "\(proof.output)\(assigned.output)")
        // Whoever said another event gets it there, too.
        let events = Set(["e", event]).sorted()
        #expect(scene.names("archive") == events.flatMap { event in (1...2).map { "\(event)/IMG_000\($0).JPG" } })
        #expect(scene.gallery == events.flatMap { event in (1...2).map { "/\(event)/IMG_000\($0).JPG" } })
    }
}
