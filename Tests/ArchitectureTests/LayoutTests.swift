import Foundation
import Testing

@Suite struct LayoutTests {
    @Test func topLevelIsTidy() throws {
        let known: Set = [
            "Package.swift", "Package.resolved", "Sources", "Plugins", "Tests", "pipelines", "README.md", "Makefile",
            "LICENSE", "NOTICE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
        ]
        let ignored = (Repository.file(".gitignore")?.lines ?? []).map {
            $0.trimmingCharacters(in: CharacterSet(charactersIn: "/"))
        }
        func isIgnored(_ name: String) -> Bool {
            ignored.contains { $0 == name || $0.hasPrefix("*.") && name.hasSuffix($0.dropFirst()) }
        }
        let entries = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
        #expect(entries.filter { !$0.hasPrefix(".") && !known.contains($0) && !isIgnored($0) } == [])
    }

    /// Modules to learn from, which are built and tested and no part of the program.
    static let examples = ["TeachingCamera"]

    @Test(arguments: Repository.folders(in: "Plugins"))
    func moduleFolderIsComplete(_ module: String) throws {
        for part in ["README.md", "example.yaml", "Sources", "Tests"] {
            #expect(Repository.exists("Plugins/\(module)/\(part)"), "Plugins/\(module) has no \(part)")
        }
        let package = try #require(Repository.file("Package.swift"))
        #expect(package.text.contains("(\"\(module)\""), "Package.swift has no line for \(module)")
        guard package.text.contains(".executableTarget("), !Self.examples.contains(module) else { return }
        let list = try #require(Repository.file("Sources/filmgate/Modules.swift"))
        #expect(
            LayerTests.imports(of: list).contains(module), "Sources/filmgate/Modules.swift has no line for \(module)")
    }

    @Test(arguments: Repository.folders(in: "Sources"))
    func libraryIsInThePackage(_ target: String) throws {
        let package = try #require(Repository.file("Package.swift"))
        #expect(package.text.contains("\"\(target)\""), "Package.swift has no line for \(target)")
    }
}
