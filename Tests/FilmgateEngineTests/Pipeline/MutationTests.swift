import FilmgateConfig
import FilmgateCore
import Foundation
import Testing

@testable import FilmgateEngine

/// Thousands of damaged pipeline files: none may crash or hang, each error has a place inside its text and can be
/// printed.
@Suite struct MutationTests {
    static let pieces = [
        "&a ", "*a", "!t ", "<<: ", "- ", "? ", ": ", "{", "}", "[", "]", "\"", "'", "\n", "\t", "  ", "#", "|\n",
        ">\n", "%", "@", "\0", "\u{FEFF}", "\u{2028}", "---\n", "...\n", "${env:X}", "{{", "}}", "{captured:", "null",
        "~", "0x1", "1e999", "\u{1FFFE}", "é", "📷", "\\", "\r", ",", "version: 1\n",
    ]

    @Test(arguments: 0..<4) func damagedFilesEndInAnAnswer(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let loader = PipelineLoader(registry: try Fake.registry(), reader: YAMLReader())
        let originals =
            try [PipelineFileTests.wedding]
            + BrokenPipelineTests.names().map {
                try String(contentsOfFile: "\(BrokenPipelineTests.folder)/\($0).yaml", encoding: .utf8)
            }
        for _ in 0..<500 {
            var scalars = Array(originals[Int(random.next() % UInt64(originals.count))].unicodeScalars)
            for _ in 0...(random.next() % 4) { Self.damage(&scalars, &random) }
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            check(loader.load(text: String(view), file: "m.yaml"), String(view))
        }
    }

    static func damage(_ scalars: inout [Unicode.Scalar], _ random: inout SeededRandom) {
        let at = Int(random.next() % UInt64(scalars.count + 1))
        let length = min(Int(random.next() % 12), scalars.count - at)
        switch random.next() % 3 {
        case 0: scalars.removeSubrange(at..<(at + length))
        case 1: scalars.insert(contentsOf: pieces[Int(random.next() % UInt64(pieces.count))].unicodeScalars, at: at)
        default:
            scalars.insert(
                contentsOf: Array(scalars[at..<(at + length)]), at: Int(random.next() % UInt64(scalars.count + 1)))
        }
    }

    func check(_ loaded: LoadedPipeline, _ text: String) {
        #expect((loaded.pipeline == nil) == loaded.diagnostics.contains { $0.severity == .error })
        let lines = SourceLines.split(text)
        for diagnostic in loaded.diagnostics where diagnostic.error.mark.file == "m.yaml" {
            let mark = diagnostic.error.mark
            guard (1...max(lines.count, 1)).contains(mark.line),
                (1...(lines[mark.line - 1].count + 1)).contains(mark.column)
            else {
                Issue.record("\(mark) is outside of \(text.debugDescription)")
                continue
            }
        }
        #expect(!DiagnosticPrinter(texts: loaded.texts).text(loaded.diagnostics).contains("\u{0}"))
    }
}
