import Foundation
import Testing

/// A card, an archive and a state directory of their own, removed afterwards.
final class Table {
    let root: URL
    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("filmgate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: root) }

    func path(_ name: String) -> String { root.appendingPathComponent(name).path }
    var card: String { path("CARD") }
    var state: String { path("state") }
    var archive: String { path("archive") }

    @discardableResult func write(_ name: String, _ text: String) throws -> String { try write(name, Data(text.utf8)) }

    @discardableResult func write(_ name: String, _ data: Data) throws -> String {
        let url = root.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
        return url.path
    }

    func sampleCard() throws { #expect(try Program.run(["sample", "card", card]).status == 0) }

    func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil, input: String? = nil
    ) throws -> Program.Outcome {
        try Program.run(
            arguments + ["--state", state, "--json"], environment: environment, in: folder, input: input)
    }

    /// Changes the ledger with one statement of SQL, as no verb would.
    func change(ledger statement: String) throws {
        let script =
            "import sqlite3, sys; ledger = sqlite3.connect(sys.argv[1]); ledger.execute(sys.argv[2]); ledger.commit()"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, state + "/ledger.sqlite", statement]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    func importing(_ more: [String] = [], to folder: String? = nil) throws -> Program.Outcome {
        try run(["import", card, "--to", folder ?? archive] + more)
    }

    /// Ordinary files below a folder, by path relative to it.
    func files(_ folder: String) -> [String: Data] {
        var found: [String: Data] = [:]
        guard let walker = FileManager.default.enumerator(atPath: folder) else { return [:] }
        for case let name as String in walker {
            let path = folder + "/" + name
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            found[name] = FileManager.default.contents(atPath: path)
        }
        return found
    }
}
