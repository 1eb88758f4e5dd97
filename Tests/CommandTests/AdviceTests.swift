import FilmgateTesting
import Foundation
import Synchronization
import TestThreads
import Testing

/// Whatever a NO is about, the commands that it names lead to a YES, in three steps at the most, as they are written.
@Suite(.ownThreads) struct AdviceTests {
    enum Situation: CaseIterable, Sendable {
        case newFrame, changedCopy, removedCopy, deadFolder, deadFolderOfTwo, galleryAway, wrongPort, leftOut,
            unknownKind, sameDevice, refused, signedOut, denied, neverConfirmed, notNamed, moved, misread, setAside,
            unfinished, takenBack, waitsForEvent, waitsForPick, stampedOnly, tooFew, inMemory, hiddenPicture,
            mountedOver, partOfCard, untruthful, foundAndAway, foundAndNotAsked

        var isPossible: Bool {
            switch self {
            case .mountedOver, .partOfCard: Mounting.works
            case .inMemory: FileManager.default.isWritableFile(atPath: "/dev/shm")
            default: true
            }
        }
    }

    private struct Card {
        let table: Table
        /// The options of the card's imports.
        var options: [String]
        var allowed = ["--allow", "same-device"]
        /// What is asked about, with which pipeline and for how many copies.
        var place: String, asked: [String] = [], copies: [String] = []
        /// What stands for a pipeline file in an answer.
        var pipeline = ""
        /// What a person renames who is told to.
        var misnamed: (old: String, new: String)?
        var steps: [String] = []
        /// What was tried after the same answer.
        var tried: Set<String> = []
        /// Ends what runs beside.
        var end: () -> Void = {}

        init(_ table: Table, _ options: [String]) { (self.table, self.options, place) = (table, options, table.card) }

        func run(_ words: [String], input: String? = nil) throws -> Program.Outcome {
            try Program.run(words + ["--state", table.state], environment: Gallery.environment, input: input)
        }

        func take(_ more: [String] = []) throws -> Program.Outcome { try run(["import", table.card] + options + more) }

        func proof() throws -> Program.Outcome { try run(["safe-to-format", place] + allowed + asked + copies) }

        var pictures: [String] {
            table.files(table.card).keys.filter { $0.hasSuffix(".JPG") }.map { table.card + "/" + $0 }
        }
    }

    private func card(_ options: (Table) throws -> [String] = { ["--to", $0.path("a")] }) throws -> Card {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        return Card(table, try options(table))
    }

    /// A card that was taken with a pipeline: `a`, a folder, and whatever else `targets` names.
    private func order(
        to targets: String = "", stages: String = "exif: {}, dedupe: {}, upload: { to: [a] }", more: String = ""
    ) throws -> Card {
        var scene = try card()
        scene.pipeline = try pipeline(scene.table, to: targets, stages: stages, more: more)
        scene.options = ["--pipeline", scene.pipeline]
        return scene
    }

    private func pipeline(
        _ table: Table, to targets: String = "", stages: String = "exif: {}, dedupe: {}, upload: { to: [a] }",
        more: String = "", in name: String = "p.yaml"
    ) throws -> String {
        try table.write(
            name,
            """
            version: 1
            \(more)
            stages: [\(stages)]
            targets:
              a: { folder: { path: "\(table.path("a"))/{event}", verify: size } }
              \(targets)
            """)
    }

    private func scene(_ situation: Situation) throws -> Card {
        var scene = try card()
        switch situation {
        case .newFrame:
            _ = try scene.take()
            try scene.table.write("CARD/DCIM/100TEST/IMG_0009.JPG", "another")
        case .changedCopy, .removedCopy:
            _ = try scene.take()
            let folder = scene.table.path("a")
            let name = try #require(scene.table.files(folder).keys.first { $0.hasSuffix(".JPG") })
            let copy = folder + "/" + name
            try FileManager.default.removeItem(atPath: copy)
            if situation == .changedCopy { try Data("x".utf8).write(to: URL(fileURLWithPath: copy)) }
        case .deadFolder, .deadFolderOfTwo:
            scene = try card {
                ["--to", $0.path("a")] + (situation == .deadFolderOfTwo ? ["--to", $0.path("b")] : [])
            }
            _ = try scene.take()
            try FileManager.default.removeItem(atPath: scene.table.path("a"))
        case .galleryAway, .wrongPort: scene = try waiting(atWrongPort: situation == .wrongPort)
        case .leftOut:
            scene = try card { ["--to", $0.path("a"), "--set", "profiles=[{accept: [jpeg]}]"] }
            try scene.table.write("CARD/DCIM/100TEST/MVI_0009.MP4", "clip")
            _ = try scene.take()
        case .unknownKind:
            try scene.table.write("CARD/DCIM/100TEST/NOTES.QQQ", "words")
            _ = try scene.take()
        case .sameDevice:
            scene.allowed = []
            _ = try scene.take()
        case .refused, .signedOut, .denied, .neverConfirmed, .notNamed, .moved: scene = try elsewhere(situation)
        case .misread, .setAside, .unfinished, .takenBack: scene = try broken(situation)
        case .waitsForEvent, .waitsForPick, .stampedOnly, .tooFew, .inMemory: scene = try ordered(situation)
        case .hiddenPicture, .mountedOver, .partOfCard: scene = try hidden(situation)
        case .untruthful, .foundAndAway, .foundAndNotAsked: scene = try found(situation)
        }
        return scene
    }

    /// Delivered to a server that takes whatever comes, or nothing, and knows nothing of it afterwards.
    private func elsewhere(_ situation: Situation) throws -> Card {
        if situation == .signedOut || situation == .denied { return try gallery(situation) }
        let server = try FaultServer { _, _ in .answer(situation == .refused ? 422 : 201) }
        let far = "far: { http: { url: \"\(server.url)/up\", method: POST, body: raw } }"
        var scene = try order(to: far, stages: "exif: {}, dedupe: {}, upload: { to: [a, far] }")
        scene.end = { server.stop() }
        _ = try scene.take()
        if situation == .notNamed {
            scene.pipeline = try pipeline(scene.table, in: "other.yaml")
            scene.asked = ["--pipeline", scene.pipeline]
        }
        if situation == .moved {
            let gallery = try Gallery(scene.table)
            scene.pipeline = try scene.table.pipeline(gallery, name: "other.yaml")
            scene.asked = ["--pipeline", scene.pipeline]
            scene.end = {
                server.stop()
                gallery.stop()
            }
        }
        return scene
    }

    /// A gallery that is asked, and knows its files or says that it has them no more.
    private func gallery(_ situation: Situation) throws -> Card {
        var scene = try card(), gallery = try Gallery(scene.table)
        let base = gallery.address + "/api/assets",
            auth = situation == .signedOut ? "store" : "${env:FILMGATE_GALLERY_TOKEN}"
        scene.pipeline = try scene.table.write(
            "p.yaml",
            """
            version: 1
            stages: [exif: {}, dedupe: {}, upload: { to: [far] }]
            targets: { far: { http: { url: "\(base)", auth: studio, find: { url: "\(base)/{sha256}" } } } }
            auth: { studio: { bearer: { token: "\(auth)" } } }
            """)
        (scene.options, scene.asked) = (["--pipeline", scene.pipeline], ["--pipeline", scene.pipeline])
        if situation == .signedOut {
            _ = try scene.run(["login", "studio", "--pipeline", scene.pipeline], input: Gallery.token + "\n")
        }
        #expect(try scene.take().status == 0)
        if situation == .signedOut {
            _ = try scene.run(["logout", "studio"])
        } else {
            gallery.stop()
            gallery = try Gallery(scene.table, in: "empty", at: gallery.address)
        }
        let last = gallery
        scene.end = { last.stop() }
        return scene
    }

    /// A gallery had the files already and named no digest of them; then it says yes to everything, is away, or is not
    /// asked.
    private func found(_ situation: Situation) throws -> Card {
        let stored = StoredFiles(), server = try FaultServer { seen, _ in stored.answer(seen) }
        let find = "find: { url: \"\(server.url)/by/{sha256}\" }"
        var scene = try card()
        scene.pipeline = try scene.table.write(
            "p.yaml",
            """
            version: 1
            stages: [exif: {}, dedupe: {}, upload: { to: [far] }]
            targets:
              far: { http: { url: "\(server.url)/up", method: POST, body: raw, \(find) } }
            """)
        (scene.options, scene.end) = (["--pipeline", scene.pipeline], { server.stop() })
        if situation != .foundAndNotAsked { scene.asked = scene.options }
        let another = ["import", scene.table.card, "--state", scene.table.path("another")] + scene.options
        #expect(try Program.run(another).status == 0)
        #expect(try scene.take().status == 0)
        if situation == .untruthful { stored.mode.withLock { $0 = .everything } }
        if situation == .foundAndAway { server.stop() }
        return scene
    }

    /// What a killed run, a bad reader or a person left in the ledger.
    private func broken(_ situation: Situation) throws -> Card {
        let scene = try card(), first = "(SELECT content_id FROM asset ORDER BY path LIMIT 1)"
        #expect(try scene.take().status == 0)
        let other = String(repeating: "0", count: 64)
        switch situation {
        case .misread: try scene.table.editLedger("UPDATE content SET key = '\(other)' WHERE id = \(first)")
        case .setAside, .unfinished:
            let ending = situation == .setAside ? "setAside" : "pending"
            try scene.table.editLedger(
                "UPDATE asset SET ending = '\(ending)', reason = 'Bad sector.' WHERE content_id = \(first)")
            try scene.table.editLedger("DELETE FROM delivery WHERE content_id = \(first)")
        default:
            try FileManager.default.removeItem(atPath: scene.table.path("a"))
            _ = try scene.run(["cancel", "--target", scene.table.path("a"), "--gone", "--yes"])
        }
        return scene
    }

    /// Delivered as ordered, and that is not enough.
    private func ordered(_ situation: Situation) throws -> Card {
        var scene = try card()
        switch situation {
        case .waitsForEvent: scene = try order(more: "event: { hold: true }")
        case .waitsForPick:
            scene = try order(stages: "exif: {}, dedupe: {}, upload: { to: [a], deliver: { a: { picks: only } } }")
        case .stampedOnly:
            let stamp = "stamp: { creator: Ann, embed: [a] }"
            scene = try order(stages: "exif: {}, dedupe: {}, \(stamp), upload: { to: [a] }")
            try FileManager.default.removeItem(atPath: scene.table.card)
            try scene.table.sampleCard()
        case .inMemory:
            let memory = "/dev/shm/filmgate-\(UUID().uuidString)"
            scene = try card { _ in ["--to", memory] }
            scene.end = { try? FileManager.default.removeItem(atPath: memory) }
        default: scene.copies = ["--copies", "2"]
        }
        _ = try scene.take()
        return scene
    }

    /// Not seen, or not as what it is.
    private func hidden(_ situation: Situation) throws -> Card {
        var scene = try card(), table = scene.table
        if situation == .partOfCard {
            table = try Table()
            try FileManager.default.createDirectory(atPath: table.card, withIntermediateDirectories: true)
            try mount(table.card)
            try table.frames("CARD", count: 2, from: 1)
            scene = Card(table, ["--to", table.path("a")])
            scene.place += "/DCIM"
        }
        let point = situation == .partOfCard ? table.card : table.card + "/DCIM/101TEST"
        scene.end = { Mounting.run("/usr/bin/umount", [point]) }
        #expect(try scene.take().status == 0)
        switch situation {
        case .mountedOver:
            try FileManager.default.createDirectory(atPath: point, withIntermediateDirectories: true)
            try mount(point)
        case .hiddenPicture:
            let folder = table.card + "/DCIM/100TEST/"
            scene.misnamed = (folder + "._IMG_0002.JPG", folder + "IMG_0002.JPG")
            try FileManager.default.moveItem(atPath: folder + "IMG_0002.JPG", toPath: folder + "._IMG_0002.JPG")
            let copy = try #require(table.files(table.path("a")).keys.first { $0.hasSuffix("IMG_0002.JPG") })
            try table.write("a/" + copy, "x")
            scene.end = {}
        default: break
        }
        return scene
    }

    private func mount(_ point: String) throws {
        try #require(Mounting.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", point]) == 0)
    }

    /// Delivered to a folder, and ordered at a gallery that does not answer.
    private func waiting(atWrongPort: Bool) throws -> Card {
        let table = try Table(), gallery = try Gallery(table)
        try table.frames("CARD", count: 3, from: 1)
        let pipeline = try table.pipeline(
            gallery, address: atWrongPort ? "http://127.0.0.1:\(FreePort.next())" : gallery.address)
        #expect(try table.importing(to: table.path("a")).status == 0)
        if !atWrongPort { gallery.stop() }
        #expect(try table.deliver(pipeline, wait: "1s").status == 8)
        return Card(table, ["--to", table.path("a")])
    }

    /// The commands and options that an answer names, in its order, with what stands for something put in.
    private func advice(in text: String, _ scene: Card) -> [[String]] {
        let advice = text.split(separator: "\n").filter { $0.hasPrefix("→ ") }.joined(separator: "\n")
        let parts = advice.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter {
            $0.offset % 2 == 1
        }.map(\.element)
        return parts.compactMap { part in
            var words: [String] = [], isQuoted = false
            for piece in part.split(separator: "'", omittingEmptySubsequences: false) {
                if isQuoted {
                    words.append(String(piece))
                } else {
                    words += piece.split(separator: " ").map(String.init)
                }
                isQuoted.toggle()
            }
            guard let first = words.first, ["filmgate", "umount", "mv"].contains(first) || first.hasPrefix("--") else {
                return nil
            }
            let files = words.contains("mark") ? scene.pictures : [scene.pipeline]
            let meant = [
                "CARD": [scene.table.card], "FOLDER": [scene.table.path(words.contains("--to") ? "further" : "a")],
                "EVENT": ["gala"], "FILE": files,
            ]
            return words.flatMap { meant[$0] ?? [$0] }
        }
    }

    /// Does one thing that is advised and was not tried after this answer; false where nothing is left.
    private func follow(_ text: String, _ scene: inout Card) throws -> Bool {
        // The same answer, however long it took.
        let answer = text.replacing(#/after \d+ ms/#, with: "")
        for words in advice(in: text, scene) where scene.tried.insert(answer + words.joined(separator: " ")).inserted {
            scene.steps.append(words.joined(separator: " "))
            guard try act(words, &scene) else { continue }
            return true
        }
        return false
    }

    /// False for what is no step of this card.
    private func act(_ words: [String], _ scene: inout Card) throws -> Bool {
        switch words.prefix(2).joined(separator: " ") {
        case "filmgate import":
            let isWhole = words.contains("--to") || words.contains("--pipeline")
            _ = try scene.run(Array(words.dropFirst()) + (isWhole ? [] : scene.options))
            // Another folder proves the card without the pipeline.
            if words.contains("--to") { scene.asked = [] }
        case "filmgate retry": _ = try scene.run(["retry", "--wait", "1s"])
        // What stands for a list of files is for those who removed them.
        case "filmgate cancel" where !words.contains("FILE…"):
            _ = try scene.run(Array(words.dropFirst()) + ["--yes"])
        case "filmgate safe-to-format": (scene.place, scene.asked) = (words[2], Array(words.dropFirst(3)))
        case "filmgate assign", "filmgate mark": _ = try scene.run(Array(words.dropFirst()))
        case "filmgate login": _ = try scene.run(Array(words.dropFirst()), input: Gallery.token + "\n")
        case "--allow same-device", "--allow filtered": scene.allowed += words
        case "--copies 1": scene.copies = words
        case let text where text.hasPrefix("--set"):
            _ = try scene.run(["import", scene.table.card] + scene.options + words)
        case let text where text.hasPrefix("umount"): Mounting.run("/usr/bin/umount", Array(words.dropFirst()))
        case "mv":
            let name = try #require(scene.misnamed)
            try FileManager.default.moveItem(atPath: name.old, toPath: name.new)
        default: return false
        }
        return true
    }

    @Test(arguments: Situation.allCases.filter(\.isPossible)) func whatANOAdvisesLeadsToAYes(_ situation: Situation)
        throws
    {
        var scene = try scene(situation)
        defer { scene.end() }
        let first = try scene.proof()
        #expect(first.status == 8, "\(first.output)")
        for _ in 0..<3 {
            let answer = try scene.proof()
            if answer.status == 0 { break }
            guard try follow(answer.output, &scene) else { break }
        }
        let last = try scene.proof()
        #expect(last.status == 0, "after \(scene.steps): \(last.output)")
    }
}
