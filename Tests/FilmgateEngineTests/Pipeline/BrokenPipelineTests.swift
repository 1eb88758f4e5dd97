import FilmgateConfig
import FilmgateCore
import FilmgateEngine
import Foundation
import Testing

/// Every file in `Fixtures/broken` against what `check` must say about it.
///
/// `RECORD=1 swift test` writes the expectations anew.
@Suite struct BrokenPipelineTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
        path: "Fixtures/broken"
    )
    .path

    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }.map {
            String($0.dropLast(5))
        }.sorted()
    }

    /// Reads below the fixtures, so that marks and messages name no folder of this machine.
    struct FixtureReader: ConfigReader {
        func text(path: String) throws(ConfigError) -> String {
            do throws(ConfigError) {
                return try YAMLReader().text(path: path.hasPrefix("/") ? path : "\(BrokenPipelineTests.folder)/\(path)")
            } catch {
                var error = error
                error.mark.file = path
                throw error
            }
        }
        func read(text: String, file: String) throws(ConfigError) -> ConfigNode {
            try YAMLReader().read(text: text, file: file)
        }
    }

    static func load(_ name: String) throws -> LoadedPipeline {
        PipelineLoader(
            registry: try Fake.registry(), reader: FixtureReader(), includeDirectories: ["\(folder)/shipped"]
        ).load(
            path: "\(name).yaml")
    }

    @Test(arguments: try BrokenPipelineTests.names()) func saysWhatIsWrong(name: String) throws {
        let loaded = try Self.load(name)
        let text = DiagnosticPrinter(texts: loaded.texts).text(loaded.diagnostics) + "\n"
        let expected = "\(Self.folder)/\(name).txt"
        if ProcessInfo.processInfo.environment["RECORD"] != nil {
            try text.write(toFile: expected, atomically: true, encoding: .utf8)
        }
        #expect(text == (try? String(contentsOfFile: expected, encoding: .utf8)), "\(name)")
        #expect(!loaded.diagnostics.isEmpty && loaded.diagnostics.allSatisfy { !$0.error.mark.file.isEmpty })
    }

    @Test func thereAreAtLeastTwenty() throws { #expect(try Self.names().count >= 20) }

    @Test(arguments: ["inline-secret", "misspelt-secret", "secret-as-word", "address-with-password"])
    func neverShowsASecret(
        name: String
    ) throws {
        let loaded = try Self.load(name)
        #expect(loaded.pipeline == nil)
        let printed = DiagnosticPrinter(texts: loaded.texts).text(loaded.diagnostics)
        let json = String(decoding: try JSONEncoder().encode(loaded.diagnostics), as: UTF8.self)
        #expect(
            !printed.contains("canary") && !json.contains("canary")
                && !loaded.texts.values.contains { $0.contains("canary") })
    }
}
