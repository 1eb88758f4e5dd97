import FilmgateTesting
import Foundation
import TestThreads
import Testing

/// Whatever a NO is about, the commands that it names lead to a YES, in three steps at the most, as they are written.
@Suite(.ownThreads) struct AdviceTests {
    enum Situation: CaseIterable, Sendable {
        case newFrame, changedCopy, removedCopy, deadFolder, deadFolderOfTwo, galleryAway, wrongPort, leftOut,
            unknownKind, sameDevice
    }

    private struct Card {
        let table: Table
        /// The options of the card's imports.
        let options: [String]
        var allowed = ["--allow", "same-device"]
        var steps: [String] = []
        /// What was tried after the same answer.
        var tried: Set<String> = []

        func run(_ words: [String]) throws -> Program.Outcome {
            try Program.run(words + ["--state", table.state], environment: Gallery.environment)
        }

        func take(_ more: [String] = []) throws -> Program.Outcome { try run(["import", table.card] + options + more) }

        func proof() throws -> Program.Outcome { try run(["safe-to-format", table.card] + allowed) }
    }

    private func card(_ options: (Table) throws -> [String] = { ["--to", $0.path("a")] }) throws -> Card {
        let table = try Table()
        try table.frames("CARD", count: 3, from: 1)
        return Card(table: table, options: try options(table))
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
        }
        return scene
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
        return Card(table: table, options: ["--to", table.path("a")])
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
            guard let first = words.first, first == "filmgate" || first.hasPrefix("--") else { return nil }
            return words.map { ["CARD": scene.table.card, "FOLDER": scene.table.path("a")][$0] ?? $0 }
        }
    }

    /// Does one thing that is advised and was not tried after this answer; false where nothing is left.
    private func follow(_ text: String, _ scene: inout Card) throws -> Bool {
        // The same answer, however long it took.
        let answer = text.replacing(#/after \d+ ms/#, with: "")
        for words in advice(in: text, scene) where scene.tried.insert(answer + words.joined(separator: " ")).inserted {
            scene.steps.append(words.joined(separator: " "))
            switch words.prefix(2).joined(separator: " ") {
            case "filmgate import": _ = try scene.run(Array(words.dropFirst()) + scene.options)
            case "filmgate retry": _ = try scene.run(["retry", "--wait", "1s"])
            // What stands for a list of files is for those who removed them.
            case "filmgate cancel" where !words.contains("FILE…"):
                _ = try scene.run(Array(words.dropFirst()) + ["--yes"])
            case "--allow same-device", "--allow filtered": scene.allowed += words
            case let text where text.hasPrefix("--set"):
                _ = try scene.run(["import", scene.table.card] + scene.options + words)
            default: continue
            }
            return true
        }
        return false
    }

    @Test(arguments: Situation.allCases) func whatANOAdvisesLeadsToAYes(_ situation: Situation) throws {
        var scene = try scene(situation)
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
