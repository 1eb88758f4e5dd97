import FilmgateCore
import Foundation
import GRDB
import Testing

@testable import FilmgateLedger

/// Ledgers whose tables an earlier release made, with rows in all of them.
@Suite struct OlderTests {
    /// One file that is done, one that waits, one that is held, with the name that the first was given.
    private static let rows = """
        INSERT INTO target (id, identity, name) VALUES (1, 'folder:/srv/photos', 'archive');
        INSERT INTO volume VALUES (1, 'uuid:1234');
        INSERT INTO place VALUES (1, '/media/ann/CARD', 'card');
        INSERT INTO run (id, verb, started, ended, exit) VALUES (1, 'import', 1, 2, 8);
        INSERT INTO shot_name VALUES (1, 'wedding', 'uuid:1234\u{1F}DCIM/100/img_0001\u{1F}', 7, 2, 'IMG_0001');
        """

    private static func file(
        _ number: Int, _ ending: String, _ state: String, event: String, path: String, file: String
    ) -> String {
        """
        INSERT INTO content (id, key, known) VALUES (\(number), '\(Samples.sha(number))', 1);
        INSERT INTO asset (volume_id, path, size, modified, born, inode, changed, place_id, run, kind, shot, stem, content_id, wanted,
            ending, event, at, since)
        VALUES (1, 'DCIM/100/IMG_000\(number).JPG', 10, 5, 0, 0, 0, 1, 1, 'jpeg', 'DCIM/100/img_000\(number)', 'IMG_000\(number)',
            \(number), '1', '\(ending)', '\(event)', 9, 9);
        INSERT INTO delivery (content_id, target_id, state, size, path, path_folded, event, receipt_path, own_sha256, verified, at,
            existed, file, staged, attempts)
        VALUES (\(number), 1, '\(state)', 10, '\(path)', '\(path.lowercased())', '\(event)', '/srv/photos/\(path)', 1, 'reread', 9, 0,
            \(file), 1, 1);

        """
    }

    private func older(_ version: Int) async throws -> TemporaryState {
        let state = try TemporaryState()
        try FileManager.default.createDirectory(atPath: state.path, withIntermediateDirectories: true)
        let queue = try DatabaseQueue(path: state.database)
        try LedgerSchema.migrator.migrate(queue, upTo: LedgerSchema.migrator.migrations[version - 1])
        try await queue.write { db in
            try db.execute(sql: Self.rows)
            try db.execute(
                sql: Self.file(1, "delivered", "done", event: "wedding", path: "wedding/IMG_0001-2.JPG", file: "NULL"))
            try db.execute(
                sql: Self.file(
                    2, "pending", "pending", event: "wedding", path: "wedding/IMG_0002.JPG", file: "'/x/2.part'"))
            try db.execute(
                sql: Self.file(3, "pending", "held", event: "", path: "\u{F0000}/IMG_0003.JPG", file: "'/x/3.part'"))
        }
        try queue.close()
        return state
    }

    /// Of a release that is to come, this test is there before its migration is.
    @Test(arguments: 1..<13) func theirRowsAreReadAndGoneOnWith(_ version: Int) async throws {
        let state = try await older(version)
        // A reader changes no tables: it says that they are older.
        #expect(failure { () throws(IngestError) in try state.reader() }?.advice != nil)
        let ledger = try state.open()
        let waiting = try await ledger.queue([.pending, .held])
        #expect(waiting.map(\.delivery.path) == ["wedding/IMG_0002.JPG", "\u{F0000}/IMG_0003.JPG"])
        #expect(waiting.map(\.asset.origin.name) == ["IMG_0002.JPG", "IMG_0003.JPG"])
        #expect(
            waiting.allSatisfy { $0.delivery.name == nil && $0.delivery.denial == nil && $0.delivery.attempts == 1 })
        #expect(waiting.map(\.delivery.isUnassigned) == [false, true])
        #expect(try await ledger.known(volume: "uuid:1234").count == 3)
        #expect(
            try await ledger.holder(of: "wedding/img_0001-2.jpg", at: Samples.archive)
                == ContentKey(sha256: Samples.sha(1)))
        #expect(try await ledger.counter(at: Samples.archive, event: "wedding") == 7)
        #expect(
            try await ledger.files(named: "wedding/IMG_0001-2", at: Samples.archive).map(\.shot.stem) == ["IMG_0001"])
        let names = try await ledger.shotNames(
            below: "uuid:1234\u{1F}DCIM/100/img_0001\u{1F}", at: Samples.archive, event: "wedding")
        #expect(names.map(\.name) == [ShotName(counter: 7, suffix: 2, base: "IMG_0001")])
        // Another run ends what waited, and both remember what was.
        var row = waiting[0].asset, delivery = waiting[0].delivery
        (row.run, row.ending) = (try await ledger.beginRun(verb: "retry", event: nil, at: 20), .delivered)
        (delivery.receipt.state, delivery.file, delivery.staged) = (.done, nil, false)
        try await ledger.record([
            .asset(row), .delivery(delivery),
            .heard(delivery.content, target: delivery.target, Denial(.gone, "removed since", at: 30)),
        ])
        #expect(try await ledger.queue([.pending]).isEmpty)
        #expect(try await ledger.deliveries(of: delivery.content).first?.denial?.kind == .gone)
        #expect(try await ledger.totals().assets[.delivered] == 2)
        #expect(try await ledger.integrityCheck() == [])
        #expect(row.run == 2)
        ledger.close()
        #expect(try await state.reader().queue([.held]).count == 1)
    }

    /// A word of another station stays one, and what a target said of itself does not become one.
    @Test(arguments: [false, true]) func wordsOfOtherStationsAreKnownByTheirProof(isJoined: Bool) async throws {
        let state = try await older(9), queue = try DatabaseQueue(path: state.database)
        let words = "desk-3 says that it delivered it; gallery cannot be asked"
        try await queue.write { db in
            try db.execute(
                sql: "UPDATE delivery SET verified = 'none', reason = ? WHERE content_id <= 2", arguments: [words])
            if isJoined {
                try db.execute(sql: "INSERT INTO station VALUES (1, 'a', 'desk-5', 1, 'b', 0, NULL, 0, NULL)")
                try StationTables.listen(db)
            }
        }
        try queue.close()
        let ledger = try state.open()
        func receipt(_ number: Int) async throws -> Receipt? {
            try await ledger.deliveries(of: ContentKey(sha256: Samples.sha(number))).first?.receipt
        }
        let word = try #require(try await receipt(1))
        #expect(word.isHearsay && word.verified == .hearsay && word.reason == words)
        // What waits has no proof of anything.
        #expect(try await receipt(2)?.verified == Receipt.Proof.none)
        #expect(try await receipt(3)?.verified == .reread)
        // To the others it is what it was.
        let told = try await ledger.untold(after: 0, limit: 10)
        #expect(told?.deliveries.map(\.state) ?? [] == (isJoined ? [DeliveryFact.State.done] : []))
        ledger.close()
    }

    /// A receipt says no more that a target named the digest where it may only have found the bytes.
    @Test(arguments: ["s3:https://s3.example/bucket", "http:https://gallery.example/"])
    func whatMayOnlyHaveBeenFoundIsNoConfirmedDigest(_ target: String) async throws {
        let state = try await older(11), queue = try DatabaseQueue(path: state.database)
        try await queue.write { db in
            try db.execute(sql: "UPDATE target SET identity = ?", arguments: [target])
            try db.execute(sql: "UPDATE delivery SET state = 'done', verified = 'server'")
            try db.execute(sql: "UPDATE delivery SET existed = 1 WHERE content_id = 2")
            try db.execute(sql: "UPDATE delivery SET attempts = 2 WHERE content_id = 3")
        }
        try queue.close()
        let ledger = try state.open()
        var proofs: [Receipt.Proof?] = []
        for number in 1...3 {
            proofs.append(
                try await ledger.deliveries(of: ContentKey(sha256: Samples.sha(number))).first?.receipt.verified)
        }
        #expect(proofs == [target.hasPrefix("http:") ? .found : .server, .found, .found])
        ledger.close()
    }

    /// Whoever adds a migration adds the tables that it leaves to what is tested here.
    @Test func allReleasesAreTested() { #expect(LedgerSchema.migrator.migrations.count == 13) }
}
