import Foundation
import Testing

/// The sources as they lie on disk, found from where this file was compiled.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    struct File: Sendable, CustomTestStringConvertible {
        /// Below the root, `/` between parts.
        let path: String
        let text: String
        let lines: [Substring]
        /// The lines without comments and without what stands in literals.
        let code: [String]

        init(path: String, text: String) {
            (self.path, self.text) = (path, text)
            lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            code = path.hasSuffix(".swift") ? CodeText.stripped(text) : []
        }

        var testDescription: String { path }

        /// The target that it belongs to: the folder below `Sources`, `Plugins` or `Tests`.
        var target: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
        var isFixture: Bool { path.contains("/Fixtures/") }
    }

    /// Every file below `folder` whose name ends in one of `endings`.
    static func files(in folder: String, ending endings: String...) -> [File] {
        let base = root.appendingPathComponent(folder).path
        guard let walk = FileManager.default.enumerator(atPath: base) else { return [] }
        var paths: [String] = []
        while let path = walk.nextObject() as? String {
            // What was built is not walked: it is a hundred times larger than the sources.
            if path.hasPrefix(".build") || path.hasPrefix(".git/") || path.contains("/.build") {
                walk.skipDescendants()
            } else {
                paths.append(path)
            }
        }
        return paths.filter { path in endings.contains { path.hasSuffix($0) } }.sorted().compactMap { path in
            guard let text = try? String(contentsOfFile: base + "/" + path, encoding: .utf8) else { return nil }
            return File(path: folder.isEmpty ? path : folder + "/" + path, text: text)
        }
    }

    static func file(_ path: String) -> File? {
        (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)).map { File(path: path, text: $0) }
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    static func folders(in folder: String) -> [String] {
        let base = root.appendingPathComponent(folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: base.path)) ?? []
        return names.filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(
                atPath: base.appendingPathComponent(name).path, isDirectory: &isFolder)
                && isFolder.boolValue
        }.sorted()
    }

    /// What the program is made of.
    static let code =
        files(in: "Sources", ending: ".swift")
        + files(in: "Plugins", ending: ".swift").filter { $0.path.contains("/Sources/") }
    static let tests =
        files(in: "Tests", ending: ".swift")
        + files(in: "Plugins", ending: ".swift").filter { $0.path.contains("/Tests/") }
}
