import Foundation
import TestThreads
import Testing

/// What is left waiting, and what becomes of it.
@Suite(.ownThreads) struct RetryTests {
    /// A card of three frames, one of them twice, imported while the gallery is away.
    private func scene() throws -> (table: Table, pipeline: String, address: String) {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        let folder = table.card + "/DCIM/100TEST"
        try FileManager.default.copyItem(atPath: folder + "/IMG_0001.JPG", toPath: folder + "/IMG_0009.JPG")
        let gallery = try Gallery(table)
        let pipeline = try table.pipeline(gallery)
        gallery.stop()
        let run = try table.deliver(pipeline, wait: "1s")
        #expect(run.status == 8)
        #expect(run.count("pending") == 4)
        // Three of them are in the archive, whatever waits for the gallery.
        #expect(run.count("bytes") == table.files(table.archive).values.reduce(0) { $0 + $1.count })
        return (table, pipeline, gallery.address)
    }

    private func retry(_ table: Table, _ more: [String] = []) throws -> Program.Outcome {
        try table.run(["retry", "--wait", "2s"] + more, environment: Gallery.environment)
    }

    @Test func aTwinOfAPendingFileEndsWithIt() throws {
        let (table, _, address) = try scene()
        let gallery = try Gallery(table, at: address)
        let run = try retry(table)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.count("delivered") == 3)
        #expect(run.count("duplicate") == 1)
        #expect(try gallery.assets().count == 3)
        let status = try #require(try table.run(["status"]).items("status").first)
        #expect((status["assets"] as? [String: Int])?["pending"] == 0)
        #expect(try table.run(["history", "--run", "2"]).items().count == 4)
        let format = try table.run(["safe-to-format", table.card, "--allow", "same-device"])
        #expect(format.status == 0, "\(format.output)")
    }

    /// By its name, by how its SHA-256 begins, by its path: that file is sent, and no other.
    @Test func aFileThatIsNamedIsSentAlone() throws {
        let (table, _, address) = try scene(), gallery = try Gallery(table, at: address)
        let taken = try table.run(["history", "--run", "1"]).items()
        let third = try #require(taken.first { ($0["path"] as? String)?.hasSuffix("IMG_0003.JPG") == true })
        let sha256 = try #require(third["sha256"] as? String), folder = table.card + "/DCIM/100TEST"
        // The first lies there twice: either of its names means it.
        for (number, name) in ["IMG_0002.JPG", String(sha256.prefix(12)), folder + "/IMG_0001.JPG"].enumerated() {
            let sent = try retry(table, [name])
            #expect(sent.status == 0 && sent.count("delivered") == 1, "\(name): \(sent.output)\(sent.errors)")
            #expect(try gallery.assets().count == number + 1, "\(name)")
        }
        // Known, and waiting for nothing: that is no mistake.
        let again = try retry(table, [folder + "/IMG_0001.JPG"])
        #expect(again.status == 0 && again.count("delivered") == 0 && again.errors.contains("Nothing of"))
    }

    /// What was refused is sent when that is asked for, and the way is named.
    @Test func aRefusedFileIsSentAgainByItsName() throws {
        let (table, _, address) = try scene(), gallery = try Gallery(table, at: address)
        try table.change(ledger: "UPDATE delivery SET state = 'failed' WHERE state = 'pending'")
        let words = ["IMG_0002.JPG", "--state", table.state, "--wait", "2s"]
        let said = try Program.run(["retry"] + words, environment: Gallery.environment)
        #expect(said.status == 0 && said.output.contains("`filmgate retry --failed`"), "\(said.output)\(said.errors)")
        let sent = try Program.run(["retry", "--failed"] + words, environment: Gallery.environment)
        #expect(sent.status == 0, "\(sent.output)\(sent.errors)")
        #expect(try gallery.assets().count == 1)
    }

    /// The same frames lie on a second card, which was taken later: the folder of either means them.
    @Test(arguments: [false, true]) func aFolderMeansItsFilesWhereverElseTheyLie(_ isSecond: Bool) throws {
        let (table, pipeline, address) = try scene(), folder = "/DCIM/100TEST"
        try FileManager.default.copyItem(atPath: table.card, toPath: table.path("SECOND"))
        try table.frames("SECOND", count: 1, from: 5)
        let second = ["import", table.path("SECOND"), "--pipeline", pipeline, "--wait", "1s"]
        #expect(try table.run(second, environment: Gallery.environment).status == 8)
        let gallery = try Gallery(table, at: address)
        let one = try retry(table, [(isSecond ? table.path("SECOND") : table.card) + folder + "/IMG_0002.JPG"])
        #expect(one.status == 0, "\(one.output)\(one.errors)")
        #expect(try gallery.assets().count == 1)
        let all = try retry(table, [isSecond ? table.path("SECOND") : table.card])
        #expect(all.status == 0, "\(all.output)\(all.errors)")
        #expect(try gallery.assets().count == (isSecond ? 4 : 3))
    }

    /// They go to an active run in one line of JSON, where some signs take several bytes.
    @Test func moreNamesThanGoIntoOneLineAreRefused() throws {
        let table = try Table(), line = String(repeating: "\\", count: 199) + "\n"
        let said = try table.run(["retry", "-"], input: String(repeating: line, count: 10_000))
        let text = said.items("error").last?["message"] as? String
        #expect(said.status == 2 && text?.contains("more files than one command takes") == true, "\(said.output)")
    }

    /// Each path is looked up by itself, and not among all that waits.
    @Test func veryManyPathsTakeNoLongTime() throws {
        let (table, _, _) = try scene(), count = 12_000, made = "c.key LIKE '\(String(repeating: "0", count: 50))%'"
        try table.change(
            ledger: """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO content (key, known) SELECT printf('%064x', i), 1 FROM n
                """)
        try table.change(
            ledger: """
                INSERT INTO asset (volume_id, path, size, modified, born, inode, changed, place_id, root_path, run, kind, shot, stem,
                    content_id, wanted, ending, at, since)
                SELECT a.volume_id, 'many/' || c.id, a.size, a.modified, a.born, a.inode, a.changed, a.place_id,
                    'MANY/' || substr(c.key, 60) || '.JPG', a.run, a.kind, 'many/' || c.id, a.stem, c.id, a.wanted, 'pending', a.at, a.since
                FROM (SELECT * FROM asset LIMIT 1) a, content c WHERE \(made)
                """)
        try table.change(
            ledger: """
                INSERT INTO delivery (content_id, target_id, state, size, path, path_folded, own_sha256, verified, at, existed, staged, attempts)
                SELECT c.id, d.target_id, 'pending', d.size, 'many/' || c.id, 'many/' || c.id, d.own_sha256, d.verified, d.at, 0, 0, 0
                FROM (SELECT * FROM delivery WHERE state = 'pending' LIMIT 1) d, content c WHERE \(made)
                """)
        let names = (1...count).map { "\(table.card)/MANY/\(String(format: "%05x", $0)).JPG\n" }.joined()
        let start = ContinuousClock.now
        let said = try table.run(["assign", "x", "-"], environment: Gallery.environment, input: names)
        #expect(said.status == 0 && said.errors.contains("Nothing of that is held"), "\(said.output)\(said.errors)")
        #expect(ContinuousClock.now - start < .seconds(40))
    }

    @Test func aNameThatFitsNothingOrSeveralFramesIsRefused() throws {
        let (table, pipeline, _) = try scene()
        try table.frames("SECOND", count: 1, from: 2)
        let second = ["import", table.path("SECOND"), "--pipeline", pipeline, "--wait", "1s"]
        #expect(try table.run(second, environment: Gallery.environment).status == 8)
        for (name, words) in [
            ("IMG_0002.JPG", "does not say which frame is meant"), ("IMG_0008.JPG", "Did you mean `IMG_000"),
            (
                table.path("CARDS") + "/DCIM/100TEST/IMG_0002.JPG",
                "Did you mean `\(table.card)/DCIM/100TEST/IMG_0002.JPG`"
            ),
            ("0000000000", "No picture with the SHA-256"), (String(repeating: "0", count: 64), "no such file is known"),
            ("-", "Standard input names no file."),
        ] {
            let run = try retry(table, [name]), text = run.items("error").last?["message"] as? String
            #expect(run.status == 2 && text?.contains(words) == true, "\(name): \(run.output)\(run.errors)")
            #expect(run.count("pending") == 0, "nothing is tried")
        }
    }

    /// The place is what counts, whatever the pipeline file calls it by now.
    @Test func aTargetThatGotAnotherNameIsTriedByThat() throws {
        let (table, pipeline, address) = try scene()
        let gallery = try Gallery(table, at: address), text = try String(contentsOfFile: pipeline, encoding: .utf8)
        let renamed = try table.write("renamed.yaml", text.replacingOccurrences(of: "gallery", with: "web"))
        let words = ["retry", "--target", "web", "--pipeline", renamed, "--wait", "2s", "--state", table.state]
        let sent = try Program.run(words, environment: Gallery.environment)
        #expect(try gallery.assets().count == 3, "\(sent.output)\(sent.errors)")
        #expect(try Program.run(words, environment: Gallery.environment).output.contains("Nothing is waiting"))
        gallery.stop()
    }

    /// The twin lies on another card, which a later import delivered.
    @Test func aLaterCardWithTheSameBytesEndsWhatWaited() throws {
        let (table, pipeline, address) = try scene()
        let gallery = try Gallery(table, at: address)
        try FileManager.default.copyItem(atPath: table.card, toPath: table.path("SECOND"))
        let second = try table.run(
            ["import", table.path("SECOND"), "--pipeline", pipeline, "--wait", "20s"], environment: Gallery.environment)
        #expect(second.status == 0, "\(second.errors)")
        let status = try #require(try table.run(["status"]).items("status").first)
        #expect((status["assets"] as? [String: Int])?["pending"] == 0)
        gallery.stop()
    }

    /// Two pipelines that call their targets the same: what one of them delivered is not what the other one waits for.
    @Test func aTargetOfTheSameNameEndsNothing() throws {
        let (table, pipeline, address) = try scene()
        let other = try Gallery(table, in: "other")
        let moved = try table.pipeline(other, name: "moved.yaml")
        #expect(try table.deliver(moved).status == 0)
        #expect(try other.assets().count == 3)
        let away = try retry(table)
        #expect(away.status == 8 && away.count("pending") == 3, "\(away.summary)")
        let gallery = try Gallery(table, at: address)
        let run = try retry(table)
        #expect(run.status == 0 && run.count("delivered") == 3, "\(run.items())")
        #expect(try gallery.assets().count == 3 && other.assets().count == 3)
        #expect(try table.deliver(pipeline).count("delivered") == 0)
    }

    /// Without a folder that has them, the bytes wait in the spool: they stay there until the gallery that they are for
    /// has them.
    @Test func spooledBytesStayForATargetOfTheSameName() throws {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        func pipeline(_ gallery: Gallery, _ name: String) throws -> String {
            let text = try String(contentsOfFile: try table.pipeline(gallery), encoding: .utf8)
            return try table.write(name, text.replacingOccurrences(of: "to: [archive, gallery]", with: "to: [gallery]"))
        }
        let gallery = try Gallery(table), first = try pipeline(gallery, "first.yaml"), address = gallery.address
        gallery.stop()
        #expect(try table.deliver(first, wait: "1s").status == 8)
        let other = try Gallery(table, in: "other")
        #expect(try table.deliver(try pipeline(other, "second.yaml")).status == 0)
        try FileManager.default.removeItem(atPath: table.card + "/DCIM")
        let back = try Gallery(table, at: address)
        let run = try retry(table, ["--pipeline", first])
        #expect(run.status == 0 && run.count("delivered") == 3, "\(run.items())")
        #expect(try back.assets().count == 3)
    }

    @Test func whatIsStillWaitingEndsWithEight() throws {
        let (table, _, _) = try scene()
        let away = try retry(table)
        #expect(away.status == 8)
        #expect(away.count("pending") == 4)
        // Another pipeline knows nothing of that gallery: what waits for it goes on waiting.
        let other = try table.write(
            "other.yaml",
            "version: 1\nstages: [{ upload: { to: [archive] } }]\ntargets: { archive: { folder: { path: \"\(table.archive)\" } } }\n"
        )
        let elsewhere = try retry(table, ["--pipeline", other])
        #expect(elsewhere.status == 8)
        #expect(elsewhere.items().allSatisfy { ($0["reason"] as? String)?.contains("--pipeline") == true })
        #expect(elsewhere.count("pending") == 3)
    }

    /// The file calls the gallery otherwise by now: asked for by that name, too, it gets what waits for it.
    @Test func aTargetThatWasRenamedIsTheSameTarget() throws {
        let (table, pipeline, address) = try scene(), gallery = try Gallery(table, at: address)
        let text = try String(contentsOfFile: pipeline, encoding: .utf8).replacingOccurrences(
            of: "gallery]", with: "wall]")
        let renamed = try table.write("renamed.yaml", text.replacingOccurrences(of: "\n  gallery:", with: "\n  wall:"))
        let run = try retry(table, ["--target", "wall", "--pipeline", renamed])
        #expect(run.status == 0 && run.count("delivered") == 3, "\(run.errors)\(run.output)")
        #expect(try gallery.assets().count == 3)
    }

    @Test func aTargetThatNobodyKnowsIsAUsageError() throws {
        let (table, _, _) = try scene()
        let run = try retry(table, ["--target", "galery"])
        #expect(run.status == 2)
        #expect(run.errors.contains("Did you mean `gallery`?") && run.errors.contains("archive, gallery"))
    }

    /// Killed between a folder's taking the bytes and the ledger's hearing of it, and the card is gone: the bytes are
    /// in the folder.
    @Test func whatTheFolderTookBeforeTheEndIsFoundThere() throws {
        let (table, _, address) = try scene()
        try table.change(
            ledger: "UPDATE delivery SET state = 'pending', receipt_path = NULL, file = '/gone/1.part', staged = 1")
        try FileManager.default.removeItem(atPath: table.card)
        let gallery = try Gallery(table, at: address), run = try retry(table)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.count("delivered") == 3)
        #expect(try gallery.assets().count == 3)
        #expect(table.files(table.archive).count == 3)
    }

    @Test func historyTellsWhatARunDid() throws {
        let (table, _, address) = try scene()
        let gallery = try Gallery(table, at: address)
        _ = try retry(table)
        gallery.stop()
        let first = try table.run(["history", "--run", "1"])
        #expect(first.items().map { $0["ending"] as? String } == Array(repeating: "pending", count: 4))
        // Its own summary, which the command's exit code has nothing to do with.
        #expect(first.status == 0 && first.count("exit") == 8 && first.count("pending") == 4, "\(first.output)")
        #expect(first.count("seen") == 4 && first.count("bytes") > 0 && first.items("summary").count == 1)
        let unknown = try table.run(["history", "--run", "77"])
        #expect(unknown.status == 2)
        #expect(unknown.errors.contains("There is no run 77; the last one was 2."))
    }

    /// A gallery that is away is not tried again until `--wait` is over.
    @Test(.timeLimit(.minutes(2))) func theFirstSignalEndsTheWaiting() throws {
        let (table, pipeline, _) = try scene()
        for verb in [["import", table.card, "--pipeline", pipeline], ["retry"]] {
            let run = try Background(
                verb + ["--wait", "10m", "--state", table.state], environment: Gallery.environment)
            let isBusy = try Background.within(seconds: 20) {
                try table.run(["status"]).items("status").first.flatMap { $0["last_run"] as? [String: Any] }?["running"]
                    as? Bool == true
            }
            #expect(isBusy)
            #expect(run.kill(SIGINT).status == 130)
        }
        // Nothing that was read is lost.
        #expect(try retry(table).count("pending") == 4)
    }

    /// `--wait` is about what stands still: a clip that needs longer than that is on its way.
    @Test func aFileThatTakesLongerThanTheWaitArrives() throws {
        let table = try Table()
        try table.write(
            "CARD/DCIM/100CANON/IMG_0001.JPG",
            Data([0xFF, 0xD8] + [UInt8](repeating: 7, count: 600_000) + [0xFF, 0xD9]))
        let gallery = try Gallery(table)
        let text = try String(contentsOfFile: try table.pipeline(gallery), encoding: .utf8)
        let slow = text.replacingOccurrences(of: "digest: {", with: "limit_rate: 200KB\n      digest: {")
        #expect(slow != text)
        let sent = try table.deliver(try table.write("slow.yaml", slow), wait: "1s", ["--event", "smith"])
        #expect(sent.status == 0, "\(sent.output)")
        #expect(try gallery.assets().count == 1)
    }
}
